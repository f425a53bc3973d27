// SPDX-License-Identifier: Apache-2.0
//
// How tests wait for what other processes do: for a fact, never for a time. The limit is only there
// so that a test that waits in vain ends; a crowded machine must not reach it.
#pragma once

#include <chrono>
#include <functional>

#include <poll.h>

namespace fixpoint {

inline constexpr auto kPatience = std::chrono::seconds(60);

// True as soon as `holds` does; false when patience ends.
inline bool eventually(const std::function<bool()>& holds) {
  constexpr int kLookAgainMillis = 10;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    ::poll(nullptr, 0, kLookAgainMillis);
  }
  return true;
}

}  // namespace fixpoint
