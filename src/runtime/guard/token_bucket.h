// SPDX-License-Identifier: Apache-2.0
//
// TokenBucket: so many writes at once, and one more every so often. A plain value; time comes in.
#pragma once

#include "base/clock.h"
#include "runtime/guard/settings.h"

#include <algorithm>
#include <cmath>

namespace fixpoint::runtime {

class TokenBucket {
 public:
  // Full from the start.
  TokenBucket() = default;
  TokenBucket(double tokens, MonotonicInstant at) : tokens_(tokens), at_(at), used_(true) {}

  double tokens(const TokenRate& rate, MonotonicInstant now) const {
    if (!used_) return rate.capacity;
    const double back =
        std::chrono::duration<double>(now - at_) / std::chrono::duration<double>(rate.each);
    return std::min(rate.capacity, tokens_ + std::max(back, 0.0));
  }
  bool try_take(const TokenRate& rate, MonotonicInstant now) {
    const double have = tokens(rate, now);
    if (have < 1 - kSlack) return false;
    *this = TokenBucket(std::max(have - 1, 0.0), now);
    return true;
  }
  // A token that was taken for nothing.
  void give_back(const TokenRate& rate, MonotonicInstant now) {
    *this = TokenBucket(std::min(rate.capacity, tokens(rate, now) + 1), now);
  }
  // How long until there is one.
  Duration wait(const TokenRate& rate, MonotonicInstant now) const {
    const double missing = 1 - tokens(rate, now);
    if (missing <= kSlack) return Duration::zero();
    return Duration(
        static_cast<Duration::rep>(std::ceil(missing * static_cast<double>(rate.each.count()))));
  }

 private:
  // Sixty sixtieths of a token are a token, whatever floating point says.
  static constexpr double kSlack = 1e-6;
  double tokens_ = 0;
  MonotonicInstant at_{};
  bool used_ = false;
};

}  // namespace fixpoint::runtime
