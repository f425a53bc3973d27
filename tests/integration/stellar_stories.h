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
// EC2: policies come after the workload. The other two: a kind of the mesh goes and comes back.
void adds_policies_after_the_workload(const StellarStage& stage);
void outlives_a_kind_of_the_mesh(const StellarStage& stage);
// EC3: the finalizer stays until everything is gone; a claim that is to be kept is.
void keeps_the_finalizer_until_all_is_gone(const StellarStage& stage);
void keeps_a_retained_claim(const StellarStage& stage);
// EC4: edits while the node is taken down.
void makes_nothing_once_deleted(const StellarStage& stage);
// EC6: a bad mesh setting changes nothing.
void refuses_a_bad_setting(const StellarStage& stage);
// EC5: nobody answers, and nobody waits for it.
void outlives_a_hanging_node(const StellarStage& stage);
// EC7: somebody else's object is left alone and named.
void leaves_foreign_objects_alone(const StellarStage& stage);
// EC8: the line breaks while a node is taken down.
void deletes_through_a_partition(const StellarStage& stage);
// EC9: a node at rest is written to by nobody, however often it is looked at.
void is_quiet_when_idle(const StellarStage& stage);
// EC10: edits between any two writes.
void follows_edits_during_a_pass(const StellarStage& stage);
// EC11: a quota is named, and its end is enough.
void waits_for_a_quota(const StellarStage& stage);
// EC12: what is done is not done again.
void writes_nothing_at_a_second_start(const StellarStage& stage);
// Two leaders: one is killed in the middle of its work.
void hands_over_to_a_second_leader(const StellarStage& stage);
// With the manifests' own identity: the rights of `fixpoint manifests` are enough for whole lives
// of every node type with everything there is, and its Deployment starts the program.
void lives_with_its_own_rights(const StellarStage& stage);

}  // namespace fixpoint
