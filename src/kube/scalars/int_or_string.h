// SPDX-License-Identifier: Apache-2.0
//
// IntOrString: 3, "3" or "30%"; what maxUnavailable, targetPort and their like hold.
#pragma once

#include "base/error.h"
#include "json/value.h"

#include <cstdint>
#include <string>

namespace fixpoint::kube {

struct IntOrString {
  bool is_string = false;
  std::int64_t number = 0;
  std::string text;

  static IntOrString from(json::View value);
  std::string to_string() const;  // 3 and "3" print alike
  // The number, or the text read as one; 0 when it is none.
  std::int64_t int_value() const;
  bool is_percent() const;
};

enum class Rounding : std::uint8_t { Up, Down };

// The number, or that percentage of `total`; a text without % is an error.
Result<std::int64_t> scaled_value(const IntOrString& value, std::int64_t total, Rounding rounding);

}  // namespace fixpoint::kube
