// SPDX-License-Identifier: Apache-2.0
//
// How tests wait for what other processes do: for a fact, never for a time. The limit is only there
// so that a test that waits in vain ends; a crowded machine must not reach it.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>

#include <poll.h>

namespace fixpoint {

inline constexpr auto kPatience = std::chrono::seconds(60);

// True soon after `holds` does; false when patience ends. What is not so at once is looked at less
// and less often: a look is a request with a TLS handshake, which takes from those who are waited
// for.
inline bool eventually(const std::function<bool()>& holds) {
  constexpr int kMillisMin = 5;
  constexpr int kMillisMax = 40;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (int millis = kMillisMin; !holds(); millis = std::min(2 * millis, kMillisMax)) {
    if (std::chrono::steady_clock::now() > until) return false;
    ::poll(nullptr, 0, millis);
  }
  return true;
}

}  // namespace fixpoint
