// SPDX-License-Identifier: Apache-2.0
//
// Report: a difference as a table that a person understands, with the commands to see it again.
#pragma once

#include "tests/conformance/campaign.h"

#include <cstdint>
#include <string>

namespace fixpoint::conformance {

// Every step with what both answered, the places that differ, and curl commands.
std::string report(const Finding& finding, const Recording& real, const Recording& ours);
// Asks both servers once more, for the smallest sequence that shows it or for the one found.
enum class Explain : std::uint8_t { AsFound, Shrunk };
std::string explain(const Finding& finding, const Endpoint& real, const Local& ours, Explain how);
// Every step with its whole answers, for looking closely.
std::string transcript(const Sequence& sequence, const Recording& real, const Recording& ours);

}  // namespace fixpoint::conformance
