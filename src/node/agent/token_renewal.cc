// SPDX-License-Identifier: Apache-2.0
#include "node/agent/token_renewal.h"

#include "base/rfc3339.h"

#include <algorithm>

namespace fixpoint::node {
namespace {

// A token that is over when it comes is a mistake of somebody's clock: not to be asked for in a
// loop.
constexpr Duration kSoonest = std::chrono::seconds(10);

}  // namespace

Duration renewal_of_token(json::View status, Duration asked, Instant now) {
  const auto expires = parse_rfc3339(status.get("expirationTimestamp").as_string());
  const Duration life = expires ? *expires - now : asked;
  return std::clamp(life * 4 / 5, kSoonest, kTokenAgeMax);
}

}  // namespace fixpoint::node
