// SPDX-License-Identifier: Apache-2.0
//
// What every server has before the first sequence: the custom kinds that sequences use, and the
// roles of the users they impersonate.
#pragma once

#include "tests/conformance/step.h"

#include <vector>

namespace fixpoint::conformance {

// Steps whose answers are not compared; done once per server.
std::vector<Step> setup_steps();

}  // namespace fixpoint::conformance
