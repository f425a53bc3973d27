// SPDX-License-Identifier: Apache-2.0
//
// Campaign: many sequences, each on a real server, on ours over HTTP and on the core in process,
// all answers compared.
//
// A difference that the real server also has with itself (errors gathered from a Go map come in any
// order) is counted apart, not reported. Read next: shrink.h, report.h.
#pragma once

#include "tests/conformance/area.h"
#include "tests/conformance/compare.h"
#include "tests/conformance/coverage.h"
#include "tests/conformance/local.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fixpoint::conformance {

struct CampaignOptions {
  Endpoint real;
  std::vector<const Area*> areas;
  std::uint64_t seed = 1;
  std::uint64_t sequences = 1000;
  int lanes = 3;
  // Asked before each sequence; true ends the campaign early.
  std::function<bool()> stop = [] { return false; };
  // Called now and then with what was done so far.
  std::function<void(std::uint64_t sequences, std::uint64_t requests, std::size_t differences)>
      progress;
};

// One sort of difference, with the first sequence that showed it.
struct Finding {
  std::uint64_t count = 0;
  std::string server;  // "ours" or "core"
  Sequence sequence;
  Difference difference;
};

struct CampaignResult {
  std::uint64_t sequences = 0;
  std::uint64_t requests = 0;        // answers of the real server that were compared
  std::uint64_t core_sequences = 0;  // of those, also run in process
  // Differences that the real server also has with itself, by signature.
  std::map<std::string, std::uint64_t> undecided;
  // Differences that a second run of their sequence on all servers did not show, by signature.
  std::map<std::string, std::uint64_t> seen_once;
  std::map<std::string, Finding> findings;  // by signature
  Coverage coverage;
};

// Whether the core alone can answer all of it.
bool runs_in_process(const Sequence& sequence);

// Both servers already have what setup.h gives them.
CampaignResult run_campaign(const CampaignOptions& options, const Local& ours);

// Gives a server what every sequence relies on and waits until it serves it.
Result<void> set_up(const Endpoint& endpoint);
// The same with other steps.
Result<void> set_up(Server& server, std::vector<Step> steps);

// Names that no other sequence of this or any other process has.
std::string fresh_id();

}  // namespace fixpoint::conformance
