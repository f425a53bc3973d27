// SPDX-License-Identifier: Apache-2.0
//
// CreateStep and ApplyStep: making an object exist, and be as wanted, without ever taking what is
// somebody else's.
#pragma once

#include "runtime/controller/pass_state.h"

#include <optional>

namespace fixpoint::runtime {

std::optional<Outcome> run_create(PassState& state, const CreateStep& step);
std::optional<Outcome> run_apply(PassState& state, const ApplyStep& step);

// What the guard says about this write; asked once however often the script runs. Not null: the
// step ends so. Nothing: an answer is wanted.
struct Guarded {
  bool pending = false;
  std::optional<Outcome> stop;
};
Guarded ask_guard(PassState& state, const client::Resource& resource, WriteAttempt attempt);
void tell_guard(PassState& state, const WriteAttempt& attempt, const client::Reply& reply);

}  // namespace fixpoint::runtime
