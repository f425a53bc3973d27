// SPDX-License-Identifier: Apache-2.0
//
// Backoff: how long a Job waits before it replaces pods that failed: ten seconds, doubled with
// every failure since the last success, at most ten minutes.
//
// A plain value that a pass remembers for the next one (Decision::memory): pods that failed may be
// gone by then.
#pragma once

#include "base/clock.h"
#include "json/value.h"
#include "store/store.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace fixpoint::cluster::jobs {

// When a pod stopped working, by the best witness there is.
Instant finished_at(json::View pod);

// When the next pod may be made after so many failures.
Instant not_before(std::int64_t failures, Instant last_failure);

struct Backoff {
  static constexpr std::chrono::seconds kFirst{10};
  static constexpr std::chrono::seconds kLongest{600};

  std::int64_t failures = 0;  // since the last success
  Instant last{};             // of the last of them

  static Backoff from(json::View memory);
  json::Value to_json() const;  // null when there is nothing to wait for

  // With the pods that ended since.
  Backoff after(const std::vector<store::RecordRef>& succeeded,
                const std::vector<store::RecordRef>& failed) const;
  // When the next pod may be made; nothing when it may be at once.
  std::optional<Instant> until() const;
};

}  // namespace fixpoint::cluster::jobs
