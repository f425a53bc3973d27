// SPDX-License-Identifier: Apache-2.0
//
// RFC 3339 times as Kubernetes reads and writes them.
//
// metav1.Time prints whole seconds in UTC ("2026-01-02T03:04:05Z"); metav1.MicroTime prints exactly
// six decimals. Parsing follows Go's time.RFC3339: an offset or Z, optional fraction.
#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <string>
#include <string_view>

namespace fixpoint {

std::string format_seconds(Instant at);
std::string format_micros(Instant at);
Result<Instant> parse_rfc3339(std::string_view text);

}  // namespace fixpoint
