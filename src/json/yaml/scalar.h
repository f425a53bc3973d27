// SPDX-License-Identifier: Apache-2.0
//
// What a YAML scalar means: the one table both the reader and the printer go by.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::json {

enum class ScalarTag : std::uint8_t { Null, Bool, Int, Float, Timestamp, Binary, String };

struct Scalar {
  ScalarTag tag = ScalarTag::String;
  bool boolean = false;
  bool negative = false;        // of an Int
  std::uint64_t magnitude = 0;  // of an Int, which may lie beyond int64
  double number = 0;            // of a Float: may be infinite or NaN

  bool fits_int64() const { return magnitude <= (std::uint64_t{1} << 63U) - (negative ? 0U : 1U); }
  std::int64_t integer() const;  // needs fits_int64()
};

// An untagged plain scalar.
Scalar resolve_plain(std::string_view text);
// A scalar with a tag: `tag:yaml.org,2002:int`. Tags we do not know leave a string.
Result<Scalar> resolve_tagged(std::string_view tag, std::string_view text);

// Whether an unquoted `text` would read back as that very string.
bool reads_as_string(std::string_view text);

// A float as Go's %g prints it, in single (as YAML keys) or double precision.
std::string general_float(double value);
std::string general_float(float value);

}  // namespace fixpoint::json
