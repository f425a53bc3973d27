// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/flow.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "kinds/conversion/internal_form.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::int64_t kPrecedenceMax = 10'000;
constexpr std::int64_t kQueuesMax = 10'000'000;
// Of a hash from which queues are drawn.
constexpr int kEntropyBitsMax = 60;

// The schemas and levels that every server has, which stay as they are.
struct Fixed {
  std::string_view name;
  std::string_view spec;
};
constexpr Fixed kFixedSchemas[] = {
    {"exempt",
     R"({"priorityLevelConfiguration":{"name":"exempt"},"matchingPrecedence":1,"rules":[{)"
     R"("subjects":[{"kind":"Group","group":{"name":"system:masters"}}],"resourceRules":[{)"
     R"("verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,)"
     R"("namespaces":["*"]}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]})"},
    {"catch-all",
     R"({"priorityLevelConfiguration":{"name":"catch-all"},"matchingPrecedence":10000,)"
     R"("distinguisherMethod":{"type":"ByUser"},"rules":[{"subjects":[{"kind":"Group","group":{)"
     R"("name":"system:unauthenticated"}},{"kind":"Group","group":{"name":)"
     R"("system:authenticated"}}],"resourceRules":[{"verbs":["*"],"apiGroups":["*"],)"
     R"("resources":["*"],"clusterScope":true,"namespaces":["*"]}],"nonResourceRules":[{)"
     R"("verbs":["*"],"nonResourceURLs":["*"]}]}]})"                                          },
};
constexpr Fixed kFixedLevels[] = {
    {"exempt",    R"({"type":"Exempt"})"                                                       },
    {"catch-all", R"({"type":"Limited","limited":{"nominalConcurrencyShares":5,)"
                  R"("lendablePercent":0,"limitResponse":{"type":"Reject"}}})"},
};

json::Value fixed_spec(std::span<const Fixed> all, std::string_view name) {
  const auto at = std::ranges::find(all, name, &Fixed::name);
  return at == all.end() ? json::Value{} : json::parse(at->spec).value_or(json::Value{});
}

bool has_wildcard(View list) {
  const auto range = list.elements();
  return std::any_of(range.begin(), range.end(), [](View each) { return each.as_string() == "*"; });
}

// A list that must have something in it; `what` are its things, `missing` is said of an empty one.
// True when a wildcard stands for all of them.
bool check_list(View list, const FieldPath& path, std::string_view what, std::string_view missing,
                FieldErrors& errors) {
  if (list.empty()) {
    note_required(path, errors, missing);
    return true;
  }
  if (!has_wildcard(list)) return false;
  if (list.size() > 1) {
    note_invalid(path, list, fmt::format("if '*' is present, must not specify other {}", what),
                 errors);
  }
  return true;
}

void check_verbs(View verbs, const FieldPath& path, FieldErrors& errors) {
  static const std::vector<std::string> kVerbs{
      "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"};
  if (check_list(verbs, path, "verbs", "verbs must contain at least one value", errors)) return;
  const auto range = verbs.elements();
  const bool known = std::all_of(range.begin(), range.end(), [](View verb) {
    return std::ranges::find(kVerbs, verb.as_string()) != kVerbs.end();
  });
  if (!known) errors.push_back(kube::not_supported(path, verbs, kVerbs));
}

std::string_view url_problem(std::string_view path) {
  if (path.empty()) return "must not be empty";
  if (path == "/") return {};
  if (!path.starts_with('/')) return "must start with slash";
  if (path.find(' ') != std::string_view::npos) return "must not contain white-space";
  if (path.find("//") != std::string_view::npos) return "must not contain double slash";
  const auto stars = std::ranges::count(path, '*');
  if (stars > 1 || (stars == 1 && !path.ends_with("/*"))) {
    return "wildcard can only do suffix matching";
  }
  return {};
}

void check_path_rule(View rule, const FieldPath& path, FieldErrors& errors) {
  check_verbs(rule.get("verbs"), path.child("verbs"), errors);
  const FieldPath urls_path = path.child("nonResourceURLs");
  const View urls = rule.get("nonResourceURLs");
  if (check_list(urls, urls_path, "non-resource URLs",
                 "nonResourceURLs must contain at least one value", errors)) {
    return;
  }
  for (std::size_t i = 0; i < urls.size(); ++i) {
    const auto why = url_problem(urls[i].as_string());
    if (!why.empty()) note_invalid(urls_path.index(i), urls[i].as_string(), why, errors);
  }
}

