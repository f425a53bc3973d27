// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/workloads/apps.h"

#include "json/draft.h"
#include "kinds/validation/pods/annotations.h"
#include "kinds/validation/pods/pod.h"
#include "kinds/validation/status.h"
#include "kinds/validation/storage/storage.h"
#include "kube/scalars/int_or_string.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;
using kube::IntOrString;

constexpr std::string_view kMismatch = "`selector` does not match template `labels`";

// The number before the % or the number itself; 0 for anything else.
std::int64_t amount_of(View value) {
  const auto either = IntOrString::from(value);
  if (!either.is_percent()) return either.int_value();
  return kube::scaled_value(either, 100, kube::Rounding::Up).value_or(0);
}

void check_selector(View selector, std::string_view owner, const FieldPath& path,
                    FieldErrors& errors) {
  if (selector.is_null()) {
    note_required(path, errors);
    return;
  }
  kube::append(errors, kube::validate_label_selector(selector, path));
  if (selector.get("matchLabels").empty() && selector.get("matchExpressions").empty()) {
    note_invalid(path, selector, fmt::format("empty selector is invalid for {}", owner), errors);
  }
}

void check_labels_match(const kube::LabelSelector& selector, View labels,
                        const FieldPath& template_path, FieldErrors& errors) {
  if (selector.empty() || selector.matches(labels)) return;
  const FieldPath metadata = template_path.child("metadata");
  note_invalid(metadata.child("labels"), labels, kMismatch, errors);
}

// Pods of these controllers live until somebody ends them.
void check_restarts(View pod_template, std::string_view owner, const FieldPath& template_path,
                    FieldErrors& errors) {
  const View spec = pod_template.get("spec");
  const FieldPath path = template_path.child("spec");
  check_one_of(spec.get("restartPolicy"), path.child("restartPolicy"), {"Always"}, errors);
  if (!spec.get("activeDeadlineSeconds").is_null()) {
    note_forbidden(path.child("activeDeadlineSeconds"),
                   fmt::format("activeDeadlineSeconds in {} is not Supported", owner), errors);
  }
}

// The template of a Deployment and of a ReplicaSet.
void check_replica_template(View spec, const FieldPath& path, FieldErrors& errors) {
  const View pod_template = spec.get("template");
  const FieldPath template_path = path.child("template");
  const auto selector = kube::LabelSelector::from_object(spec.get("selector"));
  if (!selector) {
    note_invalid(path.child("selector"), spec.get("selector"), "invalid label selector", errors);
    return;
  }
  check_labels_match(*selector, pod_template.get("metadata", "labels"), template_path, errors);
  validate_template(pod_template, template_path, errors);
  check_restarts(pod_template, "ReplicaSet", template_path, errors);
}

// The server's internal strategy has no JSON names.
std::string shown_strategy(View strategy) {
  const View rolling = strategy.get("rollingUpdate");
  const auto amount = [&](std::string_view field, std::string_view none) {
    const View value = rolling.get(field);
    return value.is_null() ? std::string{none} : kube::shown(value);
  };
  std::string shown = "null";
  if (rolling.contains("partition")) {
    shown = fmt::format("{{\"Partition\":{},\"MaxUnavailable\":{}}}", amount("partition", "0"),
                        amount("maxUnavailable", "null"));
  } else if (!rolling.is_null()) {
    shown = fmt::format("{{\"MaxUnavailable\":{},\"MaxSurge\":{}}}", amount("maxUnavailable", "0"),
                        amount("maxSurge", "0"));
  }
  return fmt::format("{{\"Type\":{},\"RollingUpdate\":{}}}",
                     kube::shown(strategy.get("type").as_string()), shown);
}

FieldErrors unsupported_strategy(View strategy, const FieldPath& path,
                                 const std::vector<std::string>& supported) {
  FieldErrors errors;
  note_unsupported(path, "", supported, errors);
  errors.back().value = shown_strategy(strategy);
  return errors;
}

