// SPDX-License-Identifier: Apache-2.0
//
// Shrink: the shortest sequence, with the smallest bodies, that still shows a difference.
#pragma once

#include "tests/conformance/campaign.h"

namespace fixpoint::conformance {

// Both servers are asked again for every attempt; bounded. The finding's difference is that of the
// shrunk sequence.
Finding shrink(const Finding& finding, Server& real, Server& ours);

}  // namespace fixpoint::conformance
