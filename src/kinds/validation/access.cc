// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/access.h"

#include "json/draft.h"
#include "kinds/groups.h"
#include "kinds/validation/fields.h"
#include "kinds/validation/metadata_checks.h"
#include "kube/meta/metadata.h"
#include "kube/meta/validate_metadata.h"
#include "kube/selectors/label_selector.h"

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

enum class Reach : std::uint8_t { Namespace, Cluster };

void check_rule(View rule, Reach reach, const FieldPath& path, FieldErrors& errors) {
  if (rule.get("verbs").empty()) {
    note_required(path.child("verbs"), errors, "verbs must contain at least one value");
  }
  const View urls = rule.get("nonResourceURLs");
  if (!urls.empty()) {
    const FieldPath urls_path = path.child("nonResourceURLs");
    if (reach == Reach::Namespace) {
      note_invalid(urls_path, urls, "namespaced rules cannot apply to non-resource URLs", errors);
    }
    if (!rule.get("apiGroups").empty() || !rule.get("resources").empty() ||
        !rule.get("resourceNames").empty()) {
      note_invalid(urls_path, urls,
                   "rules cannot apply to both regular resources and non-resource URLs", errors);
    }
    return;
  }
  if (rule.get("apiGroups").empty()) {
    note_required(path.child("apiGroups"), errors,
                  "resource rules must supply at least one api group");
  }
  if (rule.get("resources").empty()) {
    note_required(path.child("resources"), errors,
                  "resource rules must supply at least one resource");
  }
}

FieldErrors check_role_rules(View role, Reach reach) {
  FieldErrors errors;
  const FieldPath path{"rules"};
  const View rules = role.get("rules");
  for (std::size_t i = 0; i < rules.size(); ++i) check_rule(rules[i], reach, path.index(i), errors);
  return errors;
}

void check_subject(View subject, Reach reach, const FieldPath& path, FieldErrors& errors) {
  const View name = subject.get("name");
  const auto kind = subject.get("kind").as_string();
  const auto group = subject.get("apiGroup").as_string();
  require_text(name, path.child("name"), errors);
  if (kind == "ServiceAccount") {
    if (!name.as_string().empty()) {
      kube::note_problems(path.child("name"), name.as_string(), kube::dns1123_subdomain_problems,
                          errors);
    }
    if (!group.empty()) note_unsupported(path.child("apiGroup"), group, {""}, errors);
    if (reach == Reach::Cluster) {
      require_text(subject.get("namespace"), path.child("namespace"), errors);
    }
  } else if (kind == "User" || kind == "Group") {
    if (group != kRbacGroup) {
      note_unsupported(path.child("apiGroup"), group, {std::string{kRbacGroup}}, errors);
    }
  } else {
    note_unsupported(path.child("kind"), kind, {"ServiceAccount", "User", "Group"}, errors);
  }
}

FieldErrors check_binding(View binding, Reach reach) {
  FieldErrors errors;
  const View role = binding.get("roleRef");
  const FieldPath path{"roleRef"};
  if (role.get("apiGroup").as_string() != kRbacGroup) {
    note_unsupported(path.child("apiGroup"), role.get("apiGroup").as_string(),
                     {std::string{kRbacGroup}}, errors);
  }
  check_one_of(role.get("kind"), path.child("kind"),
               reach == Reach::Namespace ? std::vector<std::string>{"Role", "ClusterRole"}
                                         : std::vector<std::string>{"ClusterRole"},
               errors);
  const auto name = role.get("name").as_string();
  if (name.empty()) {
    note_required(path.child("name"), errors);
  } else {
    for (const auto& problem : kube::name_is_path_segment(name, kube::NamePart::Whole)) {
      note_invalid(path.child("name"), name, problem, errors);
    }
  }
  const FieldPath subjects_path{"subjects"};
  const View subjects = binding.get("subjects");
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    check_subject(subjects[i], reach, subjects_path.index(i), errors);
  }
  return errors;
}

void check_same_role(View binding, View old_binding, FieldErrors& errors) {
  const View role = binding.get("roleRef");
  if (role == old_binding.get("roleRef")) return;
  // The server's internal type has no JSON names.
  const auto text = [&](std::string_view field) {
    return json::Draft{role.get(field).as_string()};
  };
  const json::Value shown =
      json::Draft::object(
          {
              {"APIGroup", text("apiGroup")},
              {"Kind",     text("kind")    },
              {"Name",     text("name")    }
  })
          .freeze();
  errors.push_back(kube::invalid(FieldPath{"roleRef"}, shown, "cannot change roleRef"));
}

