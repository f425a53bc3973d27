// SPDX-License-Identifier: Apache-2.0
//
// Life: where a stand-in's node is on the way from its start to the newest ledger. Pure: a life and
// an instant in, what the node would say then out.
//
// The network is the clock: ledger n closes n paces after its beginning, for everybody. So all
// stand-ins of a machine agree about it, a restarted one finds the same, and nothing is stored.
#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fixpoint::sim {

struct Pace {
  Duration ledger = std::chrono::seconds(5);  // from one ledger to the next
  Duration sync = std::chrono::seconds(3);    // from the start until the node has caught up
};

enum class Mode : std::uint8_t {
  Sync,  // as it should be
  Lag,   // answers, and stays at the ledger it had
  Hang,  // accepts requests and never answers
  Late,  // answers after a while
  Fail,  // answers 500
  Die,   // ends, exit status 1
};
std::string_view to_string(Mode mode);

struct Behaviour {
  Mode mode = Mode::Sync;
  Duration delay{};  // Late
};
// "mode=late&delay=3s"; the error says which there are.
Result<Behaviour> parse_behaviour(std::string_view query);

struct Life {
  Pace pace{};
  Instant started{};
  std::optional<std::int64_t> stuck_at{};  // the ledger, while it lags
};

struct Moment {
  std::string_view state;  // stellar-core's words
  std::int64_t ledger = 0;
  std::int64_t closed_at = 0;  // of that ledger, seconds of Unix
  std::int64_t age_seconds = 0;
  std::int64_t network_ledger = 0;
  bool synced() const { return state == "Synced!"; }
};
Moment at(const Life& life, Instant now);

}  // namespace fixpoint::sim