void check_resource_rule(View rule, const FieldPath& path, FieldErrors& errors) {
  check_verbs(rule.get("verbs"), path.child("verbs"), errors);
  check_list(rule.get("apiGroups"), path.child("apiGroups"), "api groups",
             "resource rules must supply at least one api group", errors);
  check_list(rule.get("resources"), path.child("resources"), "resources",
             "resource rules must supply at least one resource", errors);
  const FieldPath spaces_path = path.child("namespaces");
  const View spaces = rule.get("namespaces");
  if (spaces.empty() && rule.get("clusterScope").as_bool()) return;
  if (check_list(spaces, spaces_path, "namespaces",
                 "resource rules that are not cluster scoped must supply at least one namespace",
                 errors)) {
    return;
  }
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    for (const auto& problem : kube::dns1123_label_problems(spaces[i].as_string())) {
      note_invalid(spaces_path.index(i), spaces[i].as_string(),
                   "each member of this list must be '*' or a DNS-1123 label; " + problem, errors);
    }
  }
}

void check_account(View account, const FieldPath& path, FieldErrors& errors) {
  const auto name = account.get("name").as_string();
  if (name.empty()) {
    note_required(path.child("name"), errors);
  } else if (name != "*") {
    kube::note_problems(path.child("name"), name, kube::dns1123_subdomain_problems, errors);
  }
  const auto ns = account.get("namespace").as_string();
  if (ns.empty()) {
    note_required(path.child("namespace"), errors, "must specify namespace for service account");
  } else {
    kube::note_problems(path.child("namespace"), ns, kube::dns1123_label_problems, errors);
  }
}

struct SubjectKind {
  std::string_view kind;
  std::string_view field;
};
constexpr SubjectKind kSubjectKinds[] = {
    {"ServiceAccount", "serviceAccount"},
    {"User",           "user"          },
    {"Group",          "group"         },
};

void check_flow_subject(View subject, const FieldPath& path, FieldErrors& errors) {
  const auto kind = subject.get("kind").as_string();
  const auto* own = std::ranges::find(kSubjectKinds, kind, &SubjectKind::kind);
  if (own == std::end(kSubjectKinds)) {
    note_unsupported(path.child("kind"), kind, {"Group", "ServiceAccount", "User"}, errors);
    return;
  }
  const FieldPath here = path.child(own->field);
  const View details = subject.get(own->field);
  if (details.is_null()) {
    note_required(here, errors,
                  fmt::format("{} is required when subject kind is '{}'", own->field, kind));
  } else if (kind == "ServiceAccount") {
    check_account(details, here, errors);
  } else if (details.get("name").as_string().empty()) {
    note_required(here.child("name"), errors);
  }
  for (const auto& other : kSubjectKinds) {
    if (other.kind == kind || subject.get(other.field).is_null()) continue;
    note_forbidden(
        path.child(other.field),
        fmt::format("{} is forbidden when subject kind is not '{}'", other.field, other.kind),
        errors);
  }
}

void check_flow_rule(View rule, const FieldPath& path, FieldErrors& errors) {
  const FieldPath subjects_path = path.child("subjects");
  const View subjects = rule.get("subjects");
  if (subjects.empty()) {
    note_required(subjects_path, errors, "subjects must contain at least one value");
  }
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    check_flow_subject(subjects[i], subjects_path.index(i), errors);
  }
  const View resources = rule.get("resourceRules");
  const View paths = rule.get("nonResourceRules");
  if (resources.empty() && paths.empty()) {
    note_required(path, errors,
                  "at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  const FieldPath resources_path = path.child("resourceRules");
  for (std::size_t i = 0; i < resources.size(); ++i) {
    check_resource_rule(resources[i], resources_path.index(i), errors);
  }
  const FieldPath paths_path = path.child("nonResourceRules");
  for (std::size_t i = 0; i < paths.size(); ++i) {
    check_path_rule(paths[i], paths_path.index(i), errors);
  }
}

void check_precedence(View precedence, std::string_view name, const FieldPath& path,
                      FieldErrors& errors) {
  const auto value = precedence.as_int();
  if (value <= 0) note_invalid(path, precedence, "must be a positive value", errors);
  if (value > kPrecedenceMax) {
    note_invalid(path, precedence, fmt::format("must not be greater than {}", kPrecedenceMax),
                 errors);
  }
  if (value == 1 && name != "exempt") {
    note_invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1",
                 errors);
  }
}

