// SPDX-License-Identifier: Apache-2.0
//
// The steps that are about one observed object or about none: patch, delete, wait, emit, effect.
#pragma once

#include "runtime/controller/pass_state.h"

#include <optional>

namespace fixpoint::runtime {

std::optional<Outcome> run_patch(PassState& state, const PatchStep& step);
std::optional<Outcome> run_delete(PassState& state, const DeleteStep& step);
std::optional<Outcome> run_effect(PassState& state, const EffectStep& step);

}  // namespace fixpoint::runtime
