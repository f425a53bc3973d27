// SPDX-License-Identifier: Apache-2.0
//
// For tests: JSON where a test needs a value.
#pragma once

#include "json/parsing/parse.h"

#include <string_view>

#include <gtest/gtest.h>

namespace fixpoint::json {

// The value that a test wrote as text; text that cannot be read fails the test.
inline Value parsed(std::string_view text) {
  auto value = parse(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value ? *value : Value{};
}

}  // namespace fixpoint::json
