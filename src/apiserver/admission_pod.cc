// SPDX-License-Identifier: Apache-2.0
#include "apiserver/admission_pod.h"

#include "kube/metadata.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

constexpr std::string_view kPriorityClasses = "priorityclasses.scheduling.k8s.io/";
constexpr std::string_view kStorageClasses = "storageclasses.storage.k8s.io/";
constexpr int kTolerationSeconds = 300;

std::string_view text_at(const json::Draft& object, std::string_view key) {
  const json::Draft* member = object.find(key);
  return member == nullptr ? std::string_view{} : member->as_string();
}

// The class every pod without one gets; the empty Ref when no class is marked so.
store::RecordRef default_priority_class(const store::Snapshot& snapshot) {
  store::RecordRef chosen;
  snapshot.scan(kPriorityClasses, {}, [&](const store::RecordRef& record) {
    if (record->body.get("globalDefault").as_bool()) chosen = record;
    return !chosen;
  });
  return chosen;
}

bool tolerates(const json::Draft& toleration, std::string_view key) {
  const auto given = text_at(toleration, "key");
  const auto effect = text_at(toleration, "effect");
  return (given == key || given.empty()) && (effect == "NoExecute" || effect.empty());
}

}  // namespace

kube::Answer<void> set_priority(const AdmissionCall& call, const store::Snapshot& snapshot,
                                json::Draft& pod) {
  auto& spec = pod.object_at("spec");
  const std::string name{text_at(spec, "priorityClassName")};
  store::RecordRef chosen;
  if (!name.empty()) {
    chosen = snapshot.find(std::string{kPriorityClasses} + "/" + name);
    if (!chosen) {
      return std::unexpected(kube::forbidden(call.resource.group_resource(), call.name,
                                             "no PriorityClass with name " + name + " was found"));
    }
  } else {
    chosen = default_priority_class(snapshot);
    if (chosen) spec["priorityClassName"] = kube::name_of(chosen->body);
  }
  const auto value = chosen ? chosen->body.get("value").as_int() : 0;
  if (const json::Draft* given = spec.find("priority");
      given != nullptr && given->as_int() != value) {
    return std::unexpected(kube::forbidden(
        call.resource.group_resource(), call.name,
        "the integer value of priority (" + std::to_string(given->as_int()) +
            ") must not be provided in pod spec; priority admission controller computed " +
            std::to_string(value) + " from the given PriorityClass name"));
  }
  spec["priority"] = value;
  if (!spec.contains("preemptionPolicy")) {
    spec["preemptionPolicy"] =
        chosen ? chosen->body.get("preemptionPolicy").as_string("PreemptLowerPriority")
               : std::string_view{"PreemptLowerPriority"};
  }
  return {};
}

void add_default_tolerations(json::Draft& pod) {
  auto& tolerations = pod.object_at("spec").array_at("tolerations");
  for (const auto key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    if (std::ranges::any_of(tolerations.elements(),
                            [&](const json::Draft& one) { return tolerates(one, key); })) {
      continue;
    }
    tolerations.push_back(json::Draft::object({
        {"key",               key               },
        {"operator",          "Exists"          },
        {"effect",            "NoExecute"       },
        {"tolerationSeconds", kTolerationSeconds}
    }));
  }
}

void set_default_storage_class(const store::Snapshot& snapshot, json::Draft& claim) {
  auto& spec = claim.object_at("spec");
  if (spec.contains("storageClassName")) return;
  const json::Draft* legacy =
      claim.find("metadata", "annotations", "volume.beta.kubernetes.io/storage-class");
  if (legacy != nullptr) {
    return;
  }
  store::RecordRef chosen;
  snapshot.scan(kStorageClasses, {}, [&](const store::RecordRef& record) {
    const bool is_default =
        kube::annotation_of(record->body, "storageclass.kubernetes.io/is-default-class") == "true";
    // Of several defaults the newest counts.
    if (is_default && (!chosen || chosen->created < record->created)) chosen = record;
    return true;
  });
  if (chosen) spec["storageClassName"] = kube::name_of(chosen->body);
}

void add_finalizer(json::Draft& object, std::string_view finalizer) {
  auto& finalizers = object.object_at("metadata").array_at("finalizers");
  const bool there = std::ranges::any_of(
      finalizers.elements(), [&](const json::Draft& one) { return one.as_string() == finalizer; });
  if (!there) finalizers.push_back(finalizer);
}

}  // namespace fixpoint::apiserver
