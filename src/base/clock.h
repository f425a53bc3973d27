// SPDX-License-Identifier: Apache-2.0
//
// Clock: the only way to learn the time. Decisions take an Instant; only the edge owns a Clock.
//
// `wall` is what timestamps show and may step; `monotonic` is what deadlines use and never goes
// back. VirtualClock moves only when told to, for tests and the verifier.
#pragma once

#include <chrono>

namespace fixpoint {

using Instant = std::chrono::sys_time<std::chrono::nanoseconds>;
using MonotonicInstant =
    std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant wall() const = 0;
  virtual MonotonicInstant monotonic() const = 0;
};

// The machine's clocks.
class SystemClock final : public Clock {
 public:
  Instant wall() const override;
  MonotonicInstant monotonic() const override;
};

// Starts at 2026-01-01T00:00:00Z and moves only by `advance`.
class VirtualClock final : public Clock {
 public:
  Instant wall() const override { return wall_; }
  MonotonicInstant monotonic() const override { return monotonic_; }
  void advance(Duration by);

 private:
  Instant wall_{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
  MonotonicInstant monotonic_{};
};

}  // namespace fixpoint
