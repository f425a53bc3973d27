// SPDX-License-Identifier: Apache-2.0
//
// Texts as tests write and compare them: values given as JSON, errors as the lines they print.
#pragma once

#include "json/parse.h"
#include "json/value.h"
#include "kube/field_error.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::kube {

// What is no JSON fails the test and reads as null.
inline json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value ? *value : json::Value{};
}

inline std::vector<std::string> texts(const FieldErrors& errors) {
  std::vector<std::string> out;
  for (const auto& error : errors) out.push_back(error.to_string());
  return out;
}

}  // namespace fixpoint::kube
