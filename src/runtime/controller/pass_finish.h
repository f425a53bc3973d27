// SPDX-License-Identifier: Apache-2.0
//
// How a pass begins and ends around its plan: the snapshot, the finalizer, what is left over, the
// status.
#pragma once

#include "runtime/controller/pass_state.h"

namespace fixpoint::runtime {

// Takes the snapshot; ends the pass at once when there is nothing to do about it.
void begin_with_snapshot(PassState& state);
// Reads the object that is being deleted live, before anything is removed because of it.
void run_confirm(PassState& state);
bool wants_finalizer(const PassState& state);
void run_finalizer(PassState& state);
// The plan is through: what comes next.
void after_plan(PassState& state);
// Removes what still carries the primary's uid; nothing left, seen live: on to the release.
void run_leftovers(PassState& state);
void run_status(PassState& state);
// Takes the finalizer off.
void run_release(PassState& state);

}  // namespace fixpoint::runtime