void check_deployment_strategy(View strategy, const FieldPath& path, FieldErrors& errors) {
  const auto type = strategy.get("type").as_string();
  const View rolling = strategy.get("rollingUpdate");
  const FieldPath rolling_path = path.child("rollingUpdate");
  if (type == "Recreate") {
    if (!rolling.is_null()) {
      note_forbidden(rolling_path, "may not be specified when strategy `type` is 'Recreate'",
                     errors);
    }
    return;
  }
  if (type != "RollingUpdate") {
    kube::append(errors, unsupported_strategy(strategy, path, {"Recreate", "RollingUpdate"}));
    return;
  }
  const View unavailable = rolling.get("maxUnavailable");
  const FieldPath unavailable_path = rolling_path.child("maxUnavailable");
  check_int_or_percent(unavailable, unavailable_path, errors);
  check_int_or_percent(rolling.get("maxSurge"), rolling_path.child("maxSurge"), errors);
  if (amount_of(unavailable) == 0 && amount_of(rolling.get("maxSurge")) == 0) {
    note_invalid(unavailable_path, unavailable, "may not be 0 when `maxSurge` is 0", errors);
  }
  check_at_most_hundred_percent(unavailable, unavailable_path, errors);
}

FieldErrors check_deployment(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  check_nonnegative(spec.get("replicas"), path.child("replicas"), errors);
  check_selector(spec.get("selector"), "deployment", path.child("selector"), errors);
  check_replica_template(spec, path, errors);
  check_deployment_strategy(spec.get("strategy"), path.child("strategy"), errors);
  check_nonnegative(spec.get("minReadySeconds"), path.child("minReadySeconds"), errors);
  check_nonnegative(spec.get("revisionHistoryLimit"), path.child("revisionHistoryLimit"), errors);
  if (const View deadline = spec.get("progressDeadlineSeconds"); !deadline.is_null()) {
    const FieldPath deadline_path = path.child("progressDeadlineSeconds");
    check_nonnegative(deadline, deadline_path, errors);
    if (deadline.as_int() <= spec.get("minReadySeconds").as_int()) {
      note_invalid(deadline_path, deadline, "must be greater than minReadySeconds", errors);
    }
  }
  return errors;
}

void check_stateful_strategy(View spec, const FieldPath& spec_path, FieldErrors& errors) {
  const View strategy = spec.get("updateStrategy");
  const FieldPath path = spec_path.child("updateStrategy");
  const auto type = strategy.get("type").as_string();
  const View rolling = strategy.get("rollingUpdate");
  const FieldPath rolling_path = path.child("rollingUpdate");
  if (type == "OnDelete") {
    if (!rolling.is_null()) {
      errors.push_back(kube::invalid(rolling_path,
                                     fmt::format("{{\"Partition\":{},\"MaxUnavailable\":null}}",
                                                 rolling.get("partition").as_int()),
                                     "only allowed for updateStrategy 'RollingUpdate'"));
    }
  } else if (type == "RollingUpdate") {
    check_nonnegative(rolling.get("partition"), rolling_path.child("partition"), errors);
  } else {
    errors.push_back(
        kube::invalid(path, shown_strategy(strategy), "must be 'RollingUpdate' or 'OnDelete'"));
  }
}

// Claims of the set count as volumes of its pods; host name and subdomain are the set's.
json::Value pod_template_of_set(View spec) {
  Draft pod_template{spec.get("template")};
  Draft& pod = pod_template.object_at("spec");
  pod.erase("hostname");
  pod.erase("subdomain");
  Draft volumes = Draft::array();
  std::vector<std::string> names;
  for (const View claim : spec.get("volumeClaimTemplates").elements()) {
    names.emplace_back(claim.get("metadata", "name").as_string());
    volumes.push_back(Draft::object({
        {"name",                  names.back()                                },
        {"persistentVolumeClaim", Draft::object({{"claimName", names.back()}})}
    }));
  }
  for (const View volume : spec.get("template", "spec", "volumes").elements()) {
    const auto name = volume.get("name").as_string();
    if (std::find(names.begin(), names.end(), name) == names.end())
      volumes.push_back(Draft{volume});
  }
  if (!volumes.empty()) pod["volumes"] = std::move(volumes);
  return pod_template.freeze();
}

