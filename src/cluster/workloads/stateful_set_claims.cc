// SPDX-License-Identifier: Apache-2.0
//
// The claims of a StatefulSet's places: made before their pod, owned as the retention policy says.
//
// whenDeleted: Delete makes the set their owner, whenScaled: Delete the pod of a place that is no
// more; garbage collection does the rest. Claims that somebody else controls are left alone.
#include "cluster/workloads/stateful_set_pass.h"
#include "kube/meta/metadata.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::cluster {
namespace {

using json::Draft;
using json::View;
using kube::OwnerReference;

const kube::GroupVersionResource kClaimResource{"", "v1", "persistentvolumeclaims"};

struct Policy {
  bool delete_when_deleted = false;
  bool delete_when_scaled = false;
};

Policy policy_of(View set) {
  const View policy = set.get("spec", "persistentVolumeClaimRetentionPolicy");
  return {.delete_when_deleted = policy.get("whenDeleted").as_string() == "Delete",
          .delete_when_scaled = policy.get("whenScaled").as_string() == "Delete"};
}

Draft new_claim(View set, View claim_template, std::int64_t ordinal) {
  Draft labels{kube::labels_of(claim_template)};
  if (!labels.is_object()) labels = Draft::object();
  for (const auto [key, value] : set.get("spec", "selector", "matchLabels").members()) {
    labels[key] = value;
  }
  auto metadata = Draft::object({
      {"name", claim_name(set, claim_template, ordinal)},
      {"namespace", kube::namespace_of(set)}
  });
  if (!labels.empty()) metadata["labels"] = std::move(labels);
  for (const std::string_view field : {"annotations", "finalizers"}) {
    const View value = claim_template.get("metadata", field);
    if (!value.empty()) metadata[field] = value;
  }
  return Draft::object({
      {"apiVersion", "v1"                      },
      {"kind",       "PersistentVolumeClaim"   },
      {"metadata",   std::move(metadata)       },
      {"spec",       claim_template.get("spec")}
  });
}

// The claims of a place that are there.
std::vector<store::RecordRef> present(const StatefulSetFacts& facts, std::int64_t ordinal) {
  std::vector<store::RecordRef> found;
  const View set = facts.set->body;
  for (const View claim : set.get("spec", "volumeClaimTemplates").elements()) {
    const auto known = facts.claims.find(claim_name(set, claim, ordinal));
    if (known != facts.claims.end()) found.push_back(known->second);
  }
  return found;
}

bool names(const OwnerReference& owner, View set) {
  return owner.api_version == "apps/v1" && owner.kind == "StatefulSet" &&
         owner.name == kube::name_of(set);
}

bool names(const OwnerReference& owner, View set, const Place& place) {
  return owner.api_version == "v1" && owner.kind == "Pod" &&
         owner.name == pod_name(set, place.ordinal);
}

// What the owners of a claim say, for one place.
struct Ownership {
  bool stale = false;      // of a set or pod of the same name that is gone
  bool foreign = false;    // somebody else controls it
  bool powerless = false;  // ours, but not as the controller
  bool by_set = false;
  bool by_pod = false;
};

Ownership ownership_of(View claim, View set, const Place& place) {
  Ownership found;
  for (const auto& owner : kube::owner_references_of(claim)) {
    const bool is_set = owner.uid == kube::uid_of(set);
    const bool is_pod = !place.pod_uid.empty() && owner.uid == place.pod_uid;
    found.by_set = found.by_set || is_set;
    found.by_pod = found.by_pod || is_pod;
    const bool controls = owner.controller.value_or(false);
    if ((is_set || is_pod) && !controls) found.powerless = true;
    if ((names(owner, set) && !is_set) || (names(owner, set, place) && !is_pod)) {
      found.stale = true;
    } else if (controls && !is_set && !is_pod) {
      found.foreign = true;
    }
  }
  const auto policy = policy_of(set);
  // Claims that are kept in any case may have any owner.
  if (!policy.delete_when_deleted && !policy.delete_when_scaled) found.foreign = false;
  return found;
}

bool set_should_own(View set, const Place& place) {
  const auto policy = policy_of(set);
  if (!policy.delete_when_deleted) return false;
  return !policy.delete_when_scaled || in_range(set, place.ordinal);
}

bool pod_should_own(View set, const Place& place) {
  return policy_of(set).delete_when_scaled && !in_range(set, place.ordinal);
}

bool up_to_date(View claim, View set, const Place& place) {
  const auto owners = ownership_of(claim, set, place);
  if (owners.stale) return true;
  if (owners.foreign) return !owners.by_set && !owners.by_pod;
  if (owners.powerless) return false;
  return owners.by_set == set_should_own(set, place) && owners.by_pod == pod_should_own(set, place);
}

OwnerReference pod_reference(View set, const Place& place) {
  return {.api_version = "v1",
          .kind = "Pod",
          .name = pod_name(set, place.ordinal),
          .uid = std::string{place.pod_uid},
          .controller = true,
          .block_owner_deletion = true};
}

json::Value with_owners(View claim, View set, const Place& place) {
  auto owners = Draft::array();
  for (const auto& owner : kube::owner_references_of(claim)) {
    if (!names(owner, set) && !names(owner, set, place)) owners.push_back(owner.to_json());
  }
  if (!ownership_of(claim, set, place).foreign) {
    if (set_should_own(set, place)) owners.push_back(kube::controller_reference(set).to_json());
    if (pod_should_own(set, place)) owners.push_back(pod_reference(set, place).to_json());
  }
  Draft changed{claim};
  auto& metadata = changed.object_at("metadata");
  if (owners.empty()) {
    metadata.erase("ownerReferences");
  } else {
    metadata["ownerReferences"] = std::move(owners);
  }
  return changed.freeze();
}

}  // namespace

