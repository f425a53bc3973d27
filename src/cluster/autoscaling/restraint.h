// SPDX-License-Identifier: Apache-2.0
//
// Restraint: what an autoscaler remembers in order not to swing.
//
// Recent recommendations hold back a change that the next minutes may take back (stabilisation
// windows), and recent changes count against the rate at which the number may change (policies). A
// plain value, remembered from pass to pass (Decision::memory): of equal recommendations only the
// last counts, so there are never more than there were different ones within the longest window.
#pragma once

#include "base/clock.h"
#include "json/value.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::autoscaling {

// A number, and why it is that: of a condition.
struct Verdict {
  std::int64_t replicas = 0;
  std::string_view reason;
  std::string_view message;
};

struct Bounds {
  std::int64_t min = 1;
  std::int64_t max = 1;
  std::int64_t current = 0;
};

class Restraint {
 public:
  // A real controller's --horizontal-pod-autoscaler-downscale-stabilization.
  static constexpr std::chrono::seconds kDownWindow{300};

  static Restraint from(json::View memory);
  json::Value to_json() const;

  // The first number seen counts as a recommendation.
  void begin(std::int64_t current, Instant now);
  // Without spec.behavior (a null view) a real controller's own rules hold. Notes `desired`.
  Verdict stabilise(json::View behavior, std::int64_t current, std::int64_t desired, Instant now);
  Verdict limit(json::View behavior, const Bounds& bounds, std::int64_t desired, Instant now) const;
  void note_change(json::View behavior, std::int64_t from, std::int64_t to, Instant now);

 private:
  struct Change {
    Instant at;
    std::int64_t by = 0;  // negative: fewer
  };
  // What it was when the period of a policy began.
  std::int64_t at_start_of(json::View policy, std::int64_t current, Instant now) const;
  std::int64_t most_allowed(json::View rules, std::int64_t current, Instant now) const;
  std::int64_t least_allowed(json::View rules, std::int64_t current, Instant now) const;
  void forget_before(Instant cutoff);

  std::map<std::int64_t, Instant> recommended_;  // each number, and when last
  std::vector<Change> changes_;                  // oldest first
};

}  // namespace fixpoint::cluster::autoscaling
