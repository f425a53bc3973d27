// SPDX-License-Identifier: Apache-2.0
#include "apiserver/admission/admission_pod.h"

#include "kube/meta/metadata.h"
#include "kube/scalars/quantity.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

constexpr std::string_view kPriorityClasses = "priorityclasses.scheduling.k8s.io/";
constexpr std::string_view kRuntimeClasses = "runtimeclasses.node.k8s.io/";
constexpr std::string_view kStorageClasses = "storageclasses.storage.k8s.io/";
constexpr std::string_view kIngressClasses = "ingressclasses.networking.k8s.io/";
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

std::unexpected<kube::Status> refused(const AdmissionCall& call, std::string_view why) {
  return std::unexpected(
      kube::forbidden(call.resource.group_resource(), call.shown_name(), std::string{why}));
}

kube::Answer<void> take_scheduling(const AdmissionCall& call, json::View scheduling,
                                   json::Draft& spec) {
  for (const auto [key, value] : scheduling.get("nodeSelector").members()) {
    auto& selector = spec.object_at("nodeSelector");
    const json::Draft* given = selector.find(key);
    if (given != nullptr && given->as_string() != value.as_string()) {
      const std::string name{key};
      return refused(call, "conflict: runtimeClass.scheduling.nodeSelector[" + name + "] = " +
                               std::string{value.as_string()} + "; pod.spec.nodeSelector[" + name +
                               "] = " + std::string{given->as_string()});
    }
    selector[key] = json::Draft{value};
  }
  for (const json::View toleration : scheduling.get("tolerations").elements()) {
    auto& tolerations = spec.array_at("tolerations");
    const json::Draft wanted{toleration};
    if (std::ranges::find(tolerations.elements(), wanted) == tolerations.elements().end()) {
      tolerations.push_back(wanted);
    }
  }
  return {};
}

std::string_view class_of(json::View claim) {
  constexpr std::string_view kBetaClass = "volume.beta.kubernetes.io/storage-class";
  const auto annotated = kube::annotation_of(claim, kBetaClass);
  return annotated.empty() ? claim.get("spec", "storageClassName").as_string() : annotated;
}

}  // namespace

