// SPDX-License-Identifier: Apache-2.0
//
// What the stories of stellar_stories.h expect of the node they are about, alice.
#pragma once

#include "tests/integration/stellar_stage.h"

namespace fixpoint {

// A write of the operator to what nodes are made of; leases and events are not.
bool is_ours(const Meddler::Seen& seen);

// Its pods are started as often as it takes: a new spec replaces them.
void expect_running(const StellarStage& stage, const RunningOperator& process);
void expect_golden(const StellarStage& stage, const RunningOperator& process);
// The node, its pod and its data.
void expect_gone(const StellarStage& stage, const RunningOperator& process);
void remove_alice(const StellarStage& stage, const RunningOperator& process);

}  // namespace fixpoint
