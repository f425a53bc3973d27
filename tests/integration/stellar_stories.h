// SPDX-License-Identifier: Apache-2.0
//
// Edge cases of docs/operators/stellar.md that need no running program, on any cluster whose
// controllers run: stellar_stories_test.cc tells them of our server, tests/conformance of a real
// one. Each ends with the stage's golden objects.
#pragma once

#include "tests/integration/stellar_stage.h"

#include <string>

namespace fixpoint {

// Of a life without any fault; the node is gone again.
std::string golden_picture(const StellarStage& stage);

// EC1: each call fails once; each call's answer is lost once; the operator is killed.
void survives_failed_calls(const StellarStage& stage);
void survives_lost_answers(const StellarStage& stage);
void survives_a_kill(const StellarStage& stage);
// EC2, EC6: a bad mesh setting changes nothing.
void refuses_a_bad_setting(const StellarStage& stage);
// EC5: nobody answers, and nobody waits for it.
void outlives_a_hanging_node(const StellarStage& stage);
// EC7: somebody else's object is left alone and named.
void leaves_foreign_objects_alone(const StellarStage& stage);
// EC8: the line breaks while a node is taken down.
void deletes_through_a_partition(const StellarStage& stage);
// EC11: a quota is named, and its end is enough.
void waits_for_a_quota(const StellarStage& stage);
// EC12: what is done is not done again.
void writes_nothing_at_a_second_start(const StellarStage& stage);
// Two leaders: one is killed in the middle of its work.
void hands_over_to_a_second_leader(const StellarStage& stage);

}  // namespace fixpoint
