// SPDX-License-Identifier: Apache-2.0
//
// Durations as Go writes them ("1h30m0s") and ages as kubectl's tables show them ("5m12s",
// "6y320d").
#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <string>
#include <string_view>

namespace fixpoint::kube {

// Go's time.ParseDuration, with its error texts.
Result<Duration> parse_duration(std::string_view text);
// Go's Duration.String().
std::string duration_text(Duration duration);
// Two or three significant figures; "<invalid>" for more than a second in the future.
std::string human_duration(Duration duration);
// The age of something since `then`, as a table shows it; "<unknown>" for no or a bad timestamp.
std::string age(std::string_view rfc3339_then, Instant now);

}  // namespace fixpoint::kube
