// SPDX-License-Identifier: Apache-2.0
//
// A counterexample in plain words: step, who, what was asked, what was answered, what changed.
#pragma once

#include "verify/explorer/exploration.h"

#include <string>

namespace fixpoint::verify {

std::string story(const Verdict& verdict);

// Who takes part, in the order of appearance.
std::vector<std::string> cast(const Trace& trace);

}  // namespace fixpoint::verify
