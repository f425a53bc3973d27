// SPDX-License-Identifier: Apache-2.0
#include "client/http/retry.h"

#include <algorithm>

namespace fixpoint::client {
namespace {

// Between none and all of it.
Duration part_of(Duration whole, Rng& rng) {
  return Duration{static_cast<Duration::rep>(
      rng.below(static_cast<std::uint64_t>(std::max<Duration::rep>(1, whole.count()))))};
}

Duration backoff(int tries, Rng& rng) {
  const auto whole = std::min(kBackoffMax, kFirstBackoff * (1 << std::min(tries - 1, 10)));
  return whole / 2 + part_of(whole, rng);
}

bool repeatable(const Attempted& attempt) {
  switch (attempt.how) {
    case Attempted::How::Unsent: return true;
    case Attempted::How::Broken: return attempt.is_read;
    case Attempted::How::Answered: break;
  }
  if (attempt.code == 429 || attempt.code == 503) return attempt.is_read || attempt.retry_after;
  if (!attempt.is_read) return false;
  return attempt.code == 502 || attempt.code == 504 ||
         (attempt.code >= 500 && attempt.retry_after.has_value());
}

}  // namespace

std::optional<Duration> retry_delay(const Attempted& attempt, Rng& rng) {
  if (attempt.tries >= kTriesMax || !repeatable(attempt)) return std::nullopt;
  if (!attempt.retry_after) return backoff(attempt.tries, rng);
  return *attempt.retry_after + part_of(*attempt.retry_after / 4 + kFirstBackoff, rng);
}

}  // namespace fixpoint::client