// What may not change is only looked at when a set is made; a template that an old set has wrong
// may stay wrong.
struct StatefulSetChecks {
  bool fixed_fields = true;
  bool pod_template = true;
};

FieldErrors check_stateful_set(View object, StatefulSetChecks checks) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  const auto policy = spec.get("podManagementPolicy").as_string();
  if (policy != "OrderedReady" && policy != "Parallel") {
    note_invalid(path.child("podManagementPolicy"), policy, "must be 'OrderedReady' or 'Parallel'",
                 errors);
  }
  check_stateful_strategy(spec, path, errors);
  const FieldPath retention_path = path.child("persistentVolumeClaimRetentionPolicy");
  for (const std::string_view field : {"whenDeleted", "whenScaled"}) {
    check_optional_one_of(spec.get("persistentVolumeClaimRetentionPolicy", field),
                          retention_path.child(field), {"Retain", "Delete"}, errors);
  }
  if (checks.fixed_fields) {
    const View claims = spec.get("volumeClaimTemplates");
    const FieldPath claims_path = path.child("volumeClaimTemplates");
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const FieldPath claim_path = claims_path.index(i);
      check_claim_spec(claims[i].get("spec"), claim_path.child("spec"), errors);
    }
  }
  check_nonnegative(spec.get("replicas"), path.child("replicas"), errors);
  check_nonnegative(spec.get("minReadySeconds"), path.child("minReadySeconds"), errors);
  check_nonnegative(spec.get("ordinals", "start"), path.child("ordinals.start"), errors);
  if (const auto name = spec.get("serviceName").as_string(); checks.fixed_fields && !name.empty()) {
    kube::note_problems(path.child("serviceName"), name, kube::dns1123_label_problems, errors);
  }
  check_selector(spec.get("selector"), "statefulset", path.child("selector"), errors);
  const FieldPath template_path = path.child("template");
  const auto selector = kube::LabelSelector::from_object(spec.get("selector"));
  const json::Value pod_template = pod_template_of_set(spec);
  if (!selector) {
    note_invalid(path.child("selector"), spec.get("selector"), "", errors);
  } else {
    check_labels_match(*selector, spec.get("template", "metadata", "labels"), template_path,
                       errors);
    if (checks.pod_template) validate_template(pod_template, template_path, errors);
    // A real server looks at these twice.
    const View metadata = pod_template.get("metadata");
    kube::append(errors,
                 kube::validate_labels(metadata.get("labels"), template_path.child("labels")));
    kube::append(errors, kube::validate_annotations(metadata.get("annotations"),
                                                    template_path.child("annotations")));
    validate_pod_annotations(metadata.get("annotations"), {}, pod_template.get("spec"),
                             template_path.child("annotations"), errors);
  }
  check_restarts(spec.get("template"), "StatefulSet", template_path, errors);
  return errors;
}

void check_daemon_strategy(View strategy, const FieldPath& path, FieldErrors& errors) {
  const auto type = strategy.get("type").as_string();
  if (type == "OnDelete") return;
  if (type != "RollingUpdate") {
    kube::append(errors, unsupported_strategy(strategy, path, {"RollingUpdate", "OnDelete"}));
    return;
  }
  const View rolling = strategy.get("rollingUpdate");
  const FieldPath rolling_path = path.child("rollingUpdate");
  for (const std::string_view field : {"maxUnavailable", "maxSurge"}) {
    check_int_or_percent(rolling.get(field), rolling_path.child(field), errors);
  }
  for (const std::string_view field : {"maxUnavailable", "maxSurge"}) {
    check_at_most_hundred_percent(rolling.get(field), rolling_path.child(field), errors);
  }
  const bool unavailable = amount_of(rolling.get("maxUnavailable")) != 0;
  const bool surge = amount_of(rolling.get("maxSurge")) != 0;
  if (unavailable && surge) {
    note_invalid(rolling_path.child("maxSurge"), rolling.get("maxSurge"),
                 "may not be set when maxUnavailable is non-zero", errors);
  } else if (!unavailable && !surge) {
    note_required(rolling_path.child("maxUnavailable"), errors, "cannot be 0 when maxSurge is 0");
  }
}

