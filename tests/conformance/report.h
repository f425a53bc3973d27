// SPDX-License-Identifier: Apache-2.0
//
// Report: a difference as a table that a person understands, with the commands to see it again.
#pragma once

#include "tests/conformance/campaign.h"

#include <string>

namespace fixpoint::conformance {

// Every step with what both answered, the places that differ, and curl commands.
std::string report(const Finding& finding, const Recording& real, const Recording& ours);
// Every step with its whole answers, for looking closely.
std::string transcript(const Sequence& sequence, const Recording& real, const Recording& ours);

}  // namespace fixpoint::conformance
