// SPDX-License-Identifier: Apache-2.0
#include "cluster/storage/relations.h"

#include "cluster/storage/match.h"
#include "cluster/storage/names.h"
#include "cluster/storage/pod_claims.h"
#include "kube/meta/metadata.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::cluster::storage {
namespace {

std::vector<Related> of_pod(json::View pod) {
  std::vector<Related> found;
  const auto ns = kube::namespace_of(pod);
  for (const auto& claim : claims_of(pod)) {
    found.push_back({Relation::PodOfClaim, claim_name(ns, claim.name)});
  }
  return found;
}

Related of_volume(json::View volume) {
  const json::View reference = volume.get("spec", "claimRef");
  if (!reference.is_object()) return {Relation::UnkeptVolume, std::string{class_of(volume)}};
  return {Relation::VolumeOfClaim,
          claim_name(reference.get("namespace").as_string(), reference.get("name").as_string())};
}

Related of_claim(json::View claim) {
  const auto volume = claim.get("spec", "volumeName").as_string();
  if (!volume.empty()) return {Relation::ClaimOfVolume, std::string{volume}};
  return {Relation::UnboundClaim, std::string{names_a_class(claim) ? class_of(claim) : kAnyClass}};
}

}  // namespace

bool has_relations(std::string_view key) {
  return std::ranges::any_of(kRelatedKinds,
                             [&](std::string_view kind) { return key.starts_with(kind); });
}

std::vector<Related> relations_of(std::string_view key, json::View object) {
  if (key.starts_with(kPods)) return of_pod(object);
  if (key.starts_with(kVolumes)) return {of_volume(object)};
  if (key.starts_with(kClaims)) return {of_claim(object)};
  return {};
}

std::string claim_name(std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}", ns, name);
}

bool names_a_class(json::View claim) {
  return claim.get("spec").contains("storageClassName") ||
         kube::annotations_of(claim).contains("volume.beta.kubernetes.io/storage-class");
}

}  // namespace fixpoint::cluster::storage