FieldErrors check_daemon_set(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  const View selector = spec.get("selector");
  const FieldPath template_path = path.child("template");
  kube::append(errors, kube::validate_label_selector(selector, path.child("selector")));
  const View labels = spec.get("template", "metadata", "labels");
  const auto parsed = kube::LabelSelector::from_object(selector);
  if (parsed && !parsed->matches(labels)) {
    const FieldPath metadata = template_path.child("metadata");
    note_invalid(metadata.child("labels"), labels, kMismatch, errors);
  }
  if (!selector.is_null() && selector.get("matchLabels").empty() &&
      selector.get("matchExpressions").empty()) {
    note_invalid(path.child("selector"), selector, "empty selector is invalid for daemonset",
                 errors);
  }
  validate_template(spec.get("template"), template_path, errors);
  check_restarts(spec.get("template"), "DaemonSet", template_path, errors);
  check_nonnegative(spec.get("minReadySeconds"), path.child("minReadySeconds"), errors);
  check_daemon_strategy(spec.get("updateStrategy"), path.child("updateStrategy"), errors);
  check_nonnegative(spec.get("revisionHistoryLimit"), path.child("revisionHistoryLimit"), errors);
  return errors;
}

FieldErrors check_replica_set(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  check_nonnegative(spec.get("replicas"), path.child("replicas"), errors);
  check_nonnegative(spec.get("minReadySeconds"), path.child("minReadySeconds"), errors);
  check_selector(spec.get("selector"), "deployment", path.child("selector"), errors);
  check_replica_template(spec, path, errors);
  return errors;
}

FieldErrors check_replication_controller(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  check_nonnegative(spec.get("minReadySeconds"), path.child("minReadySeconds"), errors);
  if (spec.get("selector").empty()) note_required(path.child("selector"), errors);
  check_nonnegative(spec.get("replicas"), path.child("replicas"), errors);
  const View pod_template = spec.get("template");
  const FieldPath template_path = path.child("template");
  if (pod_template.is_null()) {
    note_required(template_path, errors);
    return errors;
  }
  const auto selector = kube::LabelSelector::from_labels(spec.get("selector"));
  check_labels_match(selector, pod_template.get("metadata", "labels"), template_path, errors);
  validate_template(pod_template, template_path, errors);
  check_restarts(pod_template, "ReplicationController", template_path, errors);
  return errors;
}

void check_same_selector(View object, View old_object, FieldErrors& errors) {
  const FieldPath path{"spec"};
  check_immutable(object.get("spec", "selector"), old_object.get("spec", "selector"),
                  path.child("selector"), errors);
}

void check_counts(View status, std::initializer_list<std::string_view> fields,
                  FieldErrors& errors) {
  const FieldPath path{"status"};
  for (const std::string_view field : fields) {
    check_nonnegative(status.get(field), path.child(field), errors);
  }
}

// Of all replicas no more can be ready than there are; `ready` is how the last message calls them.
void check_within_replicas(View status, std::initializer_list<std::string_view> fields,
                           std::string_view ready, FieldErrors& errors) {
  const FieldPath path{"status"};
  const auto count = [&](std::string_view field) { return status.get(field).as_int(); };
  for (const std::string_view field : fields) {
    if (count(field) <= count("replicas")) continue;
    errors.push_back(kube::invalid(path.child(field), std::to_string(count(field)),
                                   "cannot be greater than status.replicas"));
  }
  if (count("availableReplicas") > count("readyReplicas")) {
    errors.push_back(kube::invalid(path.child("availableReplicas"),
                                   std::to_string(count("availableReplicas")),
                                   "cannot be greater than " + std::string{ready}));
  }
}

}  // namespace

void check_int_or_percent(View value, const FieldPath& path, FieldErrors& errors) {
  if (value.is_string()) {
    check_messages(kube::percent_problems(value.as_string()), value, path, errors);
  } else {
    check_nonnegative(value, path, errors);
  }
}

