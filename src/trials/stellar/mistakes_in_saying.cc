// SPDX-License-Identifier: Apache-2.0
//
// Cases 5, 6, 9 and 12: what is said of a node that is silent, refused, at rest, or not well.
#include "kube/meta/metadata.h"
#include "operators/stellar/decide.h"
#include "runtime/typed.h"
#include "trials/stellar/mistakes.h"
#include "trials/stellar/plan_edits.h"

#include <string>

namespace fixpoint::trials::stellar {
namespace {

using operators::stellar::Facts;
using operators::stellar::Health;
using operators::stellar::Node;
using operators::stellar::Phase;
using runtime::Plan;
using verify::world::Variant;
using Verdict = Mistake::Verdict;
using Judged = operators::stellar::Verdict;

bool is_silent(const Facts& facts) {
  return facts.health && facts.health->verdict == Judged::Unknown;
}

void set_health(Facts& facts, Judged verdict, std::string reason) {
  Health health;
  health.verdict = verdict;
  health.reason = std::move(reason);
  health.message = "as if";
  facts.health = health;
}

bool was_running(const Facts& facts) {
  return facts.published.phase == Phase::Running;
}

void drop_condition(Verdict& verdict, std::string_view type) {
  std::erase_if(verdict.conditions, [&](const auto& condition) { return condition.type == type; });
}

void slow_health_check(std::vector<Variant>& all) {
  all.push_back(variant("ec5", "no answer means not synced", seeing([](Facts& facts, const Node&) {
                          if (is_silent(facts)) set_health(facts, Judged::Unhealthy, "NoAnswer");
                        })));
  all.push_back(variant("ec5", "no answer is a good answer", seeing([](Facts& facts, const Node&) {
                          if (is_silent(facts)) set_health(facts, Judged::Healthy, "Synced");
                        })));
  all.push_back(variant("ec5", "an answer is waited for, for ever",
                        {.facts = [](Facts& facts, const Node&, const runtime::Reader&) {
                          return !is_silent(facts);
                        }}));
  all.push_back(variant("ec5", "a node that does not answer has failed",
                        saying([](Verdict& verdict, const Facts& facts) {
                          if (is_silent(facts)) verdict.status.phase = "Failed";
                        })));
  all.push_back(variant("ec5", "nobody is told of the silence",
                        saying([](Verdict& verdict, const Facts& facts) {
                          if (is_silent(facts)) drop_condition(verdict, "Available");
                        })));
  all.push_back(variant("ec5", "a silent node is not let go",
                        removing([](Plan& plan, const Node&, const Facts& facts) {
                          if (!facts.published.silent_since) return;
                          plan.branches.clear();
                          plan.wait("NoAnswer", "it may still be at work");
                        })));
}

void refused_spec(std::vector<Variant>& all) {
  all.push_back(variant("ec6", "specs are not checked",
                        {.check = [](kube::FieldErrors& errors) { errors.clear(); }}));
  all.push_back(variant("ec6", "a refused spec stays Running",
                        {.rejection = [](Verdict& verdict) { verdict.status.phase = "Running"; }}));
  all.push_back(
      variant("ec6", "a refused spec counts as valid",
              {.rejection = [](Verdict& verdict) { drop_condition(verdict, "SpecValid"); }}));
  all.push_back(variant("ec6", "nobody is told what is wrong with a spec",
                        {.rejection = [](Verdict& verdict) { verdict.status.message.clear(); }}));
}

void bounded_work(std::vector<Variant>& all) {
  all.push_back(variant("ec9", "the status is another with every pass",
                        saying([](Verdict& verdict, const Facts& facts) {
                          if (was_running(facts)) verdict.status.phase = "Syncing";
                        })));
  all.push_back(
      variant("ec9", "pods are restarted with every pass", seeing([](Facts& facts, const Node&) {
                facts.secrets_stamp = was_running(facts) ? "seen" : "new";
              })));
  all.push_back(variant(
      "ec9", "it notes on the node that it was there",
      planning([](Plan& plan, const Node& node, const Facts&) {
        const bool odd = kube::annotation_of(node.object, "stellar.org/seen") == "a";
        plan.branch("note").steps.emplace_back(runtime::PatchStep{
            .target = {kube::gvk_of(node.object), node.key},
            .uid = node.uid,
            .body = runtime::object(
                        {{"metadata", runtime::object({{"annotations",
                                                        runtime::object({{"stellar.org/seen",
                                                                          odd ? "b" : "a"}})}})}}
              )
                        .freeze()
        });
      })));
  all.push_back(variant("ec9", "a child is made and removed by turns",
                        planning([](Plan& plan, const Node&, const Facts& facts) {
                          for (const auto& object : facts.owned) {
                            if (!object.key.name.ends_with("-headless")) continue;
                            drop_applied(plan, "Service", "-headless");
                            plan.branch("tidy");
                            plan.remove({object.kind->gvk(), object.key}, object.uid);
                          }
                        })));
}

void stale_status(std::vector<Variant>& all) {
  all.push_back(variant("ec12", "what the status said before is believed",
                        seeing([](Facts& facts, const Node&) {
                          if (was_running(facts)) set_health(facts, Judged::Healthy, "Synced");
                        })));
  all.push_back(variant("ec1", "a status of this generation needs no look",
                        planning([](Plan& plan, const Node& node, const Facts&) {
                          const auto status = node.object.get("status");
                          if (status.get("observedGeneration").as_int() == node.generation) {
                            plan.branches.clear();
                          }
                        })));
  all.push_back(variant("ec12", "Running is kept whatever the node says",
                        saying([](Verdict& verdict, const Facts& facts) {
                          if (was_running(facts) && !facts.deleting) {
                            verdict.status.phase = "Running";
                          }
                        })));
  all.push_back(
      variant("ec12", "a closed port is only silence", seeing([](Facts& facts, const Node&) {
                if (facts.health && facts.health->reason == "Unreachable") {
                  set_health(facts, Judged::Unknown, "NoAnswer");
                }
              })));
  all.push_back(variant("ec12", "catching up is as good as being there",
                        seeing([](Facts& facts, const Node&) {
                          if (facts.health && facts.health->reason == "Syncing") {
                            set_health(facts, Judged::Healthy, "Synced");
                          }
                        })));
  // It takes a node that gets unwell, and well again.
  all.push_back(variant("ec12", "once Degraded, always Degraded",
                        seeing([](Facts& facts, const Node&) {
                          if (facts.published.phase == Phase::Degraded) {
                            set_health(facts, Judged::Unhealthy, "Unreadable");
                          }
                        }),
                        "crash=0,flap=2"));
  all.push_back(variant("ec12", "where it was is forgotten", seeing([](Facts& facts, const Node&) {
                          if (!facts.deleting) facts.published.phase = Phase::Pending;
                        })));
  all.push_back(variant("ec12", "Ready says what the phase does not",
                        saying([](Verdict& verdict, const Facts&) {
                          for (auto& condition : verdict.conditions) {
                            if (condition.type == "Ready" && !condition.unknown) {
                              condition.is_true = true;
                            }
                          }
                        })));
  all.push_back(variant("ec12", "a phase that the table does not have next",
                        saying([](Verdict& verdict, const Facts& facts) {
                          if (was_running(facts) && verdict.status.phase != "Running" &&
                              !facts.deleting) {
                            verdict.status.phase = "Pending";
                          }
                        })));
}

void mistakes_in_modes(std::vector<Variant>& all) {
  all.push_back(variant("modes", "suspended nodes go on running",
                        {.node = [](Node& node) { node.spec.suspended = false; }}));
  all.push_back(variant("modes", "a suspended node loses its Services",
                        planning([](Plan& plan, const Node& node, const Facts& facts) {
                          if (!node.spec.suspended) return;
                          for (const auto& object : facts.owned) {
                            if (object.kind != &operators::stellar::kinds::kService) continue;
                            drop_applied(plan, "Service", "");
                            plan.branch("remove Service/" + object.key.name);
                            plan.remove({object.kind->gvk(), object.key}, object.uid);
                          }
                        })));
  all.push_back(variant("modes", "maintenance does not keep its hands off",
                        {.node = [](Node& node) { node.spec.maintenance_mode = false; }}));
  all.push_back(
      variant("modes", "maintenance is not said", saying([](Verdict& verdict, const Facts& facts) {
                if (verdict.status.phase == "Maintenance") {
                  verdict.status.phase = to_string(facts.published.phase);
                }
              })));
}

}  // namespace

std::vector<Variant> mistakes_in_saying() {
  std::vector<Variant> all;
  slow_health_check(all);
  refused_spec(all);
  bounded_work(all);
  stale_status(all);
  mistakes_in_modes(all);
  return all;
}

}  // namespace fixpoint::trials::stellar
