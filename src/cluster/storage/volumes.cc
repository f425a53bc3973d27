// SPDX-License-Identifier: Apache-2.0
#include "cluster/storage/volumes.h"

#include "cluster/storage/match.h"
#include "cluster/storage/names.h"
#include "cluster/storage/relations.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <fmt/format.h>

namespace fixpoint::cluster::storage {
namespace {

using json::Draft;

Decision phase(json::View volume, std::string_view wanted) {
  Decision decision;
  if (volume.get("status", "phase").as_string() == wanted) return decision;
  const auto patch = Draft::object({
                                       {"status", Draft::object({{"phase", wanted}})}
  })
                         .freeze();
  auto request = patch_request(kVolumeResource, volume, patch);
  request.subresource = "status";
  decision.requests.push_back({.request = std::move(request)});
  return decision;
}

// A failure to reclaim stays in sight while that is tried again.
Decision release(json::View volume) {
  if (volume.get("status", "phase").as_string() == "Failed") return {};
  return phase(volume, "Released");
}

// The claim went elsewhere: the volume is free again, or waits for the claim a person named.
Decision unbind(json::View volume) {
  Draft made{volume};
  auto& metadata = made.object_at("metadata");
  if (kube::annotations_of(volume).contains(kBoundByController)) {
    made.object_at("spec").erase("claimRef");
    metadata.object_at("annotations").erase(kBoundByController);
    if (metadata.object_at("annotations").empty()) metadata.erase("annotations");
  } else {
    made.object_at("spec").object_at("claimRef").erase("uid");
  }
  const json::Value body = made.freeze();
  Decision decision;
  decision.requests.push_back({.request = update_request(kVolumeResource, body)});
  return decision;
}

Decision mode_mismatch(const VolumeFacts& facts) {
  const auto about = [](const json::Value& object, std::string message) {
    return Notice{.object = object,
                  .type = Notice::Type::Warning,
                  .reason = "VolumeMismatch",
                  .message = std::move(message)};
  };
  Decision decision;
  decision.notices.push_back(about(
      facts.volume, fmt::format("Cannot bind PersistentVolume to requested PersistentVolumeClaim "
                                "\"{}\" due to incompatible volumeMode.",
                                kube::name_of(facts.claim))));
  decision.notices.push_back(
      about(facts.claim, fmt::format("Cannot bind PersistentVolume \"{}\" to requested "
                                     "PersistentVolumeClaim due to incompatible volumeMode.",
                                     kube::name_of(facts.volume))));
  return decision;
}

}  // namespace

Decision decide(const VolumeFacts& facts) {
  const json::View volume = facts.volume;
  const json::View reference = volume.get("spec", "claimRef");
  const auto uid = reference.get("uid").as_string();
  if (uid.empty()) return phase(volume, "Available");
  if (facts.claim.is_null() || kube::uid_of(facts.claim) != uid) return release(volume);
  const auto named = facts.claim.get("spec", "volumeName").as_string();
  if (named.empty())
    return mode_of(volume) == mode_of(facts.claim) ? Decision{} : mode_mismatch(facts);
  if (named == kube::name_of(volume)) return phase(volume, "Bound");
  const bool surplus = kube::annotations_of(volume).contains(kProvisionedBy) &&
                       volume.get("spec", "persistentVolumeReclaimPolicy").as_string() == "Delete";
  return surplus ? release(volume) : unbind(volume);
}

VolumeController::VolumeController()
    : KeyedController({
          .name = "persistentvolume-controller",
          .prefix = kVolumes,
          .kind = {"", "PersistentVolume"},
          .children = {},
          .adopts = {},
          .follows = {kClaims},
}) {}

Decision VolumeController::pass(const Reader& reader, const Subject& subject, Instant) const {
  if (!subject.record) return {};
  VolumeFacts facts{.volume = subject.record->body};
  const json::View reference = facts.volume.get("spec", "claimRef");
  if (reference.is_object()) {
    const auto claim = reader.find(kClaims, reference.get("namespace").as_string(),
                                   reference.get("name").as_string());
    if (claim) facts.claim = claim->body;
  }
  return decide(facts);
}

void VolumeController::map(const store::Event& event, const Reader& reader, KeyQueue& keys) const {
  for (const auto& record : {event.before, event.after}) {
    if (!record) continue;
    const auto name = record->body.get("spec", "volumeName").as_string();
    if (!name.empty()) keys.add(key("", name));
  }
  if (event.after || !event.before->body.get("spec", "volumeName").as_string().empty()) return;
  // It went before it was bound; a volume may have been kept for it all the same.
  const json::View claim = event.before->body;
  const auto name = claim_name(kube::namespace_of(claim), kube::name_of(claim));
  for (const auto& record : reader.related(Relation::VolumeOfClaim, name)) {
    const auto uid = record->body.get("spec", "claimRef", "uid").as_string();
    if (uid == kube::uid_of(claim)) keys.add(record->key);
  }
}

}  // namespace fixpoint::cluster::storage