void check_schema_spec(View spec, std::string_view name, FieldErrors& errors) {
  const FieldPath path{"spec"};
  check_precedence(spec.get("matchingPrecedence"), name, path.child("matchingPrecedence"), errors);
  if (const View method = spec.get("distinguisherMethod"); !method.is_null()) {
    const FieldPath here = path.child("distinguisherMethod");
    const auto type = method.get("type").as_string();
    if (type != "ByUser" && type != "ByNamespace") {
      errors.push_back(kube::not_supported(here.child("type"), method, {"ByNamespace", "ByUser"}));
      errors.back().value = internal_text("FlowDistinguisherMethod", method);
    }
  }
  const FieldPath level = path.child("priorityLevelConfiguration");
  const auto wanted = spec.get("priorityLevelConfiguration", "name").as_string();
  if (wanted.empty()) {
    note_required(level.child("name"), errors, "must reference a priority level");
  } else {
    kube::note_problems(level.child("name"), wanted, kube::dns1123_subdomain_problems, errors);
  }
  const FieldPath rules_path = path.child("rules");
  const View rules = spec.get("rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    check_flow_rule(rules[i], rules_path.index(i), errors);
  }
}

FieldErrors check_flow_conditions(View object) {
  FieldErrors errors;
  const FieldPath status{"status"};
  const FieldPath path = status.child("conditions");
  const View conditions = object.get("status", "conditions");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath here = path.index(i);
    const View type = conditions[i].get("type");
    if (!seen.insert(type.as_string()).second) {
      errors.push_back(kube::duplicate(here.child("type"), type.as_string()));
    }
    if (type.as_string().empty()) note_required(here.child("type"), errors);
  }
  return errors;
}

void check_percent(View percent, const FieldPath& path, FieldErrors& errors) {
  if (percent.is_null() || (percent.as_int() >= 0 && percent.as_int() <= 100)) return;
  note_invalid(path, percent, "must be between 0 and 100, inclusive", errors);
}

void check_shares(View shares, const FieldPath& path, FieldErrors& errors) {
  if (shares.as_int() < 0) note_invalid(path, shares, "must be a non-negative integer", errors);
}

View number_or_zero(View object, std::string_view field) {
  static const auto kZero = json::parse("0").value();
  const View value = object.get(field);
  return value.is_null() ? View{kZero} : value;
}

void check_queuing(View queuing, const FieldPath& path, FieldErrors& errors) {
  const View length = number_or_zero(queuing, "queueLengthLimit");
  const View queues = number_or_zero(queuing, "queues");
  const View hand = number_or_zero(queuing, "handSize");
  if (length.as_int() <= 0) {
    note_invalid(path.child("queueLengthLimit"), length, "must be positive", errors);
  }
  if (queues.as_int() <= 0) {
    note_invalid(path.child("queues"), queues, "must be positive", errors);
  } else if (queues.as_int() > kQueuesMax) {
    note_invalid(path.child("queues"), queues,
                 fmt::format("must not be greater than {}", kQueuesMax), errors);
  }
  const FieldPath here = path.child("handSize");
  if (hand.as_int() <= 0) {
    note_invalid(here, hand, "must be positive", errors);
  } else if (hand.as_int() > queues.as_int()) {
    note_invalid(here, hand, fmt::format("should not be greater than queues ({})", queues.as_int()),
                 errors);
  } else if (std::ceil(std::log2(static_cast<double>(queues.as_int())) *
                       static_cast<double>(hand.as_int())) > kEntropyBitsMax) {
    note_invalid(here, hand,
                 fmt::format("required entropy bits of deckSize {} and handSize {} should not be "
                             "greater than {}",
                             queues.as_int(), hand.as_int(), kEntropyBitsMax),
                 errors);
  }
}

// A real server calls the type by another type's name here.
void check_response(View response, const FieldPath& path, FieldErrors& errors) {
  const auto type = response.get("type").as_string();
  const FieldPath here = path.child("queuing");
  const View queuing = response.get("queuing");
  if (type == "Reject") {
    if (queuing.is_null()) return;
    note_forbidden(here, "must be nil if limited.limitResponse.type is not Limited", errors);
  } else if (type == "Queue") {
    if (queuing.is_null()) {
      note_required(here, errors, "must not be empty if limited.limitResponse.type is Limited");
    } else {
      check_queuing(queuing, here, errors);
    }
  } else {
    note_unsupported(path.child("type"), type, {"Queue", "Reject"}, errors);
  }
}

