// SPDX-License-Identifier: Apache-2.0
//
// The tables under tests/testdata: rows of inputs with what a real server made of them.
#pragma once

#include "base/file.h"
#include "json/parsing/parse.h"
#include "json/value.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::kube {

// Tests run at the top of the source tree. A missing or broken table is a failed test, not an
// empty one.
inline json::Value read_table(const std::string& path) {
  auto value = json::parse(read_file("tests/testdata/" + path).value_or(""));
  EXPECT_TRUE(value.has_value()) << path << ": " << (value ? "" : value.error().message);
  if (!value) return {};
  EXPECT_GT(value->size(), 0U) << path;
  return *std::move(value);
}

inline std::string text_of(json::View value) {
  return std::string{value.as_string()};
}

// A list of strings; null is an empty one.
inline std::vector<std::string> texts_of(json::View value) {
  std::vector<std::string> texts;
  for (const json::View each : value.elements()) texts.push_back(text_of(each));
  return texts;
}

}  // namespace fixpoint::kube