kube::Answer<void> set_runtime_class(const AdmissionCall& call, const store::Snapshot& snapshot,
                                     json::Draft& pod) {
  auto& spec = pod.object_at("spec");
  const std::string name{text_at(spec, "runtimeClassName")};
  if (name.empty()) return {};
  const auto found = snapshot.find(std::string{kRuntimeClasses} + "/" + name);
  if (!found) return refused(call, "pod rejected: RuntimeClass \"" + name + "\" not found");
  const json::View fixed = found->body.get("overhead", "podFixed");
  if (!fixed.is_null()) {
    const json::Draft* given = spec.find("overhead");
    if (given != nullptr && !given->empty() && !(*given == json::Draft{fixed})) {
      return refused(call,
                     "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    }
    spec["overhead"] = json::Draft{fixed};
  }
  return take_scheduling(call, found->body.get("scheduling"), spec);
}

kube::Answer<void> check_overhead(const AdmissionCall& call, const store::Snapshot& snapshot,
                                  json::View pod) {
  if (pod.get("spec", "overhead").is_null()) return {};  // an empty one is one
  const std::string name{pod.get("spec", "runtimeClassName").as_string()};
  const auto found =
      name.empty() ? store::RecordRef{} : snapshot.find(std::string{kRuntimeClasses} + "/" + name);
  if (found && !found->body.get("overhead").is_null()) return {};
  return refused(
      call, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
}

kube::Answer<void> check_claim_growth(const AdmissionCall& call, const store::Snapshot& snapshot,
                                      json::View claim, json::View old_claim) {
  const auto size = [](json::View from) {
    return kube::Quantity::parse(
        from.get("spec", "resources", "requests", "storage").as_string("0"));
  };
  const auto now = size(claim);
  const auto before = size(old_claim);
  if (!now || !before || !(*before < *now)) return {};
  if (old_claim.get("status", "phase").as_string() != "Bound") {
    return refused(call, "Only bound persistent volume claims can be expanded");
  }
  const std::string name{class_of(claim)};
  if (!name.empty() && name == class_of(old_claim)) {
    const auto found = snapshot.find(std::string{kStorageClasses} + "/" + name);
    if (found && found->body.get("allowVolumeExpansion").as_bool()) return {};
  }
  return refused(call,
                 "only dynamically provisioned pvc can be resized and the storageclass that "
                 "provisions the pvc must support resize");
}

kube::Answer<void> set_priority(const AdmissionCall& call, const store::Snapshot& snapshot,
                                json::Draft& pod) {
  auto& spec = pod.object_at("spec");
  const std::string name{text_at(spec, "priorityClassName")};
  store::RecordRef chosen;
  if (!name.empty()) {
    chosen = snapshot.find(std::string{kPriorityClasses} + "/" + name);
    if (!chosen) {
      return std::unexpected(kube::forbidden(call.resource.group_resource(), call.shown_name(),
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
        call.resource.group_resource(), call.shown_name(),
        "the integer value of priority (" + std::to_string(given->as_int()) +
            ") must not be provided in pod spec; priority admission controller computed " +
            std::to_string(value) + " from the given PriorityClass name"));
  }
  spec["priority"] = value;
  constexpr std::string_view kUsual = "PreemptLowerPriority";
  const std::string policy{chosen ? chosen->body.get("preemptionPolicy").as_string(kUsual)
                                  : kUsual};
  if (const json::Draft* given = spec.find("preemptionPolicy");
      given != nullptr && !given->is_null() && given->as_string() != policy) {
    return std::unexpected(kube::forbidden(
        call.resource.group_resource(), call.shown_name(),
        "the string value of PreemptionPolicy (" + std::string{given->as_string()} +
            ") must not be provided in pod spec; priority admission controller computed " + policy +
            " from the given PriorityClass name"));
  }
  spec["preemptionPolicy"] = policy;
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

namespace {

// The class that its annotation says is the default one; of several the newest.
store::RecordRef default_class(const store::Snapshot& snapshot, std::string_view classes,
                               std::string_view annotation) {
  store::RecordRef chosen;
  snapshot.scan(classes, {}, [&](const store::RecordRef& record) {
    const bool is_default = kube::annotation_of(record->body, annotation) == "true";
    if (is_default && (!chosen || chosen->created < record->created)) chosen = record;
    return true;
  });
  return chosen;
}

}  // namespace

void set_default_storage_class(const store::Snapshot& snapshot, json::Draft& claim) {
  auto& spec = claim.object_at("spec");
  if (spec.contains("storageClassName")) return;
  const json::Draft* legacy =
      claim.find("metadata", "annotations", "volume.beta.kubernetes.io/storage-class");
  if (legacy != nullptr) return;
  const auto chosen =
      default_class(snapshot, kStorageClasses, "storageclass.kubernetes.io/is-default-class");
  if (chosen) spec["storageClassName"] = kube::name_of(chosen->body);
}

void set_default_ingress_class(const store::Snapshot& snapshot, json::Draft& ingress) {
  auto& spec = ingress.object_at("spec");
  if (spec.contains("ingressClassName")) return;
  if (ingress.find("metadata", "annotations", "kubernetes.io/ingress.class") != nullptr) return;
  const auto chosen =
      default_class(snapshot, kIngressClasses, "ingressclass.kubernetes.io/is-default-class");
  if (chosen) spec["ingressClassName"] = kube::name_of(chosen->body);
}

void add_finalizer(json::Draft& object, std::string_view finalizer) {
  auto& finalizers = object.object_at("metadata").array_at("finalizers");
  const bool there = std::ranges::any_of(
      finalizers.elements(), [&](const json::Draft& one) { return one.as_string() == finalizer; });
  if (!there) finalizers.push_back(finalizer);
}

}  // namespace fixpoint::apiserver
