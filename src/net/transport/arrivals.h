// SPDX-License-Identifier: Apache-2.0
//
// Arrivals: when a wire that only brings news should let several of them share one wake-up.
//
// Waking a process that slept costs more than the news it is woken for: every cache is cold. As a
// network card does with its interrupts, a wire is woken at once while little comes, looks by
// itself at short intervals while much comes, and is woken again once it found nothing a few times.
// Read next: wire.cc, which sleeps and looks.
#pragma once

#include "base/clock.h"

#include <chrono>

namespace fixpoint::net {

// How much later than it could be a piece of news is seen at most, while there is much of it.
inline constexpr Duration kLookInterval = std::chrono::milliseconds(20);

class Arrivals {
 public:
  // The wire was woken by bytes. True when it should look by itself from now on.
  bool woken(MonotonicInstant at) {
    // What follows so closely is one large answer, or comes together by itself.
    const bool close = at - last_ < kClose;
    last_ = at;
    if (at - began_ > kWindow) {
      began_ = at;
      wakes_ = 0;
    }
    if (!close) ++wakes_;
    return wakes_ >= kManyWakes;
  }

  // The wire looked. True when it should go on so.
  bool looked(bool found) {
    empty_ = found ? 0 : empty_ + 1;
    return empty_ < kEmptyLooksMax;
  }

  // Woken again as soon as bytes come.
  void start_over() { *this = {}; }

 private:
  static constexpr Duration kClose = std::chrono::milliseconds(1);
  // 64 a second: with fewer the process sleeps nearly always, and promptness is free.
  static constexpr Duration kWindow = std::chrono::milliseconds(250);
  static constexpr int kManyWakes = 16;
  static constexpr int kEmptyLooksMax = 5;

  MonotonicInstant began_{};
  MonotonicInstant last_{};
  int wakes_ = 0;
  int empty_ = 0;
};

}  // namespace fixpoint::net
