// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/claim.h"

#include "json/draft.h"
#include "kube/meta/metadata.h"

namespace fixpoint::cluster {
namespace {

using json::Draft;

Effect patched_owners(const kube::GroupVersionResource& resource, json::View child, Draft owners) {
  const auto patch =
      Draft::object({
                        {"metadata", Draft::object({{"ownerReferences", std::move(owners)}})}
  })
          .freeze();
  return {.request = patch_request(resource, child, patch),
          .tolerates = Effect::Tolerates::Absence};
}

Effect adopt(json::View owner, const kube::GroupVersionResource& resource, json::View child) {
  return patched_owners(resource, child,
                        Draft::array({kube::controller_reference(owner).to_json()}));
}

// A refusal means that somebody else let go of it, or that it is another object by now.
Effect release(json::View owner, const kube::GroupVersionResource& resource, json::View child) {
  auto effect =
      patched_owners(resource, child,
                     Draft::array({
                         Draft::object({{"$patch", "delete"}, {"uid", kube::uid_of(owner)}}
                         )
  }));
  effect.tolerates = Effect::Tolerates::Anything;
  return effect;
}

}  // namespace

Claim claim(json::View owner, const kube::GroupVersionResource& resource,
            const std::vector<store::RecordRef>& candidates,
            const std::function<bool(json::View)>& selects) {
  Claim made;
  const bool leaving = kube::being_deleted(owner);
  for (const auto& child : candidates) {
    const bool wanted = selects(child->body);
    // To be named as an owner is not to be the controller: such a child is an orphan, too.
    const auto controller = kube::controller_of(child->body);
    if (controller && controller->uid == kube::uid_of(owner)) {
      if (wanted) {
        made.children.push_back(child);
      } else if (!leaving) {
        made.effects.push_back(release(owner, resource, child->body));
      }
    } else if (!controller && wanted && !leaving && !kube::being_deleted(child->body)) {
      made.children.push_back(child);
      made.effects.push_back(adopt(owner, resource, child->body));
    }
  }
  return made;
}

}  // namespace fixpoint::cluster
