// SPDX-License-Identifier: Apache-2.0
//
// What the shipped binary shows of the runtime, on any cluster: operator_test.cc tells these
// stories on our server, tests/conformance/operator_kube_test.cc on a real one.
#pragma once

#include "tests/integration/operator_stage.h"

#include <functional>

namespace fixpoint {

// One branch of a plan is refused: it is named in the status, its dependants are marked, all others
// go on, and it is tried again.
void isolates_a_bad_branch(const OperatorStage& stage);
// Somebody with kubectl changes a child back again and again; paused, and resumed by removing the
// annotation.
void is_fought_with_kubectl(const OperatorStage& stage);
// With what `fixpoint manifests` grants and nothing else: children, events, lease, the guard's
// record.
void runs_with_its_own_rights(const OperatorStage& stage);
// Of two replicas the leader is killed while it works: the other goes on, nothing is made twice.
void takes_over_from_a_killed_leader(const OperatorStage& stage);
// A leader that was stopped and wakes up later writes nothing.
void writes_nothing_after_a_long_sleep(const OperatorStage& stage);

// Faults between operator and server (operator_faults.cc).
void survives_every_fault(const OperatorStage& stage);
void survives_random_faults(const OperatorStage& stage);
void is_quiet_while_the_server_is_away(const OperatorStage& stage);
void reads_rotated_tokens_and_certificates(const OperatorStage& stage);
void waits_for_a_kind_that_is_gone(const OperatorStage& stage);
void stands_by_while_its_lease_is_stolen(const OperatorStage& stage);
void gives_up_on_an_answer_that_never_comes(const OperatorStage& stage);
// `go_back` leads to the same cluster, or another, at an earlier time.
void follows_a_server_that_went_back_in_time(const OperatorStage& stage,
                                             const std::function<OperatorStage()>& go_back);

}  // namespace fixpoint
