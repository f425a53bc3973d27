// SPDX-License-Identifier: Apache-2.0
//
// Whether an attempt is worth repeating, and when: a pure function, so that a test can ask it all.
//
// Acting twice must do no harm. Reads may always be repeated. A write only when the server cannot
// have acted on it: it never left, or the server turned it away at the door (429, or 503 with
// Retry-After, as its load shedding answers).
#pragma once

#include "base/clock.h"
#include "base/rng.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace fixpoint::client {

struct Attempted {
  enum class How : std::uint8_t {
    Unsent,    // the server cannot have seen it
    Broken,    // it was sent, and no whole answer came back
    Answered,  // with `code`
  };
  How how = How::Answered;
  bool is_read = false;
  int code = 0;
  std::optional<Duration> retry_after;
  int tries = 1;  // this one included
};

// As many as client-go makes; the deadline of a call usually ends it before.
inline constexpr int kTriesMax = 10;
inline constexpr Duration kFirstBackoff = std::chrono::milliseconds(100);
inline constexpr Duration kBackoffMax = std::chrono::seconds(5);

// How long to wait before the next try; nothing when there is to be none. What the server asks for
// is the least; the jitter on top keeps many clients from coming back in step.
std::optional<Duration> retry_delay(const Attempted& attempt, Rng& rng);

}  // namespace fixpoint::client