FieldErrors check_lease(View lease) {
  FieldErrors errors;
  const View spec = lease.get("spec");
  const FieldPath path{"spec"};
  if (const View seconds = spec.get("leaseDurationSeconds");
      !seconds.is_null() && seconds.as_int() <= 0) {
    note_invalid(path.child("leaseDurationSeconds"), seconds, "must be greater than 0", errors);
  }
  check_nonnegative(spec.get("leaseTransitions"), path.child("leaseTransitions"), errors);
  const View strategy = spec.get("strategy");
  if (!strategy.is_null() && strategy.as_string() != "OldestEmulationVersion" &&
      strategy.as_string().find('/') == std::string_view::npos) {
    note_unsupported(path.child("strategy"), strategy.as_string(), {"OldestEmulationVersion"},
                     errors);
  }
  if (!spec.get("preferredHolder").as_string().empty() && strategy.as_string().empty()) {
    note_forbidden(path.child("preferredHolder"), "may only be specified if `strategy` is defined",
                   errors);
  }
  return errors;
}

// The names of one thing in the two groups' events.
struct EventNames {
  std::string_view object;      // involvedObject, regarding
  std::string_view controller;  // reportingComponent, reportingController
  std::string_view message;     // message, note
};
constexpr EventNames kCoreNames{"involvedObject", "reportingComponent", "message"};
constexpr EventNames kGroupNames{"regarding", "reportingController", "note"};

constexpr std::size_t kShortBytesMax = 128;
constexpr std::size_t kNoteBytesMax = 1024;

void check_length(View value, std::string_view field, std::size_t bytes_max, FieldErrors& errors) {
  if (value.as_string().size() <= bytes_max) return;
  note_invalid(FieldPath{field}, "", fmt::format("can have at most {} characters", bytes_max),
               errors);
}

void check_new_event(View event, const EventNames& names, std::string_view ns,
                     FieldErrors& errors) {
  const FieldPath object{"involvedObject"};
  const auto object_ns = event.get(names.object, "namespace").as_string();
  if (object_ns.empty() && ns != "default" && ns != "kube-system") {
    note_invalid(object.child("namespace"), object_ns, "does not match event.namespace", errors);
  }
  const View controller = event.get(names.controller);
  require_text(controller, FieldPath{names.controller}, errors);
  kube::note_problems(FieldPath{names.controller}, controller.as_string(),
                      kube::qualified_name_problems, errors);
  for (const std::string_view field : {"reportingInstance", "action", "reason"}) {
    require_text(event.get(field), FieldPath{field}, errors);
    check_length(event.get(field), field, kShortBytesMax, errors);
  }
  check_length(event.get(names.message), "message", kNoteBytesMax, errors);
}

// Both groups keep to this.
FieldErrors check_event(View event, const EventNames& names) {
  FieldErrors errors;
  const auto ns = kube::namespace_of(event);
  const auto object_ns = event.get(names.object, "namespace").as_string();
  const FieldPath object{"involvedObject"};
  if (!event.get("eventTime").is_null()) {
    check_new_event(event, names, ns, errors);
  } else {
    const bool agrees = object_ns.empty() ? ns.empty() || ns == "default" : ns == object_ns;
    if (!agrees) {
      note_invalid(object.child("namespace"), object_ns, "does not match event.namespace", errors);
    }
  }
  kube::note_problems(FieldPath{"namespace"}, ns, kube::dns1123_subdomain_problems, errors);
  return errors;
}

void check_series(View event, FieldErrors& errors) {
  const View series = event.get("series");
  if (series.is_null()) return;
  if (series.get("count").as_int() < 2) {
    note_invalid(FieldPath{"series.count"}, "", "should be at least 2", errors);
  }
  if (series.get("lastObservedTime").is_null()) {
    note_required(FieldPath{"series.lastObservedTime"}, errors);
  }
}

std::string shown_text(View value) {
  return kube::shown(value.as_string());
}

std::string shown_number(View value) {
  return std::to_string(value.as_int());
}

std::string shown_time(View value) {
  return kube::shown(value);
}

// The server's internal types have no JSON names, and leave nothing out.
std::string shown_reference(View value) {
  const auto text = [&](std::string_view field) { return shown_text(value.get(field)); };
  return fmt::format(
      R"({{"Kind":{},"Namespace":{},"Name":{},"UID":{},"APIVersion":{},"ResourceVersion":{},"FieldPath":{}}})",
      text("kind"), text("namespace"), text("name"), text("uid"), text("apiVersion"),
      text("resourceVersion"), text("fieldPath"));
}

std::string shown_optional_reference(View value) {
  return value.is_null() ? "null" : shown_reference(value);
}

std::string shown_source(View value) {
  return fmt::format(R"({{"Component":{},"Host":{}}})", shown_text(value.get("component")),
                     shown_text(value.get("host")));
}

