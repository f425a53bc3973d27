// SPDX-License-Identifier: Apache-2.0
#include "apiserver/access/rbac.h"

#include "kube/meta/metadata.h"
#include "kube/selectors/field_selector.h"

#include <algorithm>
#include <functional>

namespace fixpoint::apiserver {
namespace {

constexpr std::string_view kClusterBindings = "clusterrolebindings.rbac.authorization.k8s.io/";
constexpr std::string_view kBindings = "rolebindings.rbac.authorization.k8s.io/";
constexpr std::string_view kClusterRoles = "clusterroles.rbac.authorization.k8s.io/";
constexpr std::string_view kRoles = "roles.rbac.authorization.k8s.io/";

bool lists(json::View list, std::string_view wanted) {
  return std::ranges::any_of(list.elements().begin(), list.elements().end(),
                             [&](json::View item) { return item.as_string() == wanted; });
}

bool lists_or_star(json::View list, std::string_view wanted) {
  return lists(list, "*") || lists(list, wanted);
}

bool resource_matches(json::View resources, const Attempt& attempt) {
  if (lists_or_star(resources, attempt.full_resource())) return true;
  return !attempt.subresource.empty() && lists(resources, "*/" + attempt.subresource);
}

bool path_matches(json::View paths, std::string_view path) {
  return std::ranges::any_of(
      paths.elements().begin(), paths.elements().end(), [&](json::View item) {
        const auto pattern = item.as_string();
        if (pattern == "*" || pattern == path) return true;
        return pattern.ends_with('*') && path.starts_with(pattern.substr(0, pattern.size() - 1));
      });
}

bool rule_allows(json::View rule, const Attempt& attempt) {
  if (!lists_or_star(rule.get("verbs"), attempt.verb)) return false;
  if (!attempt.path.empty()) return path_matches(rule.get("nonResourceURLs"), attempt.path);
  if (!lists_or_star(rule.get("apiGroups"), attempt.group)) return false;
  if (!resource_matches(rule.get("resources"), attempt)) return false;
  const json::View names = rule.get("resourceNames");
  return names.empty() || (!attempt.name.empty() && lists(names, attempt.name));
}

// The subject of a binding that the user is, as the reason names it; empty when none.
std::string matching_subject(json::View binding, const User& user, std::string_view ns) {
  for (const json::View subject : binding.get("subjects").elements()) {
    const auto kind = subject.get("kind").as_string();
    const auto name = subject.get("name").as_string();
    if (kind == "User" && name == user.name) {
      return "User \"" + std::string{name} + "\"";
    }
    if (kind == "Group" && user.in_group(name)) return "Group \"" + std::string{name} + "\"";
    if (kind == "ServiceAccount") {
      const auto given = subject.get("namespace").as_string();
      const auto home = given.empty() ? ns : given;
      if (user.name == "system:serviceaccount:" + std::string{home} + ":" + std::string{name}) {
        return "ServiceAccount \"" + std::string{name} + "/" + std::string{home} + "\"";
      }
    }
  }
  return {};
}

store::RecordRef role_of(const store::Snapshot& snapshot, json::View binding, std::string_view ns) {
  const auto kind = binding.get("roleRef", "kind").as_string();
  const std::string name{binding.get("roleRef", "name").as_string()};
  if (kind == "ClusterRole") return snapshot.find(std::string{kClusterRoles} + "/" + name);
  return snapshot.find(std::string{kRoles} + std::string{ns} + "/" + name);
}

struct Grant {
  json::View binding;
  json::View role;
  std::string subject;
};

// The reference of a binding that leads nowhere, as the reason tells it.
std::string missing_role(json::View binding) {
  const bool cluster = binding.get("roleRef", "kind").as_string() == "ClusterRole";
  return std::string{cluster ? "clusterrole" : "role"} + ".rbac.authorization.k8s.io " +
         kube::shown(binding.get("roleRef", "name").as_string()) + " not found";
}

// Calls `visit` for every binding that concerns the user, cluster-wide ones first, until it
// returns false. What cannot be visited is returned.
std::vector<std::string> visit_grants(const store::Snapshot& snapshot, const User& user,
                                      std::string_view ns,
                                      const std::function<bool(const Grant&)>& visit) {
  std::vector<std::string> problems;
  bool go_on = true;
  const auto consider = [&](const store::RecordRef& record, std::string_view binding_ns) {
    auto subject = matching_subject(record->body, user, binding_ns);
    if (subject.empty()) return true;
    const auto role = role_of(snapshot, record->body, binding_ns);
    if (!role) {
      auto problem = missing_role(record->body);
      if (std::ranges::find(problems, problem) == problems.end()) {
        problems.push_back(std::move(problem));
      }
      return true;
    }
    go_on = visit({.binding = record->body, .role = role->body, .subject = std::move(subject)});
    return go_on;
  };
  snapshot.scan(std::string{kClusterBindings} + "/", {},
                [&](const auto& record) { return consider(record, ""); });
  if (!go_on || ns.empty()) return problems;
  snapshot.scan(std::string{kBindings} + std::string{ns} + "/", {},
                [&](const auto& record) { return consider(record, ns); });
  return problems;
}

std::string together(const std::vector<std::string>& problems) {
  if (problems.size() == 1) return problems.front();
  std::string text;
  for (const auto& problem : problems) text += (text.empty() ? "[" : ", ") + problem;
  return text + "]";
}

std::string reason_of(const Grant& grant) {
  const auto ns = kube::namespace_of(grant.binding);
  const std::string binding =
      ns.empty() ? "ClusterRoleBinding \"" + std::string{kube::name_of(grant.binding)} + "\""
                 : "RoleBinding \"" + std::string{kube::name_of(grant.binding)} + "/" +
                       std::string{ns} + "\"";
  return "RBAC: allowed by " + binding + " of " +
         std::string{grant.binding.get("roleRef", "kind").as_string()} + " \"" +
         std::string{kube::name_of(grant.role)} + "\" to " + grant.subject;
}

}  // namespace

std::string Attempt::full_resource() const {
  return subresource.empty() ? resource : resource + "/" + subresource;
}

Attempt attempt_of(const Request& request) {
  // A namespace lies in itself, and a list of one named object is about that object.
  const bool is_namespace =
      request.resource.group.empty() && request.resource.resource == "namespaces";
  std::string name = request.name;
  if (name.empty() && (request.verb == Verb::List || request.verb == Verb::Watch)) {
    const auto selector = kube::FieldSelector::parse(request.parameter("fieldSelector"));
    if (selector) name = selector->exact_value("metadata.name").value_or("");
  }
  return {.verb = std::string{to_string(request.verb)},
          .group = request.resource.group,
          .resource = request.resource.resource,
          .subresource = request.subresource,
          .ns = is_namespace ? request.name : request.ns,
          .name = std::move(name),
          .path = {}};
}

Decision authorize(const store::Snapshot& snapshot, const User& user, const Attempt& attempt) {
  if (user.in_group("system:masters")) return {.allowed = true, .reason = {}};
  Decision decision;
  const auto problems = visit_grants(snapshot, user, attempt.ns, [&](const Grant& grant) {
    for (const json::View rule : grant.role.get("rules").elements()) {
      if (!rule_allows(rule, attempt)) continue;
      decision = {.allowed = true, .reason = reason_of(grant)};
      return false;
    }
    return true;
  });
  if (!decision.allowed && !problems.empty()) decision.reason = "RBAC: " + together(problems);
  return decision;
}

namespace {

// Browsers show these texts too.
std::string without_markup(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

kube::Status refusal(const User& user, const Attempt& attempt, const Decision& decision) {
  const std::string because = decision.reason.empty() ? "" : ": " + without_markup(decision.reason);
  const std::string who =
      without_markup("User " + kube::shown(user.name) + " cannot " + attempt.verb);
  if (!attempt.path.empty()) {
    kube::Status status;
    status.code = 403;
    status.reason = "Forbidden";
    status.message = "forbidden: " + who + " path " + kube::shown(attempt.path) + because;
    status.details.emplace();
    return status;
  }
  const std::string where =
      attempt.ns.empty() ? "at the cluster scope" : "in the namespace " + kube::shown(attempt.ns);
  return kube::forbidden({attempt.group, attempt.resource}, attempt.name,
                         who + " resource " + kube::shown(attempt.full_resource()) +
                             " in API group " + kube::shown(attempt.group) + " " + where + because);
}

RuleSet rules_for(const store::Snapshot& snapshot, const User& user, std::string_view ns) {
  RuleSet set{.rules = {}, .snapshot = snapshot};
  // A binding to nothing gives nothing.
  (void)visit_grants(set.snapshot, user, ns, [&](const Grant& grant) {
    for (const json::View rule : grant.role.get("rules").elements()) set.rules.push_back(rule);
    return true;
  });
  return set;
}

}  // namespace fixpoint::apiserver
