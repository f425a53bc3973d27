// SPDX-License-Identifier: Apache-2.0
//
// Cases 1, 2, 10 and 11: children that are made too late, too early, never, or of another spec.
#include "kube/meta/metadata.h"
#include "operators/stellar/decide.h"
#include "trials/stellar/mistakes.h"
#include "trials/stellar/plan_edits.h"

#include <string>

namespace fixpoint::trials::stellar {
namespace {

using operators::stellar::Facts;
using operators::stellar::kGenerationAnnotation;
using operators::stellar::Node;
using runtime::Outcomes;
using runtime::Plan;
using verify::world::Variant;
namespace branches = operators::stellar::branches;

void set_generation(runtime::ApplyStep& step, std::string_view generation) {
  edit_object(step, [&](json::Draft& object) {
    object.object_at("metadata").object_at("annotations")[kGenerationAnnotation] = generation;
  });
}

void partial_creation(std::vector<Variant>& all) {
  all.push_back(variant("ec1", "nothing more is made once the claim is there",
                        planning([](Plan& plan, const Node&, const Facts& facts) {
                          if (facts.claim.exists) plan.branches.clear();
                        })));
  all.push_back(variant("ec10", "a failed step counts as done",
                        believing([](const auto&) { return true; }), "error=1"));
  all.push_back(variant("ec10", "Services are made in the first pass only",
                        planning([](Plan& plan, const Node&, const Facts& facts) {
                          if (facts.workload.exists) drop_branch(plan, "services");
                        })));
  all.push_back(variant("ec1", "the headless Service is forgotten",
                        planning([](Plan& plan, const Node&, const Facts&) {
                          drop_applied(plan, "Service", "-headless");
                        })));
  all.push_back(variant("ec1", "the policy is made after the pods only",
                        planning([](Plan& plan, const Node&, const Facts& facts) {
                          if (!facts.workload.settled) drop_applied(plan, "NetworkPolicy", "");
                        })));
  all.push_back(variant("ec1", "a child does not say what it was made from",
                        planning([](Plan& plan, const Node&, const Facts&) {
                          change_applied(plan, "StatefulSet", "",
                                         [](auto& step) { set_generation(step, "0"); });
                        })));
  all.push_back(variant("ec1", "a claim with every pass",
                        planning([](Plan& plan, const Node& node, const Facts&) {
                          change_applied(plan, "PersistentVolumeClaim", "", [&](auto& step) {
                            edit_object(step, [&](json::Draft& object) {
                              object.object_at("metadata")["name"] =
                                  "data-" + std::string{kube::resource_version_of(node.object)};
                            });
                          });
                        })));
}

void mesh_before_workload(std::vector<Variant>& all) {
  all.push_back(variant(
      "ec2", "policies before the workload", planning([](Plan& plan, const Node&, const Facts&) {
        auto* mesh = find_branch(plan, branches::kMesh);
        if (mesh == nullptr) return;
        mesh->after.clear();
        std::rotate(plan.branches.begin(), plan.branches.begin() + (mesh - plan.branches.data()),
                    plan.branches.begin() + (mesh - plan.branches.data()) + 1);
      })));
  all.push_back(variant("ec2-unwell", "policies only once the node is well",
                        planning([](Plan& plan, const Node&, const Facts& facts) {
                          if (!facts.health || !facts.health->healthy()) {
                            drop_branch(plan, branches::kMesh);
                          }
                        })));
  all.push_back(
      variant("ec2", "one policy is forgotten", planning([](Plan& plan, const Node&, const Facts&) {
                drop_applied(plan, "DestinationRule", "");
              })));
  all.push_back(variant("ec2", "policies that nobody asks for any more stay",
                        planning([](Plan& plan, const Node&, const Facts&) {
                          drop_branches_if(plan, [](const runtime::Branch& branch) {
                            return branch.name.starts_with("remove ");
                          });
                        })));
  all.push_back(variant("ec2-mesh-goes", "a kind that is missing takes the other policies along",
                        planning([](Plan& plan, const Node&, const Facts& facts) {
                          if (facts.serves(operators::stellar::kinds::kDestinationRule)) return;
                          drop_applied(plan, "VirtualService", "");
                          for (const auto& object : facts.owned) {
                            if (object.kind != &operators::stellar::kinds::kVirtualService)
                              continue;
                            plan.branch("remove VirtualService/" + object.key.name);
                            plan.remove({object.kind->gvk(), object.key}, object.uid);
                          }
                        })));
  all.push_back(variant("ec2-no-mesh", "policies of a mesh that is not there",
                        {.facts = [](Facts& facts, const Node&, const runtime::Reader&) {
                          facts.not_served.clear();
                          return true;
                        }}));
  all.push_back(variant("ec2-no-mesh", "Running although the mesh is missing",
                        believing([](const runtime::Outcome& outcome) {
                          return outcome.reason == "FeatureUnavailable";
                        })));
  all.push_back(variant("ec2-no-mesh", "without the mesh nothing is made",
                        planning([](Plan& plan, const Node&, const Facts& facts) {
                          if (!facts.not_served.empty()) {
                            plan.branches.clear();
                            plan.wait("FeatureUnavailable", "no mesh");
                          }
                        })));
}

void edit_during_a_pass(std::vector<Variant>& all) {
  all.push_back(variant("ec10", "an edit does not reach the workload",
                        planning([](Plan& plan, const Node&, const Facts& facts) {
                          if (!facts.workload.exists) return;
                          drop_applied(plan, "Deployment", "");
                          drop_branches_if(plan, [](const runtime::Branch& branch) {
                            return branch.name.starts_with("remove ");
                          });
                        })));
  all.push_back(variant("ec10", "the image stays what it was first",
                        {.node = [](Node& node) { node.spec.version = "22.1.0"; }}));
  all.push_back(variant(
      "ec10", "the first generation for ever", planning([](Plan& plan, const Node&, const Facts&) {
        for (const std::string_view kind : {"Deployment", "Service"}) {
          change_applied(plan, kind, "", [](auto& step) { set_generation(step, "1"); });
        }
      })));
  all.push_back(variant("ec10", "the configuration says the next generation",
                        planning([](Plan& plan, const Node& node, const Facts&) {
                          change_applied(plan, "ConfigMap", "-config", [&](auto& step) {
                            set_generation(step, std::to_string(node.generation + 1));
                          });
                        })));
  all.push_back(variant("ec10", "a changed child is taken for a settled one",
                        {.outcomes = [](Outcomes& outcomes) {
                          for (auto& outcome : outcomes.steps) outcome.object = nullptr;
                        }}));
}

void quota(std::vector<Variant>& all) {
  const auto exceeded = [](const runtime::Outcome& outcome) {
    return outcome.reason == runtime::kQuotaExceeded;
  };
  all.push_back(
      variant("ec11", "a quota is a failure for good", {.outcomes = [exceeded](Outcomes& outcomes) {
                for (auto& outcome : outcomes.steps) {
                  if (!exceeded(outcome)) continue;
                  outcome.error_class = runtime::ErrorClass::Permanent;
                }
              }}));
  all.push_back(variant("ec11", "a quota has no name", {.outcomes = [exceeded](Outcomes& outcomes) {
                          for (auto& outcome : outcomes.steps) {
                            if (exceeded(outcome)) outcome.reason = "Refused";
                          }
                        }}));
  all.push_back(variant("ec11", "what a quota refused counts as done", believing(exceeded)));
  all.push_back(variant("ec11-pods", "a quota on pods is not seen",
                        {.facts = [](Facts& facts, const Node&, const runtime::Reader&) {
                          facts.workload.pods_refused.clear();
                          return true;
                        }}));
  all.push_back(variant("ec11-pods", "pods that are refused are removed with their workload",
                        planning([](Plan& plan, const Node&, const Facts& facts) {
                          if (facts.workload.pods_refused.empty()) return;
                          drop_branch(plan, branches::kWorkload);
                          for (const auto& object : facts.owned) {
                            if (object.kind != &operators::stellar::kinds::kDeployment) continue;
                            plan.branch("again");
                            plan.remove({object.kind->gvk(), object.key}, object.uid);
                          }
                        })));
}

void mistakes_with_neighbours(std::vector<Variant>& all) {
  all.push_back(
      variant("neighbours", "whatever is in the namespace is its own",
              {.facts = [](Facts& facts, const Node& node, const runtime::Reader& reader) {
                const auto& kind = operators::stellar::kinds::kService;
                facts.owned.clear();
                for (const auto object : reader.list(kind.gvk(), node.key.ns)) {
                  facts.owned.push_back(
                      {&kind, kube::key_of(object), kube::Uid{std::string{kube::uid_of(object)}}});
                }
                return true;
              }}));
  all.push_back(variant("neighbours", "all nodes of a namespace share a configuration",
                        planning([](Plan& plan, const Node&, const Facts&) {
                          change_applied(plan, "ConfigMap", "-config", [](auto& step) {
                            edit_object(step, [](json::Draft& object) {
                              object.object_at("metadata")["name"] = "stellar-config";
                            });
                          });
                        })));
  all.push_back(variant("neighbours", "a namespace has room for one node",
                        seeing([](Facts& facts, const Node& node) {
                          if (node.key.name == "bob") facts.other_network = "alice";
                        })));
}

}  // namespace

std::vector<Variant> mistakes_in_making() {
  std::vector<Variant> all;
  edit_during_a_pass(all);
  partial_creation(all);
  mesh_before_workload(all);
  quota(all);
  mistakes_with_neighbours(all);
  return all;
}

}  // namespace fixpoint::trials::stellar
