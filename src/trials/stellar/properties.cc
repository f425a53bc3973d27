// SPDX-License-Identifier: Apache-2.0
#include "trials/stellar/properties.h"

#include "kube/meta/metadata.h"
#include "operators/stellar/stellar.h"
#include "runtime/ownership.h"
#include "trials/stellar/deeds.h"
#include "trials/stellar/health_model.h"
#include "trials/stellar/picture.h"

#include <algorithm>
#include <utility>

namespace fixpoint::trials::stellar {

using operators::stellar::kinds::kClaim;
using verify::world::Claim;
using verify::world::Promise;

namespace {

const std::string& finalizer() {
  static const std::string kFinalizer = operators::stellar::Author::declare().finalizer;
  return kFinalizer;
}

bool same_uid(json::View a, json::View b) {
  return kube::uid_of(a) == kube::uid_of(b);
}

// Each of the kinds' objects that is another in `is` than in `was`, or new.
template <class Holds>
bool each_written(const Glance& was, const Glance& is, Holds holds) {
  for (const auto* kind : all_kinds()) {
    const auto& resource = resource_of(*kind);
    for (const auto object : is.look.list(resource)) {
      const auto before = was.look.get(resource, kube::key_of(object));
      if (!before.same_as(object) && !holds(*kind, before, object)) return false;
    }
  }
  return true;
}

bool answered_well(const verify::world::Acting& by) {
  return std::ranges::all_of(by.answers, [](const json::Value& answer) {
    return answer.get("health").as_string() == "Healthy";
  });
}

}  // namespace

Claim no_leak() {
  return {.name = "NoLeak: every child is of a node that lives, or kept, or somebody else's",
          .kind = Claim::Kind::Always,
          .when = {},
          .holds = [](const Glance& now) {
            const auto living = now.look.list(nodes());
            for (const auto* kind : all_kinds()) {
              for (const auto object : now.look.list(resource_of(*kind))) {
                const auto owner = runtime::owner_uid_of(object);
                if (owner.empty()) continue;
                const bool owned = std::ranges::any_of(
                    living, [&](json::View node) { return kube::uid_of(node) == owner; });
                if (!owned) return false;
              }
            }
            return true;
          }};
}

Claim only_valid_applied(std::string_view who) {
  const std::string name{who};
  const auto node_in = [name](const Glance& now) { return node_of(now.look, name); };
  return {
      .name = "OnlyValidApplied: no child is made from a spec that was refused",
      .kind = Claim::Kind::Always,
      .when = [node_in](
                  const Glance& now) { return !node_in(now).is_null() && !is_valid(node_in(now)); },
      .holds =
          [node_in](const Glance& now) {
            const auto node = node_in(now);
            const auto owned = owned_by(now.look, kube::uid_of(node));
            return std::ranges::none_of(owned, [&](json::View child) {
              return made_from(child) == kube::generation_of(node);
            });
          }};
}

Claim running_complete(std::string_view who, std::vector<std::string> absent) {
  const std::string name{who};
  return {.name = "RunningComplete: Running means that everything is there, at this generation",
          .kind = Claim::Kind::Always,
          .when =
              [name](const Glance& now) {
                const auto node = node_of(now.look, name);
                return is_alive(node) && says_running(node) && is_observed(node);
              },
          .holds =
              [name, absent = std::move(absent)](const Glance& now) {
                const auto node = node_of(now.look, name);
                return std::ranges::all_of(wanted_by(node, absent), [&](const Wanted& wanted) {
                  return is_current(now.look, node, wanted);
                });
              }};
}

Claim observed_generation(std::string_view who) {
  const std::string name{who};
  return {.name = "ObsGen: no status is about a generation that nobody has seen",
          .kind = Claim::Kind::Always,
          .when = [name](const Glance& now) { return !node_of(now.look, name).is_null(); },
          .holds =
              [name](const Glance& now) {
                const auto node = node_of(now.look, name);
                return node.get("status", "observedGeneration").as_int() <=
                       kube::generation_of(node);
              }};
}

Promise mesh_after_workload(std::string_view who) {
  const std::string name{who};
  return {"MeshAfterWl: a policy is made only once the workload is there",
          [name](const Glance& was, const Glance& is) {
            return each_written(was, is, [&](const auto& kind, json::View before, json::View) {
              if (!is_mesh(kind) || !before.is_null()) return true;
              const auto node = node_of(is.look, name);
              return node.is_null() || !workload_of(is.look, node).is_null();
            });
          }};
}

Promise policy_before_workload(std::string_view who) {
  const std::string name{who};
  return {"a Validator's pods come after its policy", [name](const Glance& was, const Glance& is) {
            const auto node = node_of(is.look, name);
            const bool made =
                workload_of(was.look, node).is_null() && !workload_of(is.look, node).is_null();
            return !made ||
                   !is.look.list(resource_of(operators::stellar::kinds::kNetworkPolicy)).empty();
          }};
}

Promise fresh_running(std::string_view who) {
  const std::string name{who};
  return {"FreshRunning: Running is said only by a pass to which the node answered well",
          [name](const Glance& was, const Glance& is) {
            const auto before = node_of(was.look, name);
            const auto after = node_of(is.look, name);
            const bool says = says_running(after) && condition(after, "Ready") == "True";
            const bool said = same_uid(before, after) && says_running(before) &&
                              condition(before, "Ready") == "True" &&
                              before.get("status", "observedGeneration") ==
                                  after.get("status", "observedGeneration");
            // What arrives after it was given up was said by a pass that is over.
            if (!says || said || is.by == nullptr) return true;
            return !is.by->answers.empty() && answered_well(*is.by) &&
                   kube::generation_of(is.by->snapshot) ==
                       after.get("status", "observedGeneration").as_int();
          }};
}

Promise finalizer_last(std::string_view who) {
  const std::string name{who};
  return {"FinalizerLast: the node goes only when nothing of it is left",
          [name](const Glance& was, const Glance& is) {
            const auto before = node_of(was.look, name);
            const auto after = node_of(is.look, name);
            if (before.is_null() || !kube::has_finalizer(before, finalizer())) return true;
            if (same_uid(before, after) && kube::has_finalizer(after, finalizer())) return true;
            return owned_by(is.look, kube::uid_of(before)).empty();
          }};
}

Promise foreign_safe(const client::Resource& resource, std::string_view who) {
  const auto which = key(who);
  return {"ForeignSafe: what is somebody else's is never written and never deleted",
          [resource, which](const Glance& was, const Glance& is) {
            const auto before = was.look.get(resource, which);
            if (before.is_null() || !runtime::owner_uid_of(before).empty() || is.by == nullptr) {
              return true;
            }
            return before.same_as(is.look.get(resource, which));
          }};
}

Promise no_create_in_delete() {
  return {"NoCreateInDelete: nothing is made by a pass that saw a node being deleted",
          [](const Glance& was, const Glance& is) {
            if (is.by == nullptr || !kube::being_deleted(is.by->snapshot)) return true;
            return each_written(was, is, [&](const auto&, json::View before, json::View after) {
              if (before.is_null()) return false;
              // A deletion is a change too, and so is letting a kept claim go.
              return before.get("spec") == after.get("spec") &&
                     before.get("data") == after.get("data");
            });
          }};
}

Promise made_once() {
  return {"Bounded: what was made from this spec is left as it is",
          [](const Glance& was, const Glance& is) {
            if (is.by == nullptr) return true;
            const auto generation = kube::generation_of(is.by->snapshot);
            return each_written(was, is, [&](const auto&, json::View before, json::View after) {
              if (before.is_null() || made_from(before) != generation) return true;
              return before.get("spec") == after.get("spec") &&
                     before.get("data") == after.get("data");
            });
          }};
}

Promise keeps_to_its_own() {
  return {"a pass about one node touches nothing of another",
          [](const Glance& was, const Glance& is) {
            if (is.by == nullptr) return true;
            const auto own = kube::uid_of(is.by->snapshot);
            const auto untouched = [&](const client::Resource& resource, auto uid_of_owner) {
              return std::ranges::all_of(was.look.list(resource), [&](json::View object) {
                const auto owner = uid_of_owner(object);
                return owner.empty() || owner == own ||
                       is.look.get(resource, kube::key_of(object)).same_as(object);
              });
            };
            return untouched(nodes(), kube::uid_of) &&
                   std::ranges::all_of(all_kinds(), [&](const auto* kind) {
                     return untouched(resource_of(*kind), runtime::owner_uid_of);
                   });
          }};
}

Promise retained(std::string_view who) {
  const std::string name{who};
  return {"Retained: a claim that is to be kept never goes",
          [name, claim = key(name + "-data")](const Glance& was, const Glance& is) {
            const auto& claims = resource_of(kClaim);
            const auto before = was.look.get(claims, claim);
            const auto after = is.look.get(claims, claim);
            if (!is_alive(before) || !keeps_claim(node_of(was.look, name))) return true;
            return same_uid(before, after) && is_alive(after);
          }};
}

Promise silence_says_nothing(std::string_view who) {
  const std::string name{who};
  return {"no answer is no bad answer: the phase stays within the grace",
          [name](const Glance& was, const Glance& is) {
            const auto before = node_of(was.look, name);
            const auto after = node_of(is.look, name);
            if (is.by == nullptr || is.by->answers.empty() || !says_running(before)) return true;
            const bool unknown = std::ranges::all_of(is.by->answers, [](const json::Value& answer) {
              return answer.get("health").as_string() == "Unknown";
            });
            const auto phase = phase_of(after);
            return !unknown || after.is_null() || (phase != "Degraded" && phase != "Failed");
          }};
}

Promise refused_untouched(std::string_view who) {
  const std::string name{who};
  return {
      "what runs goes on while the spec is refused", [name](const Glance& was, const Glance& is) {
        if (is.by == nullptr || is_valid(is.by->snapshot) || kube::being_deleted(is.by->snapshot)) {
          return true;
        }
        const auto node = node_of(was.look, name);
        const auto owned = owned_by(was.look, kube::uid_of(node));
        return each_written(was, is, [](const auto&...) { return false; }) &&
               owned_by(is.look, kube::uid_of(node)).size() == owned.size();
      }};
}

Promise one_voice(std::string_view who) {
  const std::string name{who};
  return {"Ready is True in no phase but Running", [name](const Glance&, const Glance& is) {
            const auto node = node_of(is.look, name);
            return condition(node, "Ready") != "True" || says_running(node);
          }};
}

Promise announced(std::string_view who) {
  const std::string name{who};
  return {"Terminating is said before the first child goes",
          [name](const Glance& was, const Glance& is) {
            const auto node = node_of(was.look, name);
            if (!is_leaving(node) || phase_of(node) == "Terminating") return true;
            const auto alive = [&](const Look& look) {
              const auto owned = owned_by(look, kube::uid_of(node));
              return std::ranges::count_if(owned, is_alive);
            };
            return is.by == nullptr || alive(is.look) >= alive(was.look);
          }};
}

Promise policies_go_first(std::string_view who) {
  const std::string name{who};
  return {"the workload goes after its policies", [name](const Glance& was, const Glance& is) {
            const auto node = node_of(was.look, name);
            if (!is_leaving(node)) return true;
            const bool goes =
                is_alive(workload_of(was.look, node)) && !is_alive(workload_of(is.look, node));
            if (!goes) return true;
            return std::ranges::none_of(all_kinds(), [&](const auto* kind) {
              return is_mesh(*kind) && !is.look.list(resource_of(*kind)).empty();
            });
          }};
}

Promise unwell_is_degraded(std::string_view who) {
  const std::string name{who};
  return {"who ran and says that it is not well is Degraded",
          [name](const Glance& was, const Glance& is) {
            const auto before = node_of(was.look, name);
            const auto after = node_of(is.look, name);
            if (is.by == nullptr || is.by->answers.empty() || !says_running(before)) return true;
            const auto phase = phase_of(after);
            if (phase == "Running" || phase == "Creating" || !is_alive(after)) return true;
            const bool unwell = std::ranges::all_of(is.by->answers, [](const json::Value& answer) {
              const auto reason = answer.get("reason").as_string();
              return reason == "Unreachable" || reason == "Unreadable";
            });
            return !unwell || phase == "Degraded";
          }};
}

Promise maintenance_keeps_off(std::string_view who) {
  const std::string name{who};
  return {"under maintenance the workload is left alone",
          [name](const Glance& was, const Glance& is) {
            if (is.by == nullptr || !is.by->snapshot.get("spec", "maintenanceMode").as_bool() ||
                kube::being_deleted(is.by->snapshot)) {
              return true;
            }
            const auto node = node_of(was.look, name);
            return workload_of(was.look, node).same_as(workload_of(is.look, node));
          }};
}

Promise quota_is_named(std::string_view who) {
  const std::string name{who};
  return {"a quota that refuses something is named", [name](const Glance&, const Glance& is) {
            const auto node = node_of(is.look, name);
            const bool told = node.get("status", "message").as_string().find("exceeded quota") !=
                              std::string_view::npos;
            return !told || condition(node, "QuotaExceeded") == "True";
          }};
}

Claim delete_completes(std::string_view who) {
  const std::string name{who};
  return {.name = "DeleteCompletes: a node that is deleted goes",
          .kind = Claim::Kind::LeadsTo,
          .when = [name](const Glance& now) { return is_leaving(node_of(now.look, name)); },
          .holds = [name](const Glance& now) { return !is_leaving(node_of(now.look, name)); }};
}

Claim invalid_reported(std::string_view who) {
  const std::string name{who};
  const auto refused = [name](const Glance& now) {
    const auto node = node_of(now.look, name);
    return is_alive(node) && !is_valid(node);
  };
  return {.name = "InvalidReported: a refused spec is said to be so",
          .kind = Claim::Kind::EventuallyStable,
          .when = refused,
          .holds = [name](const Glance& now) {
            const auto node = node_of(now.look, name);
            return phase_of(node) == "Failed" && is_observed(node) &&
                   condition(node, "SpecValid") == "False" &&
                   !node.get("status", "message").as_string().empty();
          }};
}

Claim unhealthy_reported(std::string_view who) {
  const std::string name{who};
  return {.name = "UnhealthyReported: who says that it is not well is not called Running",
          .kind = Claim::Kind::EventuallyStable,
          .when =
              [name](const Glance& now) {
                const auto mode = mode_of(now.outside, address_of(name));
                return is_alive(node_of(now.look, name)) && mode != kSync && mode != kHang;
              },
          .holds =
              [name](const Glance& now) {
                const auto node = node_of(now.look, name);
                return !says_running(node) && condition(node, "Ready") != "True";
              }};
}

Claim health_check_ends(std::string_view who) {
  const std::string name{who};
  const auto silent = [name](const Glance& now) {
    return mode_of(now.outside, address_of(name)) == kHang && is_alive(node_of(now.look, name)) &&
           says_running(node_of(now.look, name));
  };
  return {.name = "HcEnds: a question that nobody answers ends, and is reported",
          .kind = Claim::Kind::LeadsTo,
          .when = silent,
          .holds = [name, silent](const Glance& now) {
            return !silent(now) || condition(node_of(now.look, name), "Available") == "Unknown";
          }};
}

Claim reported(std::string title, std::string_view who, std::string_view type,
               Claim::OnGlance when) {
  const std::string name{who};
  const std::string wanted{type};
  return {.name = std::move(title),
          .kind = Claim::Kind::EventuallyStable,
          .when = std::move(when),
          .holds = [name, wanted](const Glance& now) {
            return condition(node_of(now.look, name), wanted) == "True";
          }};
}

Claim always(std::string title, Claim::OnGlance when, Claim::OnGlance holds) {
  return {.name = std::move(title),
          .kind = Claim::Kind::Always,
          .when = std::move(when),
          .holds = std::move(holds)};
}

verify::world::LifeCycle life_of(std::string_view who) {
  using namespace operators::stellar;
  const std::string name{who};
  verify::world::LifeCycle life;
  auto& table = life.table;
  for (const auto phase : kPhaseNames) table.names.emplace_back(phase);
  const auto count = static_cast<int>(table.names.size());
  for (int from = 0; from < count; ++from) {
    const auto phase = static_cast<Phase>(from);
    for (std::size_t event = 0; event < kFindingNames.size(); ++event) {
      for (const bool within : {false, true}) {
        const auto next =
            fsm::next(kLife, phase, static_cast<Finding>(event), [&](Guard) { return within; });
        if (!next || *next == phase) continue;
        const std::pair pair{from, static_cast<int>(*next)};
        if (std::ranges::count(table.allowed, pair) > 0) continue;
        table.allowed.push_back(pair);
        if (phase == Phase::Pending) table.first.push_back(pair.second);
      }
    }
  }
  table.first.push_back(static_cast<int>(Phase::Pending));
  life.phase = [name](const Glance& now) -> std::optional<int> {
    const auto phase = phase_of(node_of(now.look, name));
    if (phase.empty()) return std::nullopt;
    return static_cast<int>(std::ranges::find(kPhaseNames, phase) - kPhaseNames.begin());
  };
  return life;
}

Claim sometimes(std::string title, Claim::OnGlance holds) {
  return {.name = std::move(title),
          .kind = Claim::Kind::Sometimes,
          .when = {},
          .holds = std::move(holds)};
}

}  // namespace fixpoint::trials::stellar
