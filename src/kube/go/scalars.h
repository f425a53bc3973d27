// SPDX-License-Identifier: Apache-2.0
//
// Scalars that Go reads with a parser of their own, times and base64: the canonical text that
// Kubernetes prints for the value, or the words of Go's error. And Go's way with large floats.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::kube {

// metav1.Time: any RFC 3339 time, printed as UTC seconds. Empty for Go's zero time, which prints as
// null. Years 0 to 9999.
Result<std::string> canonical_time(std::string_view text);

// True only if canonical_time would answer the same text: a quick look that spares the work.
bool is_canonical_time(std::string_view text);

// metav1.MicroTime: six decimals are required and printed.
Result<std::string> canonical_micro_time(std::string_view text);

// Standard base64 with padding; line breaks are skipped, unused bits are cleared.
Result<std::string> canonical_base64(std::string_view text);

// Go's conversion of a float to int64; what none holds is the smallest, as the processor has it.
std::int64_t truncated(double value);

}  // namespace fixpoint::kube
