// SPDX-License-Identifier: Apache-2.0
//
// Reading floats from text; json/print.h has the way back.
#pragma once

#include <optional>
#include <string_view>

namespace fixpoint::json {

// The float nearest to a decimal number in JSON's form (digits may also be missing on one side of
// the point), or nothing if it is too large for one. Too small is zero.
std::optional<double> read_double(std::string_view number);

}  // namespace fixpoint::json
