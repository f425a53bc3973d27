// SPDX-License-Identifier: Apache-2.0
//
// What is promised of a StellarNode, whatever happens: the properties of the twelve cases
// (docs/operators/stellar.md), over what is stored and what the node's status says.
//
// Four of them come with every operator and are not here: Converges ("reconciled"), Quiesces ("8 at
// rest nothing is written"), the half of DeleteCompletes that knows the finalizer, and Bounded, for
// which a scenario gives the number.
#pragma once

#include "verify/world/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::trials::stellar {

// --- of states ---
verify::world::Claim no_leak();
verify::world::Claim only_valid_applied(std::string_view name);
verify::world::Claim running_complete(std::string_view name, std::vector<std::string> absent = {});
verify::world::Claim observed_generation(std::string_view name);

// --- of steps ---
verify::world::Promise mesh_after_workload(std::string_view name);
verify::world::Promise fresh_running(std::string_view name);
// Of a Validator: its ports are never open to everybody.
verify::world::Promise policy_before_workload(std::string_view name);
verify::world::Promise finalizer_last(std::string_view name);
verify::world::Promise foreign_safe(const client::Resource& resource, std::string_view name);
verify::world::Promise no_create_in_delete();
// Where no Secret changes and nothing stalls: a child is made from a spec once.
verify::world::Promise made_once();
// Of several nodes: a pass about one touches nothing of another.
verify::world::Promise keeps_to_its_own();
verify::world::Promise retained(std::string_view name);
// While nobody answers, nothing is concluded: the phase stays what it was.
verify::world::Promise silence_says_nothing(std::string_view name);
// What runs goes on while the spec is refused.
verify::world::Promise refused_untouched(std::string_view name);
verify::world::Promise one_voice(std::string_view name);
// Terminating is said before the first child goes.
verify::world::Promise announced(std::string_view name);
verify::world::Promise policies_go_first(std::string_view name);
// Who ran and says that it is not well is Degraded.
verify::world::Promise unwell_is_degraded(std::string_view name);
verify::world::Promise maintenance_keeps_off(std::string_view name);
// Who tells of a quota has the condition that names it.
verify::world::Promise quota_is_named(std::string_view name);

// --- of runs ---
verify::world::Claim delete_completes(std::string_view name);
verify::world::Claim invalid_reported(std::string_view name);
verify::world::Claim unhealthy_reported(std::string_view name);
verify::world::Claim health_check_ends(std::string_view name);
// The condition comes to stay while `when` is so.
verify::world::Claim reported(std::string title, std::string_view name, std::string_view condition,
                              verify::world::Claim::OnGlance when);

// What is so in every state.
verify::world::Claim always(std::string title, verify::world::Claim::OnGlance when,
                            verify::world::Claim::OnGlance holds);
// The phases, as the operator's table has them.
verify::world::LifeCycle life_of(std::string_view name);

// --- that it happened at all ---
verify::world::Claim sometimes(std::string title, verify::world::Claim::OnGlance holds);

}  // namespace fixpoint::trials::stellar
