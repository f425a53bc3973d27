// SPDX-License-Identifier: Apache-2.0
//
// When a pod's token is asked for anew. A server may give one a shorter life than was asked for, so
// its own word counts.
#pragma once

#include "base/clock.h"
#include "json/value.h"

#include <chrono>

namespace fixpoint::node {

// As a kubelet: when four fifths of its life are over, and after a day at the latest.
inline constexpr Duration kTokenAgeMax = std::chrono::hours(24);

// `status` is that of the TokenRequest which was answered at `now`.
Duration renewal_of_token(json::View status, Duration asked, Instant now);

}  // namespace fixpoint::node
