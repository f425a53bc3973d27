// SPDX-License-Identifier: Apache-2.0
//
// Text in and out.
#include "json/parse.h"

#include "json/go_parse.h"
#include "json/print.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::json {
namespace {

std::string round_trip(std::string_view text) {
  const auto value = parse(text);
  return value ? to_text(*value) : "error: " + value.error().message;
}

TEST(Parse, SortsMembersAndKeepsNumbersApart) {
  EXPECT_EQ(round_trip(R"({"b":1,"a":[true,false,null,1.5,-7,"x","longer than eight"],"":{}})"),
            R"({"":{},"a":[true,false,null,1.5,-7,"x","longer than eight"],"b":1})");
}

}  // namespace
}  // namespace fixpoint::json
