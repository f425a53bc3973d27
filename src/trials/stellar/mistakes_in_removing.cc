// SPDX-License-Identifier: Apache-2.0
//
// Cases 3, 4, 7 and 8: finalizers that go too early, children that stay, what is somebody else's.
#include "kube/meta/metadata.h"
#include "operators/stellar/decide.h"
#include "runtime/typed.h"
#include "trials/stellar/mistakes.h"
#include "trials/stellar/picture.h"
#include "trials/stellar/plan_edits.h"

#include <string>

namespace fixpoint::trials::stellar {
namespace {

using operators::stellar::Facts;
using operators::stellar::Node;
using operators::stellar::Phase;
using runtime::DeleteStep;
using runtime::Plan;
using verify::world::Variant;
namespace branches = operators::stellar::branches;
namespace kinds = operators::stellar::kinds;

bool deletes_kind(const runtime::Branch& branch, std::string_view kind) {
  return std::ranges::any_of(branch.steps, [&](const runtime::Step& step) {
    const auto* gone = std::get_if<DeleteStep>(&step);
    return gone != nullptr && gone->target.kind.kind == kind;
  });
}

bool deletes_policy(const runtime::Branch& branch) {
  return deletes_kind(branch, "PeerAuthentication") || deletes_kind(branch, "DestinationRule") ||
         deletes_kind(branch, "VirtualService");
}

runtime::PatchStep without_finalizers(const Node& node) {
  return {
      .target = {kube::gvk_of(node.object), node.key},
      .uid = node.uid,
      .body = runtime::object({{"metadata", runtime::object({{"finalizers", json::Draft{}}})}}
        )
                  .freeze()
  };
}

void remove_claim(Plan& plan, const Node& node, const Facts& facts) {
  plan.branch("claim anyway");
  plan.remove({kinds::kClaim.gvk(), operators::stellar::key_of(node, "-data")}, facts.claim.uid);
}

void finalizer_too_early(std::vector<Variant>& all) {
  all.push_back(variant("ec3", "the finalizer goes whatever became of the children",
                        removing([](Plan& plan, const Node& node, const Facts&) {
                          plan.branch("finalizer").steps.emplace_back(without_finalizers(node));
                        })));
  all.push_back(variant("ec3", "the finalizer goes first",
                        removing([](Plan& plan, const Node& node, const Facts&) {
                          plan.branches.clear();
                          plan.branch("finalizer").steps.emplace_back(without_finalizers(node));
                        })));
  all.push_back(variant("ec3", "everything is left to the garbage collector",
                        removing([](Plan& plan, const Node&, const Facts& facts) {
                          if (facts.published.phase == Phase::Terminating) plan.branches.clear();
                        })));
  all.push_back(variant("ec3", "policies are not removed",
                        removing([](Plan& plan, const Node&, const Facts&) {
                          drop_branches_if(plan, deletes_policy);
                        })));
  all.push_back(variant(
      "ec3", "Services are not removed", removing([](Plan& plan, const Node&, const Facts&) {
        drop_branches_if(
            plan, [](const runtime::Branch& branch) { return deletes_kind(branch, "Service"); });
      })));
  all.push_back(variant("ec3", "the workload goes before its policies",
                        removing([](Plan& plan, const Node&, const Facts&) {
                          for (auto& branch : plan.branches) branch.after.clear();
                          std::ranges::reverse(plan.branches);
                        })));
  all.push_back(variant("ec3", "nothing is announced", seeing([](Facts& facts, const Node&) {
                          if (facts.deleting) facts.published.phase = Phase::Terminating;
                        })));
  all.push_back(variant("ec3", "it is announced for ever", seeing([](Facts& facts, const Node&) {
                          if (facts.deleting) facts.published.phase = Phase::Running;
                        })));
  all.push_back(variant("ec3", "pods outlive their workload",
                        removing([](Plan& plan, const Node&, const Facts&) {
                          for (auto& branch : plan.branches) {
                            for (auto& step : branch.steps) {
                              if (auto* gone = std::get_if<DeleteStep>(&step)) {
                                gone->propagation = client::Propagation::Background;
                              }
                            }
                          }
                        })));
  all.push_back(variant("ec3-retain", "a claim to be kept carries the node's reference",
                        planning([](Plan& plan, const Node&, const Facts&) {
                          change_applied(plan, "PersistentVolumeClaim", "", [](auto& step) {
                            step.ownership = runtime::Ownership::Owned;
                          });
                        })));
  all.push_back(variant("ec3-retain", "a claim to be kept is removed",
                        removing([](Plan& plan, const Node& node, const Facts& facts) {
                          if (facts.claim.exists) remove_claim(plan, node, facts);
                        })));
}

void edit_while_deleting(std::vector<Variant>& all) {
  all.push_back(variant(
      "ec4", "an edit is acted upon while it goes",
      removing([](Plan& plan, const Node& node, const Facts& facts) {
        for (const auto& object : facts.owned) {
          if (object.kind != &kinds::kConfigMap) continue;
          auto& branch = plan.branch("configure");
          branch.steps.emplace_back(runtime::PatchStep{
              .target = {object.kind->gvk(), object.key},
              .uid = object.uid,
              .body = runtime::object({{"data", runtime::object({{"version", node.spec.version}})}}
                )
                          .freeze()
          });
          std::rotate(plan.branches.begin(), plan.branches.end() - 1, plan.branches.end());
        }
      })));
  all.push_back(variant("ec4", "that it is being deleted is not seen",
                        seeing([](Facts& facts, const Node&) { facts.deleting = false; })));
  all.push_back(variant("ec4", "an edit begins the deletion anew",
                        removing([](Plan& plan, const Node& node, const Facts&) {
                          if (node.generation <= 2) return;
                          plan.branches.clear();
                          plan.wait("Announced", "the deletion is announced first");
                        }),
                        "edit=2"));
  all.push_back(variant("ec4", "only what the spec asks for now is removed",
                        removing([](Plan& plan, const Node& node, const Facts&) {
                          if (node.spec.alerting) return;
                          drop_branches_if(plan, [](const runtime::Branch& branch) {
                            return branch.name.ends_with("-alerts");
                          });
                        })));
}

void foreign_objects(std::vector<Variant>& all) {
  all.push_back(variant("ec7", "a namesake is written to by force",
                        planning([](Plan& plan, const Node&, const Facts&) {
                          change_applied(plan, "PersistentVolumeClaim", "", [](auto& step) {
                            step.ownership = runtime::Ownership::Shared;
                          });
                        })));
  all.push_back(
      variant("ec7", "a namesake is removed by its name",
              seeing([](Facts& facts, const Node&) { facts.claim.owned = facts.claim.exists; })));
  all.push_back(variant("ec7", "pods run on somebody else's data",
                        planning([](Plan& plan, const Node&, const Facts&) {
                          if (auto* branch = find_branch(plan, branches::kWorkload)) {
                            std::erase(branch->after, std::string{branches::kClaim});
                          }
                        })));
  all.push_back(
      variant("ec7", "a namesake counts as a child", believing([](const runtime::Outcome& outcome) {
                return outcome.reason == "OwnershipConflict";
              })));
  all.push_back(
      variant("ec7", "nobody is told of a namesake", {.outcomes = [](runtime::Outcomes& outcomes) {
                for (auto& outcome : outcomes.steps) {
                  if (outcome.reason == "OwnershipConflict") outcome.reason = "Refused";
                }
              }}));
  all.push_back(variant("ec7-moves", "a namesake is remembered for ever",
                        planning([](Plan& plan, const Node&, const Facts& facts) {
                          if (!facts.published.says("OwnershipConflict")) return;
                          plan.branches.clear();
                          plan.wait("OwnershipConflict", "a namesake");
                        })));
  all.push_back(variant("ec7-networks", "two networks share a namespace",
                        seeing([](Facts& facts, const Node&) { facts.other_network.clear(); })));
  all.push_back(variant("ec7-networks", "the older of two networks is refused",
                        seeing([](Facts& facts, const Node& node) {
                          facts.other_network = node.key.name == "alice" ? "bob" : "";
                        })));
}

void partition_during_cleanup(std::vector<Variant>& all) {
  all.push_back(variant("ec8", "after an error the finalizer goes",
                        removing([](Plan& plan, const Node& node, const Facts& facts) {
                          if (facts.published.phase != Phase::Terminating) return;
                          if (facts.owned.size() >= 5 || facts.owned.empty()) return;
                          plan.branches.clear();
                          plan.branch("finalizer").steps.emplace_back(without_finalizers(node));
                        })));
  all.push_back(variant("ec8", "a deletion that failed once is not tried again",
                        removing([](Plan& plan, const Node&, const Facts& facts) {
                          if (facts.published.phase != Phase::Terminating) return;
                          // Begun before: whatever is left was refused.
                          if (facts.owned.size() < 5) plan.branches.clear();
                        })));
  all.push_back(variant("ec8", "the claim stays when its pods are gone",
                        removing([](Plan& plan, const Node&, const Facts& facts) {
                          if (!facts.workload.exists) {
                            drop_branches_if(plan, [](const runtime::Branch& branch) {
                              return deletes_kind(branch, "PersistentVolumeClaim");
                            });
                          }
                        })));
}

}  // namespace

std::vector<Variant> mistakes_in_removing() {
  std::vector<Variant> all;
  finalizer_too_early(all);
  edit_while_deleting(all);
  foreign_objects(all);
  partition_during_cleanup(all);
  return all;
}

}  // namespace fixpoint::trials::stellar