struct FixedField {
  std::string_view name;
  std::string_view shown_as;  // its name in the core group
  std::string (*shown)(View value);
};
constexpr FixedField kFixedOfEvent[] = {
    {"regarding",                "involvedObject",      shown_reference         },
    {"reason",                   "reason",              shown_text              },
    {"note",                     "message",             shown_text              },
    {"deprecatedSource",         "source",              shown_source            },
    {"deprecatedFirstTimestamp", "firstTimestamp",      shown_time              },
    {"deprecatedLastTimestamp",  "lastTimestamp",       shown_time              },
    {"deprecatedCount",          "count",               shown_number            },
    // A real server compares the reason twice, and says so twice.
    {"reason",                   "reason",              shown_text              },
    {"type",                     "type",                shown_text              },
    {"eventTime",                "eventTime",           shown_time              },
    {"action",                   "action",              shown_text              },
    {"related",                  "related",             shown_optional_reference},
    {"reportingController",      "reportingController", shown_text              },
    {"reportingInstance",        "reportingInstance",   shown_text              },
};

}  // namespace

FieldErrors validate_role(View object) {
  return check_role_rules(object, Reach::Namespace);
}

FieldErrors validate_cluster_role(View object) {
  FieldErrors errors = check_role_rules(object, Reach::Cluster);
  const View aggregation = object.get("aggregationRule");
  if (aggregation.is_null()) return errors;
  const View selectors = aggregation.get("clusterRoleSelectors");
  const FieldPath root{"aggregationRule"};
  const FieldPath path = root.child("clusterRoleSelectors");
  if (selectors.empty()) {
    note_required(path, errors,
                  "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    const auto problems = kube::validate_label_selector(selectors[i], path.index(i));
    kube::append(errors, problems);
    // A real server makes a selector of it too, and shows what came of that.
    if (!problems.empty()) {
      note_invalid(path.index(i), View{}, "invalid label selector.", errors);
    }
  }
  return errors;
}

FieldErrors validate_role_binding(View object) {
  return check_binding(object, Reach::Namespace);
}

FieldErrors validate_role_binding_update(View object, View old_object) {
  FieldErrors errors;
  check_same_role(object, old_object, errors);
  return errors;
}

FieldErrors validate_cluster_role_binding(View object) {
  return check_binding(object, Reach::Cluster);
}

FieldErrors validate_cluster_role_binding_update(View object, View old_object) {
  FieldErrors errors;
  check_same_role(object, old_object, errors);
  return errors;
}

FieldErrors validate_lease(View object) {
  return check_lease(object);
}

FieldErrors validate_lease_update(View object, View) {
  return check_lease(object);
}

FieldErrors validate_core_event(View object) {
  return check_event(object, kCoreNames);
}

FieldErrors validate_core_event_update(View object, View) {
  return check_event(object, kCoreNames);
}

// Events of the new group are checked more closely, their metadata too.
FieldErrors validate_event(View object) {
  FieldErrors errors = check_event(object, kGroupNames);
  kube::append(errors, kube::validate_object_meta(object, kube::name_is_dns_subdomain,
                                                  kube::Scope::Namespaced, FieldPath{"metadata"}));
  kube::append(errors, finalizer_errors(object));
  check_series(object, errors);
  if (object.get("eventTime").is_null()) note_required(FieldPath{"eventTime"}, errors);
  const auto type = object.get("type").as_string();
  if (type != "Normal" && type != "Warning") {
    note_invalid(FieldPath{"type"}, "", fmt::format("has invalid value: {}", type), errors);
  }
  for (const auto& [field, name] : {
           std::pair{"deprecatedFirstTimestamp", "firstTimestamp"},
           std::pair{"deprecatedLastTimestamp",  "lastTimestamp" },
           std::pair{"deprecatedCount",          "count"         },
           std::pair{"deprecatedSource",         "source"        }
  }) {
    const View value = object.get(field);
    if (value.is_null() || (value.is_object() && value.empty())) continue;
    note_invalid(FieldPath{name}, "", "needs to be unset", errors);
  }
  return errors;
}

FieldErrors validate_event_update(View object, View old_object) {
  FieldErrors errors = check_event(object, kGroupNames);
  kube::append(errors,
               kube::validate_object_meta_update(object, old_object, FieldPath{"metadata"}));
  kube::append(errors, finalizer_errors(object));
  if (!(object.get("series") == old_object.get("series"))) check_series(object, errors);
  for (const auto& field : kFixedOfEvent) {
    const View now = object.get(field.name);
    if (now == old_object.get(field.name)) continue;
    errors.push_back(
        kube::invalid(FieldPath{field.shown_as}, field.shown(now), std::string{kImmutable}));
  }
  return errors;
}

}  // namespace fixpoint::kinds
