// SPDX-License-Identifier: Apache-2.0
//
// What is removed when a node goes, and in which order: the mesh's policies, then everything that
// leads to the workload, the workload, and last the data. The runtime takes the finalizer off when
// a live list shows that nothing is left.
#include "operators/stellar/decide.h"
#include "operators/stellar/observe.h"

#include <algorithm>
#include <string>

namespace fixpoint::operators::stellar {
namespace {

using runtime::DeleteStep;
using runtime::Plan;

bool is_mesh(const ChildKind& kind) {
  return kind.api_version.find("istio.io") != std::string_view::npos ||
         kind.api_version.find("linkerd.io") != std::string_view::npos;
}

void leave(Plan& plan, const OwnedObject& object) {
  plan.left_behind.push_back({object.kind->gvk(), object.key});
}

void remove(Plan& plan, std::vector<std::string> after, const OwnedObject& object) {
  const bool workload = object.kind == &kinds::kStatefulSet || object.kind == &kinds::kDeployment;
  auto& branch =
      plan.branch(std::string{object.kind->kind} + "/" + object.key.name, std::move(after));
  // Of a workload only its pods being gone means that it is.
  branch.steps.emplace_back(DeleteStep{
      .target = {object.kind->gvk(), object.key},
      .uid = object.uid,
      .propagation = workload ? client::Propagation::Foreground : client::Propagation::Background
  });
}

// A claim that shall stay must not carry our reference when we are gone.
void release(Plan& plan, const Node& node, const Facts& facts) {
  plan.branch("release claim")
      .steps.emplace_back(runtime::PatchStep{
          .target = {kinds::kClaim.gvk(), key_of(node, "-data")},
          .uid = facts.claim.uid,
          .body =
              runtime::object({{"metadata", runtime::object({{"ownerReferences", json::Draft{}}})}}
            )
                  .freeze()
  });
}

}  // namespace

runtime::Plan cleanup(const Node& node, const Facts& facts) {
  Plan plan;
  // Said before the first thing goes: else Running is shown while children vanish.
  if (facts.published.phase != Phase::Terminating) {
    plan.emit(runtime::EventType::Normal, "FinalizerCleanupStarted",
              "removing what belongs to the node");
    plan.branches.back().steps.emplace_back(
        runtime::WaitStep{.reason = "Announced",
                          .message = "the deletion is announced first",
                          .again = Duration::zero()});
    return plan;
  }
  const bool retain = node.spec.storage.retention_policy == RetentionPolicy::Retain;
  if (facts.claim.exists && facts.claim.owned && retain) release(plan, node, facts);
  std::vector<std::string> policies;
  for (const auto& object : facts.owned) {
    if (!is_mesh(*object.kind)) continue;
    if (facts.leaves_behind(object)) {
      leave(plan, object);
      continue;
    }
    remove(plan, {}, object);
    policies.push_back(plan.branches.back().name);
  }
  std::vector<std::string> before = policies;
  for (const auto& object : facts.owned) {
    if (is_mesh(*object.kind)) continue;
    if (facts.leaves_behind(object)) {
      leave(plan, object);
      continue;
    }
    remove(plan, policies, object);
    before.push_back(plan.branches.back().name);
  }
  if (facts.claim.exists && facts.claim.owned && !retain) {
    const OwnedObject data{&kinds::kClaim, key_of(node, "-data"), facts.claim.uid};
    if (facts.leaves_behind(data)) {
      leave(plan, data);
    } else {
      remove(plan, std::move(before), data);
    }
  }
  return plan;
}

}  // namespace fixpoint::operators::stellar