void check_limited(View limited, const FieldPath& path, FieldErrors& errors) {
  check_shares(limited.get("nominalConcurrencyShares"), path.child("nominalConcurrencyShares"),
               errors);
  check_response(limited.get("limitResponse"), path.child("limitResponse"), errors);
  check_percent(limited.get("lendablePercent"), path.child("lendablePercent"), errors);
  if (const View borrowed = limited.get("borrowingLimitPercent"); borrowed.as_int() < 0) {
    note_invalid(path.child("borrowingLimitPercent"), borrowed,
                 "if specified, must be a non-negative integer", errors);
  }
}

void check_level_spec(View spec, std::string_view name, FieldErrors& errors) {
  const FieldPath path{"spec"};
  const auto type = spec.get("type").as_string();
  if ((name == "exempt") != (type == "Exempt")) {
    note_invalid(path.child("type"), type, "must be 'Exempt' if and only if `name` is 'exempt'",
                 errors);
  }
  const View exempt = spec.get("exempt");
  const View limited = spec.get("limited");
  if (type == "Exempt") {
    if (!limited.is_null()) {
      note_forbidden(path.child("limited"), "must be nil if the type is not Limited", errors);
    }
    const FieldPath here = path.child("exempt");
    check_shares(exempt.get("nominalConcurrencyShares"), here.child("nominalConcurrencyShares"),
                 errors);
    check_percent(exempt.get("lendablePercent"), here.child("lendablePercent"), errors);
  } else if (type == "Limited") {
    if (!exempt.is_null()) {
      note_forbidden(path.child("exempt"), "must be nil if the type is Limited", errors);
    }
    if (limited.is_null()) {
      note_required(path.child("limited"), errors, "must not be empty when type is Limited");
    } else {
      check_limited(limited, path.child("limited"), errors);
    }
  } else {
    note_unsupported(path.child("type"), type, {"Exempt", "Limited"}, errors);
  }
}

void check_fixed_level(View spec, std::string_view name, FieldErrors& errors) {
  const auto fixed = fixed_spec(kFixedLevels, name);
  if (fixed.is_null()) return;
  json::Draft rest{spec};
  // How much of the exempt level's share may be lent is an administrator's to say.
  if (name == "exempt") rest.erase("exempt");
  if (rest.freeze() == fixed) return;
  errors.push_back(
      kube::invalid(FieldPath{"spec"}, internal_text("PriorityLevelConfigurationSpec", spec),
                    fmt::format("spec of '{}'{} must equal the fixed value", name,
                                name == "exempt" ? " except the 'spec.exempt' field" : "")));
}

}  // namespace

FieldErrors validate_flow_schema(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const auto name = kube::name_of(object);
  check_schema_spec(spec, name, errors);
  if (const auto fixed = fixed_spec(kFixedSchemas, name); !fixed.is_null() && spec != fixed) {
    errors.push_back(kube::invalid(FieldPath{"spec"}, internal_text("FlowSchemaSpec", spec),
                                   fmt::format("spec of '{}' must equal the fixed value", name)));
  }
  kube::append(errors, check_flow_conditions(object));
  return errors;
}

FieldErrors validate_flow_schema_update(View object, View) {
  return validate_flow_schema(object);
}

FieldErrors validate_priority_level(View object) {
  FieldErrors errors;
  constexpr std::string_view kKeepsZero =
      "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
  if (kube::annotations_of(object).contains(kKeepsZero)) {
    const FieldPath metadata{"metadata"};
    note_forbidden(metadata.child("annotations"),
                   fmt::format("annotation '{}' is forbidden", kKeepsZero), errors);
  }
  const View spec = object.get("spec");
  const auto name = kube::name_of(object);
  check_level_spec(spec, name, errors);
  check_fixed_level(spec, name, errors);
  kube::append(errors, check_flow_conditions(object));
  return errors;
}

FieldErrors validate_priority_level_update(View object, View) {
  return validate_priority_level(object);
}

FieldErrors validate_flow_status_update(View object, View) {
  return check_flow_conditions(object);
}

}  // namespace fixpoint::kinds