void check_at_most_hundred_percent(View value, const FieldPath& path, FieldErrors& errors) {
  if (value.is_string() && kube::percent_problems(value.as_string()).empty() &&
      amount_of(value) > 100) {
    note_invalid(path, value, "must not be greater than 100%", errors);
  }
}

FieldErrors validate_deployment(View object) {
  return check_deployment(object);
}

FieldErrors validate_deployment_update(View object, View old_object) {
  FieldErrors errors = check_deployment(object);
  check_same_selector(object, old_object, errors);
  return errors;
}

FieldErrors validate_deployment_status_update(View object, View old_object) {
  FieldErrors errors;
  check_counts(object.get("status"),
               {"observedGeneration", "replicas", "updatedReplicas", "readyReplicas",
                "availableReplicas", "unavailableReplicas", "collisionCount"},
               errors);
  check_within_replicas(object.get("status"),
                        {"updatedReplicas", "readyReplicas", "availableReplicas"}, "readyReplicas",
                        errors);
  check_collisions(object, old_object, errors);
  return errors;
}

FieldErrors validate_replica_set_status_update(View object, View) {
  FieldErrors errors;
  check_counts(object.get("status"),
               {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
                "observedGeneration"},
               errors);
  check_within_replicas(object.get("status"),
                        {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"},
                        "readyReplicas", errors);
  return errors;
}

FieldErrors validate_stateful_set_status_update(View object, View old_object) {
  FieldErrors errors;
  check_counts(object.get("status"),
               {"replicas", "readyReplicas", "currentReplicas", "updatedReplicas",
                "availableReplicas", "observedGeneration", "collisionCount"},
               errors);
  check_within_replicas(
      object.get("status"),
      {"readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"},
      "status.readyReplicas", errors);
  check_collisions(object, old_object, errors);
  return errors;
}

FieldErrors validate_daemon_set_status_update(View object, View old_object) {
  FieldErrors errors;
  check_counts(object.get("status"),
               {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled",
                "numberReady", "observedGeneration", "updatedNumberScheduled", "numberAvailable",
                "numberUnavailable", "collisionCount"},
               errors);
  check_collisions(object, old_object, errors);
  return errors;
}

FieldErrors validate_stateful_set(View object) {
  return check_stateful_set(object, {});
}

FieldErrors validate_stateful_set_update(View object, View old_object) {
  StatefulSetChecks checks{.fixed_fields = false};
  checks.pod_template = check_stateful_set(old_object, checks).empty();
  FieldErrors errors = check_stateful_set(object, checks);
  const View old_spec = old_object.get("spec");
  Draft rest{object.get("spec")};
  for (const std::string_view field :
       {"replicas", "template", "updateStrategy", "minReadySeconds", "ordinals",
        "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy"}) {
    if (const View value = old_spec.get(field); value.is_null()) {
      rest.erase(field);
    } else {
      rest[field] = Draft{value};
    }
  }
  if (!(rest == Draft{old_spec})) {
    note_forbidden(FieldPath{"spec"},
                   "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                   "'template', 'updateStrategy', 'revisionHistoryLimit', "
                   "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
                   errors);
  }
  return errors;
}

FieldErrors validate_daemon_set(View object) {
  return check_daemon_set(object);
}

FieldErrors validate_daemon_set_update(View object, View old_object) {
  FieldErrors errors;
  check_same_selector(object, old_object, errors);
  kube::append(errors, check_daemon_set(object));
  return errors;
}

FieldErrors validate_replica_set(View object) {
  return check_replica_set(object);
}

FieldErrors validate_replica_set_update(View object, View old_object) {
  FieldErrors errors = check_replica_set(object);
  check_same_selector(object, old_object, errors);
  return errors;
}

FieldErrors validate_replication_controller(View object) {
  return check_replication_controller(object);
}

FieldErrors validate_replication_controller_update(View object, View) {
  return check_replication_controller(object);
}

}  // namespace fixpoint::kinds
