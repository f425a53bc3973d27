// SPDX-License-Identifier: Apache-2.0
#include "cluster/storage/match.h"

#include "cluster/decision.h"
#include "cluster/storage/names.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>

namespace fixpoint::cluster::storage {
namespace {

kube::Quantity storage_in(json::View amounts) {
  const auto amount = kube::Quantity::parse(amounts.get("storage").as_string("0"));
  return amount ? *amount : kube::Quantity{};
}

bool has_labels(json::View volume, json::View claim) {
  const json::View wanted = claim.get("spec", "selector");
  if (!wanted.is_object()) return true;
  const auto selector = kube::LabelSelector::from_object(wanted);
  return selector && selector->matches(kube::labels_of(volume));
}

json::Draft reference_to(json::View claim) {
  return json::Draft::object({
      {"apiVersion",      "v1"                            },
      {"kind",            "PersistentVolumeClaim"         },
      {"namespace",       kube::namespace_of(claim)       },
      {"name",            kube::name_of(claim)            },
      {"uid",             kube::uid_of(claim)             },
      {"resourceVersion", kube::resource_version_of(claim)}
  });
}

}  // namespace

std::string_view class_of(json::View object) {
  const auto old = kube::annotations_of(object).find("volume.beta.kubernetes.io/storage-class");
  return old ? old->as_string() : object.get("spec", "storageClassName").as_string();
}

std::string_view mode_of(json::View object) {
  return object.get("spec", "volumeMode").as_string("Filesystem");
}

kube::Quantity requested_by(json::View claim) {
  return storage_in(claim.get("spec", "resources", "requests"));
}

kube::Quantity capacity_of(json::View volume) {
  return storage_in(volume.get("spec", "capacity"));
}

bool kept_for(json::View volume, json::View claim) {
  const json::View reference = volume.get("spec", "claimRef");
  if (reference.get("name").as_string() != kube::name_of(claim) ||
      reference.get("namespace").as_string() != kube::namespace_of(claim)) {
    return false;
  }
  const auto uid = reference.get("uid").as_string();
  return uid.empty() || uid == kube::uid_of(claim);
}

bool has_modes(json::View volume, json::View claim) {
  const auto offered = volume.get("spec", "accessModes").elements();
  return std::ranges::all_of(claim.get("spec", "accessModes").elements(), [&](json::View wanted) {
    return std::ranges::any_of(offered, [&](json::View one) { return one == wanted; });
  });
}

bool suits(json::View volume, json::View claim) {
  return !kube::being_deleted(volume) && mode_of(volume) == mode_of(claim) &&
         class_of(volume) == class_of(claim) && has_modes(volume, claim) &&
         has_labels(volume, claim) &&
         volume.get("spec", "volumeAttributesClassName").as_string() ==
             claim.get("spec", "volumeAttributesClassName").as_string() &&
         capacity_of(volume) >= requested_by(claim);
}

bool takes(json::View volume, json::View claim) {
  // Most volumes are somebody's, and nothing else need be known of those.
  const bool kept = volume.get("spec", "claimRef").is_object();
  if (kept && !kept_for(volume, claim)) return false;
  return (kept || volume.get("status", "phase").as_string() == "Available") && suits(volume, claim);
}

std::vector<json::Value> candidates(const std::vector<json::Value>& volumes, json::View claim) {
  std::vector<json::Value> found;
  for (const auto& volume : volumes) {
    if (takes(volume, claim)) found.push_back(volume);
  }
  std::ranges::stable_sort(found, [&](const json::Value& a, const json::Value& b) {
    const bool kept_a = kept_for(a, claim);
    const bool kept_b = kept_for(b, claim);
    if (kept_a != kept_b) return kept_a;
    return capacity_of(a) < capacity_of(b);
  });
  return found;
}

apiserver::Request keep_request(json::View volume, json::View claim) {
  json::Draft kept{volume};
  kept.object_at("spec")["claimRef"] = reference_to(claim);
  // A volume that a person set aside for the claim stays theirs.
  if (!kept_for(volume, claim)) {
    kept.object_at("metadata").object_at("annotations")[kBoundByController] = "yes";
  }
  const json::Value body = kept.freeze();
  return update_request(kVolumeResource, body);
}

}  // namespace fixpoint::cluster::storage