ClaimTrouble trouble_with_claims(const StatefulSetFacts& facts, std::int64_t ordinal,
                                 std::string& leaving) {
  const View set = facts.set->body;
  const Place place{.ordinal = ordinal, .pod_uid = {}};
  for (const auto& claim : present(facts, ordinal)) {
    const bool of_old_pod =
        std::ranges::any_of(kube::owner_references_of(claim->body),
                            [&](const OwnerReference& owner) { return names(owner, set, place); });
    if (policy_of(set).delete_when_scaled && of_old_pod) return ClaimTrouble::Stale;
  }
  for (const auto& claim : present(facts, ordinal)) {
    if (!kube::being_deleted(claim->body)) continue;
    leaving = kube::name_of(claim->body);
    return ClaimTrouble::Leaving;
  }
  return ClaimTrouble::None;
}

void make_claims(const StatefulSetFacts& facts, std::int64_t ordinal, Decision& decision) {
  const View set = facts.set->body;
  for (const View claim : set.get("spec", "volumeClaimTemplates").elements()) {
    const auto name = claim_name(set, claim, ordinal);
    if (facts.claims.contains(name)) continue;
    const json::Value body = new_claim(set, claim, ordinal).freeze();
    const auto pod = pod_name(set, ordinal);
    decision.requests.push_back({
        .request = create_request(kClaimResource, body),
        .done = Notice{.object = set,
                       .reason = "SuccessfulCreate",
                       .message = fmt::format("create Claim {} Pod {} in StatefulSet {} success",
                       name, pod, kube::name_of(set))},
        .refused = Notice{.object = set,
                       .type = Notice::Type::Warning,
                       .reason = "FailedCreate",
                       .message = fmt::format(
                              "create Claim {} for Pod {} in StatefulSet {} failed error: {{}}", name, pod, kube::name_of(set))}
    });
  }
}

bool claims_match_policy(const StatefulSetFacts& facts, const Place& place) {
  return std::ranges::all_of(present(facts, place.ordinal), [&](const store::RecordRef& claim) {
    return up_to_date(claim->body, facts.set->body, place);
  });
}

void apply_policy(const StatefulSetFacts& facts, const Place& place, Decision& decision) {
  const View set = facts.set->body;
  for (const auto& claim : present(facts, place.ordinal)) {
    if (ownership_of(claim->body, set, place).foreign) {
      decision.notices.push_back(
          {.object = set,
           .type = Notice::Type::Warning,
           .reason = "ConflictingController",
           .message = fmt::format(
               "PersistentVolumeClaim {} has a conflicting OwnerReference that acts as a manging "
               "controller, the retention policy is ignored for this claim",
               kube::name_of(claim->body))});
    }
    if (up_to_date(claim->body, set, place)) continue;
    const json::Value body = with_owners(claim->body, set, place);
    decision.requests.push_back({.request = update_request(kClaimResource, body)});
  }
}

}  // namespace fixpoint::cluster
