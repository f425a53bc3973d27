// SPDX-License-Identifier: Apache-2.0
#include "cluster/storage/claims.h"

#include "cluster/storage/match.h"
#include "cluster/storage/names.h"
#include "cluster/storage/relations.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace fixpoint::cluster::storage {
namespace {

using json::Draft;

Notice about(const json::Value& claim, Notice::Type type, std::string_view reason,
             std::string message) {
  return {
      .object = claim, .type = type, .reason = std::string{reason}, .message = std::move(message)};
}

Effect effect(apiserver::Request request) {
  return {.request = std::move(request), .done = std::nullopt, .refused = std::nullopt};
}

// The status of a claim in that phase, as far as it depends on its volume; nothing when it says so.
std::optional<Effect> status_effect(json::View claim, std::string_view phase, json::View volume) {
  const json::View status = claim.get("status");
  const bool new_phase = status.get("phase").as_string() != phase;
  auto wanted = Draft::object({
      {"phase", phase}
  });
  bool changes = new_phase;
  if (volume.is_null()) {
    for (const auto member : {"accessModes", "capacity", "currentVolumeAttributesClassName"}) {
      if (!status.contains(member)) continue;
      wanted[member] = Draft{};
      changes = true;
    }
  } else {
    const json::View modes = volume.get("spec", "accessModes");
    if (!(status.get("accessModes") == modes)) {
      wanted["accessModes"] = modes;
      changes = true;
    }
    // Later the two may differ on purpose: while the volume grows.
    if (new_phase) wanted["capacity"] = volume.get("spec", "capacity");
  }
  if (!changes) return std::nullopt;
  const auto patch = Draft::object({
                                       {"status", std::move(wanted)}
  })
                         .freeze();
  auto request = patch_request(kClaimResource, claim, patch);
  request.subresource = "status";
  return effect(std::move(request));
}

void add_status(Decision& decision, json::View claim, std::string_view phase, json::View volume) {
  if (auto status = status_effect(claim, phase, volume)) {
    decision.requests.push_back(*std::move(status));
  }
}

std::optional<Effect> keep_effect(json::View volume, json::View claim) {
  const json::View reference = volume.get("spec", "claimRef");
  if (kept_for(volume, claim) && !reference.get("uid").as_string().empty()) return std::nullopt;
  return effect(keep_request(volume, claim));
}

std::optional<Effect> complete_effect(json::View claim, json::View volume) {
  const auto known = kube::annotations_of(claim);
  const bool named = claim.get("spec", "volumeName").as_string() == kube::name_of(volume);
  if (named && known.contains(kBindCompleted)) return std::nullopt;
  auto annotations = Draft::object({
      {kBindCompleted, "yes"}
  });
  if (!named) annotations[kBoundByController] = "yes";
  const auto patch =
      Draft::object({
                        {"metadata", Draft::object({{"annotations", std::move(annotations)}})},
                        {"spec",     Draft::object({{"volumeName", kube::name_of(volume)}})  }
  })
          .freeze();
  return effect(patch_request(kClaimResource, claim, patch));
}

// Volume first: a claim that names a volume which is not its own would be lost.
Decision bind(json::View claim, json::View volume) {
  Decision decision;
  if (auto keep = keep_effect(volume, claim)) decision.requests.push_back(*std::move(keep));
  if (auto done = complete_effect(claim, volume)) decision.requests.push_back(*std::move(done));
  add_status(decision, claim, "Bound", volume);
  return decision;
}

Decision wait(const ClaimFacts& facts, std::optional<Notice> notice) {
  Decision decision;
  add_status(decision, facts.claim, "Pending", {});
  if (notice) decision.notices.push_back(*std::move(notice));
  return decision;
}

Decision lose(const ClaimFacts& facts, std::string_view reason, std::string message) {
  Decision decision;
  const bool news = facts.claim.get("status", "phase").as_string() != "Lost";
  add_status(decision, facts.claim, "Lost", {});
  if (news) {
    decision.notices.push_back(
        about(facts.claim, Notice::Type::Warning, reason, std::move(message)));
  }
  return decision;
}

Notice waiting_notice(const ClaimFacts& facts) {
  using Type = Notice::Type;
  const auto& pods = facts.waiting_pods;
  if (pods.empty()) {
    return about(facts.claim, Type::Normal, "WaitForFirstConsumer",
                 "waiting for first consumer to be created before binding");
  }
  const auto names = fmt::format("{}", fmt::join(pods, ","));
  return about(
      facts.claim, Type::Normal, "WaitForPodScheduled",
      fmt::format("waiting for {} {} to be scheduled", pods.size() == 1 ? "pod" : "pods", names));
}

Decision ask_provisioner(const ClaimFacts& facts) {
  const auto name = facts.storage_class.get("provisioner").as_string();
  if (facts.storage_class.is_null()) {
    return wait(facts, about(facts.claim, Notice::Type::Warning, "ProvisioningFailed",
                             fmt::format("storageclass.storage.k8s.io \"{}\" not found",
                                         class_of(facts.claim))));
  }
  if (name.starts_with("kubernetes.io/")) {
    return wait(facts, about(facts.claim, Notice::Type::Warning, "ProvisioningFailed",
                             fmt::format("no volume plugin matched name: {}", name)));
  }
  Decision decision;
  if (kube::annotation_of(facts.claim, kProvisioner) != name) {
    const auto patch =
        Draft::object(
            {
                {"metadata",
                 Draft::object({{"annotations", Draft::object({{kProvisioner, name},
                                                               {kOldProvisioner, name}})}})}
    })
            .freeze();
    decision.requests.push_back(effect(patch_request(kClaimResource, facts.claim, patch)));
    return decision;  // comes back with its own event
  }
  decision.notices.push_back(
      about(facts.claim, Notice::Type::Normal, "ExternalProvisioning",
            fmt::format("Waiting for a volume to be created either by the external provisioner "
                        "'{}' or manually by the system administrator. If volume creation is "
                        "delayed, please verify that the provisioner is running and correctly "
                        "registered.",
                        name)));
  return decision;
}

bool is_delayed(json::View storage_class) {
  return storage_class.get("volumeBindingMode").as_string() == "WaitForFirstConsumer";
}

bool waits_for_a_node(json::View claim, json::View storage_class) {
  return is_delayed(storage_class) && kube::annotation_of(claim, kSelectedNode).empty();
}

Decision find_volume(const ClaimFacts& facts) {
  const bool delayed = is_delayed(facts.storage_class);
  if (!facts.candidates.empty()) {
    const auto& best = facts.candidates.front();
    // Until a pod was given its node only a volume set aside for the claim is known to be right.
    if (!delayed || kept_for(best, facts.claim)) return bind(facts.claim, best);
  }
  if (!names_a_class(facts.claim) && !facts.default_class.empty()) {
    const auto patch =
        Draft::object({
                          {"spec", Draft::object({{"storageClassName", facts.default_class}})}
    })
            .freeze();
    Decision decision;
    decision.requests.push_back(effect(patch_request(kClaimResource, facts.claim, patch)));
    return decision;
  }
  if (waits_for_a_node(facts.claim, facts.storage_class)) {
    return wait(facts, waiting_notice(facts));
  }
  if (!class_of(facts.claim).empty()) return ask_provisioner(facts);
  return wait(facts,
              about(facts.claim, Notice::Type::Normal, "FailedBinding",
                    "no persistent volumes available for this claim and no storage class is set"));
}

// Why a volume that the claim asks for by name will not do; empty when it will.
std::string mismatch(json::View volume, json::View claim) {
  if (kube::being_deleted(volume)) {
    return fmt::format("the volume is marked for deletion \"{}\"", kube::name_of(volume));
  }
  if (capacity_of(volume) < requested_by(claim)) return "requested PV is too small";
  if (class_of(volume) != class_of(claim)) return "storageClassName does not match";
  if (volume.get("spec", "volumeMode").as_string("Filesystem") !=
      claim.get("spec", "volumeMode").as_string("Filesystem")) {
    return "incompatible volumeMode";
  }
  return has_modes(volume, claim) ? "" : "incompatible accessMode";
}

Decision take_named(const ClaimFacts& facts) {
  if (facts.volume.is_null()) return wait(facts, std::nullopt);
  if (kept_for(facts.volume, facts.claim)) return bind(facts.claim, facts.volume);
  const auto name = kube::name_of(facts.volume);
  if (facts.volume.get("spec", "claimRef").is_object()) {
    return wait(facts,
                about(facts.claim, Notice::Type::Warning, "FailedBinding",
                      fmt::format("volume \"{}\" already bound to a different claim.", name)));
  }
  if (const auto why = mismatch(facts.volume, facts.claim); !why.empty()) {
    return wait(facts, about(facts.claim, Notice::Type::Warning, "VolumeMismatch",
                             fmt::format("Cannot bind to requested volume \"{}\": {}", name, why)));
  }
  return bind(facts.claim, facts.volume);
}

Decision check_bound(const ClaimFacts& facts) {
  if (facts.claim.get("spec", "volumeName").as_string().empty()) {
    return lose(facts, "ClaimLost",
                "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  }
  if (facts.volume.is_null()) {
    return lose(facts, "ClaimLost",
                "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  }
  const json::View reference = facts.volume.get("spec", "claimRef");
  if (reference.is_object() && reference.get("uid").as_string() != kube::uid_of(facts.claim)) {
    return lose(facts, "ClaimMisbound",
                "Two claims are bound to the same volume, this one is bound incorrectly");
  }
  return bind(facts.claim, facts.volume);
}

json::Value body_of(const store::RecordRef& record) {
  return record ? record->body : json::Value{};
}

std::string default_class_in(const Reader& reader) {
  std::string name;
  std::string created;
  for (const auto& record : reader.all(kClasses, "")) {
    if (kube::annotation_of(record->body, kDefaultClass) != "true") continue;
    const auto when = kube::creation_timestamp_of(record->body);
    if (!name.empty() && when <= created) continue;
    name = kube::name_of(record->body);
    created = when;
  }
  return name;
}

std::vector<json::Value> candidates_in(const Reader& reader, json::View claim) {
  // The one made for it is there more often than not, and found without a search.
  const auto own = reader.find(kVolumes, "", fmt::format("pvc-{}", kube::uid_of(claim)));
  if (own && takes(own->body, claim)) return {own->body};
  std::vector<json::Value> found;
  const auto look_at = [&](Relation relation, std::string_view name) {
    for (const auto& record : reader.related(relation, name)) {
      if (takes(record->body, claim)) found.push_back(record->body);
    }
  };
  look_at(Relation::VolumeOfClaim, claim_name(kube::namespace_of(claim), kube::name_of(claim)));
  look_at(Relation::UnkeptVolume, class_of(claim));
  return candidates(found, claim);
}

std::vector<std::string> waiting_pods_in(const Reader& reader, json::View claim) {
  std::vector<std::string> names;
  const auto wanted = claim_name(kube::namespace_of(claim), kube::name_of(claim));
  for (const auto& record : reader.related(Relation::PodOfClaim, wanted)) {
    const json::View pod = record->body;
    if (pod.get("spec", "nodeName").as_string().empty()) names.emplace_back(kube::name_of(pod));
  }
  return names;
}

}  // namespace

Decision decide(const ClaimFacts& facts) {
  if (kube::annotations_of(facts.claim).contains(kBindCompleted)) return check_bound(facts);
  if (!facts.claim.get("spec", "volumeName").as_string().empty()) return take_named(facts);
  return find_volume(facts);
}

ClaimController::ClaimController()
    : KeyedController({
          .name = "persistentvolume-controller",
          .prefix = kClaims,
          .kind = {"", "PersistentVolumeClaim"},
          .children = {},
          .adopts = {},
          .follows = {kVolumes, kClasses},
}) {}

Decision ClaimController::pass(const Reader& reader, const Subject& subject, Instant) const {
  if (!subject.record) return {};
  ClaimFacts facts{.claim = subject.record->body};
  const auto named = facts.claim.get("spec", "volumeName").as_string();
  if (!named.empty()) {
    facts.volume = body_of(reader.find(kVolumes, "", named));
    return decide(facts);
  }
  if (!kube::annotations_of(facts.claim).contains(kBindCompleted)) {
    facts.storage_class = body_of(reader.find(kClasses, "", class_of(facts.claim)));
    if (!names_a_class(facts.claim)) facts.default_class = default_class_in(reader);
    facts.candidates = candidates_in(reader, facts.claim);
    if (waits_for_a_node(facts.claim, facts.storage_class)) {
      facts.waiting_pods = waiting_pods_in(reader, facts.claim);
    }
  }
  return decide(facts);
}

// A volume is the business of the claim it is kept for; a free one may be anybody's.
void ClaimController::map(const store::Event& event, const Reader& reader, KeyQueue& keys) const {
  const auto parts = split_key(event.key());
  // In the order of their keys, whichever way they are found.
  const auto wake_unbound = [&](std::string_view wanted) {
    std::set<std::string> unbound;
    for (const auto name : {wanted, kAnyClass}) {
      for (const auto& record : reader.related(Relation::UnboundClaim, name)) {
        unbound.insert(record->key);
      }
    }
    for (const auto& one : unbound) keys.add(one);
  };
  if (parts.prefix == kClasses) return wake_unbound(parts.name);
  for (const auto& record : {event.before, event.after}) {
    if (!record) continue;
    const json::View reference = record->body.get("spec", "claimRef");
    if (reference.is_object()) {
      keys.add(key(reference.get("namespace").as_string(), reference.get("name").as_string()));
    }
  }
  const bool freed = event.after && !event.after->body.get("spec", "claimRef").is_object() &&
                     event.after->body.get("status", "phase").as_string() == "Available";
  if (freed) wake_unbound(class_of(event.after->body));
  if (event.after && event.before &&
      event.after->body.get("spec") == event.before->body.get("spec")) {
    return;
  }
  for (const auto& record : reader.related(Relation::ClaimOfVolume, parts.name)) {
    keys.add(record->key);
  }
}

}  // namespace fixpoint::cluster::storage
