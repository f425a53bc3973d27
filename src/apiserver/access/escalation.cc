// SPDX-License-Identifier: Apache-2.0
#include "apiserver/access/escalation.h"

#include "apiserver/access/rbac.h"
#include "json/draft.h"
#include "json/strings.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <map>
#include <set>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

std::string quoted_list(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const auto& value : values) {
    if (text.size() > 1) text += ' ';
    text += kube::shown(value);
  }
  return text + "]";
}

// One indivisible right per verb: what it is about, as errors print it, and the attempts that the
// holder of the right could make.
using Missing = std::map<std::string, std::vector<std::string>>;  // about -> verbs not held

struct Holder {
  const store::Snapshot& snapshot;
  const User& user;
  std::string_view ns;

  bool holds(const Attempt& attempt) const { return authorize(snapshot, user, attempt).allowed; }
};

void note_resources(const Holder& holder, json::View rule, Missing& missing) {
  auto names = json::strings_of(rule.get("resourceNames"));
  const bool any_name = names.empty();
  if (any_name) names.emplace_back();
  for (const auto& verb : json::strings_of(rule.get("verbs"))) {
    for (const auto& group : json::strings_of(rule.get("apiGroups"))) {
      for (const auto& resource : json::strings_of(rule.get("resources"))) {
        for (const auto& name : names) {
          const auto slash = std::min(resource.find('/'), resource.size());
          const Attempt attempt{
              .verb = verb,
              .group = group,
              .resource = resource.substr(0, slash),
              .subresource = resource.substr(std::min(slash + 1, resource.size())),
              .ns = std::string{holder.ns},
              .name = name,
              .path = {}};
          if (holder.holds(attempt)) continue;
          std::string about =
              "{APIGroups:" + quoted_list({group}) + ", Resources:" + quoted_list({resource});
          if (!any_name) about += ", ResourceNames:" + quoted_list({name});
          missing[about].push_back(verb);
        }
      }
    }
  }
}

void note_urls(const Holder& holder, json::View rule, Missing& missing) {
  for (const auto& verb : json::strings_of(rule.get("verbs"))) {
    for (const auto& url : json::strings_of(rule.get("nonResourceURLs"))) {
      const Attempt attempt{.verb = verb,
                            .group = {},
                            .resource = {},
                            .subresource = {},
                            .ns = {},
                            .name = {},
                            .path = url};
      if (!holder.holds(attempt)) missing["{NonResourceURLs:" + quoted_list({url})].push_back(verb);
    }
  }
}

Answer<void> check_rules(const AdmissionCall& call, const Holder& holder, json::View rules) {
  Missing missing;
  for (const json::View rule : rules.elements()) {
    note_resources(holder, rule, missing);
    note_urls(holder, rule, missing);
  }
  if (missing.empty()) return {};
  std::set<std::string> lines;
  for (const auto& [about, verbs] : missing) {
    // Verbs of a resource are told together, those of a URL one by one.
    if (!about.starts_with("{NonResourceURLs:")) {
      lines.insert(about + ", Verbs:" + quoted_list(verbs) + "}");
      continue;
    }
    for (const auto& verb : verbs) lines.insert(about + ", Verbs:" + quoted_list({verb}) + "}");
  }
  std::string why = "user " + kube::shown(call.user.name) +
                    " (groups=" + quoted_list(call.user.groups) +
                    ") is attempting to grant RBAC permissions not currently held:";
  for (const auto& line : lines) why += "\n" + line;
  return std::unexpected(kube::forbidden(call.resource.group_resource(), call.name, why));
}

bool may(const AdmissionCall& call, const store::Snapshot& snapshot, std::string_view verb,
         std::string_view resource, std::string_view name) {
  const Attempt attempt{.verb = std::string{verb},
                        .group = std::string{kRbacGroup},
                        .resource = std::string{resource},
                        .subresource = {},
                        .ns = std::string{call.ns},
                        .name = std::string{name},
                        .path = {}};
  return authorize(snapshot, call.user, attempt).allowed;
}

// What the garbage collector needs to end an object is nobody's gain. Any other write grants again
// what the object grants, even if it only adds a label.
bool only_life_changes(json::View object, json::View old_object) {
  if (old_object.is_null()) return false;
  const auto rest = [](json::View of) {
    json::Draft draft{of};
    json::Draft& metadata = draft.object_at("metadata");
    for (const auto* field : {"ownerReferences", "finalizers", "managedFields"}) {
      metadata.erase(field);
    }
    return draft;
  };
  return rest(object) == rest(old_object);
}

bool aggregates(json::View role) {
  return !role.get("aggregationRule", "clusterRoleSelectors").empty();
}

bool holds_everything(const Holder& holder) {
  const Attempt resources{.verb = "*",
                          .group = "*",
                          .resource = "*",
                          .subresource = {},
                          .ns = {},
                          .name = {},
                          .path = {}};
  const Attempt urls{.verb = "*",
                     .group = {},
                     .resource = {},
                     .subresource = {},
                     .ns = {},
                     .name = {},
                     .path = "*"};
  return holder.holds(resources) && holder.holds(urls);
}

Answer<void> check_role(const AdmissionCall& call, const store::Snapshot& snapshot,
                        json::View object, json::View old_object) {
  if (only_life_changes(object, old_object)) return {};
  if (may(call, snapshot, "escalate", call.resource.path.resource, call.name)) return {};
  const Holder holder{snapshot, call.user, call.ns};
  if (auto ok = check_rules(call, holder, object.get("rules")); !ok) return ok;
  // What an aggregated role will hold is not known yet: only who has everything may make one, or
  // end one, which may have kept something from being granted.
  if (!aggregates(object) && !aggregates(old_object)) return {};
  if (holds_everything(holder)) return {};
  return std::unexpected(
      kube::forbidden(call.resource.group_resource(), call.name,
                      "must have cluster-admin privileges to use the aggregationRule"));
}

Answer<void> check_binding(const AdmissionCall& call, const store::Snapshot& snapshot,
                           json::View object, json::View old_object) {
  if (only_life_changes(object, old_object)) return {};
  const auto kind = object.get("roleRef", "kind").as_string();
  const std::string name{object.get("roleRef", "name").as_string()};
  const std::string resource = kind == "ClusterRole" ? "clusterroles" : "roles";
  if (may(call, snapshot, "bind", resource, name)) return {};
  const std::string ns{kind == "ClusterRole" ? std::string_view{} : call.ns};
  const auto role = snapshot.find(resource + "." + std::string{kRbacGroup} + "/" + ns + "/" + name);
  if (!role) return std::unexpected(kube::not_found(call.resource.group_resource(), name));
  return check_rules(call, {snapshot, call.user, call.ns}, role->body.get("rules"));
}

}  // namespace

Answer<void> check_escalation(const AdmissionCall& call, const store::Snapshot& snapshot,
                              json::View object, json::View old_object) {
  if (call.resource.path.group != kRbacGroup || call.user.in_group("system:masters")) return {};
  const bool binding = call.resource.path.resource.ends_with("bindings");
  return binding ? check_binding(call, snapshot, object, old_object)
                 : check_role(call, snapshot, object, old_object);
}

}  // namespace fixpoint::apiserver
