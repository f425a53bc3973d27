// SPDX-License-Identifier: Apache-2.0
#include "cluster/storage/ephemeral_volumes.h"

#include "cluster/decision.h"
#include "cluster/storage/names.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::cluster::storage {
namespace {

json::Value new_claim(json::View pod, const PodClaim& claim) {
  const json::View given = claim.made_from.get("metadata");
  auto metadata = json::Draft::object({
      {"name",            claim.name                                               },
      {"namespace",       kube::namespace_of(pod)                                  },
      {"ownerReferences",
       json::Draft::array({json::Draft{kube::controller_reference(pod).to_json()}})}
  });
  for (const auto* part : {"labels", "annotations"}) {
    if (!given.get(part).is_null()) metadata[part] = given.get(part);
  }
  return json::Draft::object(
             {
                 {"metadata", std::move(metadata)        },
                 {"spec",     claim.made_from.get("spec")}
  })
      .freeze();
}

}  // namespace

void EphemeralVolumes::begin(Api& api) {
  api.latest().scan(kPods, {}, [&](const store::RecordRef& record) {
    consider(record);
    return true;
  });
}

void EphemeralVolumes::consider(const store::RecordRef& record) {
  if (kube::being_deleted(record->body)) return;
  if (std::ranges::any_of(claims_of(record->body), &PodClaim::is_ephemeral)) {
    pods_.add(record->key);
  }
}

void EphemeralVolumes::observe(const store::Event& event) {
  if (event.key().starts_with(kPods) && event.after) return consider(event.after);
  if (!event.key().starts_with(kClaims) || event.after) return;
  // A claim that went may be one that a living pod still wants.
  const auto owner = kube::controller_of(event.before->body);
  if (!owner || owner->kind != "Pod") return;
  pods_.add(fmt::format("{}{}/{}", kPods, kube::namespace_of(event.before->body), owner->name));
}

bool EphemeralVolumes::step(Api& api) {
  while (auto due = deadlines_.take(api.now())) pods_.add(*std::move(due));
  const auto key = pods_.take();
  if (!key) return false;
  const auto record = api.latest().find(*key);
  if (!record || kube::being_deleted(record->body)) return true;
  for (const PodClaim& claim : claims_of(record->body)) {
    if (!claim.is_ephemeral()) continue;
    const auto problem = make(api, record->body, claim);
    if (problem.empty()) continue;
    recorder_.tell(api, {.object = record->body,
                         .type = Notice::Type::Warning,
                         .reason = "FailedBinding",
                         .message = fmt::format("ephemeral volume {}: {}", claim.volume, problem)});
    deadlines_.set(*key, api.now() + kTryAgain);
  }
  return true;
}

std::string EphemeralVolumes::make(Api& api, json::View pod, const PodClaim& claim) {
  const auto ns = kube::namespace_of(pod);
  if (const auto there = api.latest().find(fmt::format("{}{}/{}", kClaims, ns, claim.name))) {
    if (kube::owned_by(there->body, kube::uid_of(pod))) return {};
    return fmt::format("PVC {0}/{1} was not created for pod {0}/{2} (pod is not owner)", ns,
                       claim.name, kube::name_of(pod));
  }
  const json::Value wanted = new_claim(pod, claim);
  const auto made = api.call(create_request(kClaimResource, wanted));
  if (made.ok()) return {};
  return fmt::format("create PVC {}: {}", claim.name, made.body.get("message").as_string());
}

}  // namespace fixpoint::cluster::storage
