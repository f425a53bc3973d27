// SPDX-License-Identifier: Apache-2.0
#include "kube/scalars/duration.h"

#include "kube/scalars/int_or_string.h"
#include "kube/table_for_tests.h"

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

TEST(Duration, ParsesAndPrintsAsGoDoes) {
  const auto table = read_table("kube/duration.json");
  for (const json::View row : table.view().elements()) {
    const auto text = text_of(row[0]);
    const auto duration = parse_duration(text);
    if (row[1].is_null()) {
      ASSERT_FALSE(duration) << text;
      EXPECT_EQ(duration.error().message, text_of(row[2]));
      continue;
    }
    ASSERT_TRUE(duration) << text << ": " << duration.error().message;
    EXPECT_EQ(duration->count(), row[3].as_int()) << text;
    EXPECT_EQ(duration_text(*duration), text_of(row[1])) << text;
  }
}

TEST(Duration, ShowsAgesAsTablesDo) {
  const auto table = read_table("kube/human_duration.json");
  for (const json::View row : table.view().elements()) {
    EXPECT_EQ(human_duration(std::chrono::seconds{row[0].as_int()}), text_of(row[1]));
  }
}

TEST(Duration, AnAgeOfNothingIsUnknown) {
  const VirtualClock clock;
  EXPECT_EQ(age("", clock.wall()), "<unknown>");
  EXPECT_EQ(age("2025-12-31T23:54:48Z", clock.wall()), "5m12s");
}

TEST(IntOrString, ScalesPercentagesUpOrDown) {
  const IntOrString quarter{true, 0, "25%"};
  EXPECT_EQ(scaled_value(quarter, 10, Rounding::Up), 3);
  EXPECT_EQ(scaled_value(quarter, 10, Rounding::Down), 2);
  EXPECT_EQ(scaled_value(IntOrString{false, 7, ""}, 10, Rounding::Up), 7);
  EXPECT_EQ(scaled_value(IntOrString{true, 0, "7"}, 10, Rounding::Up).error().message,
            "invalid value for IntOrString: invalid type: string is not a percentage");
  EXPECT_EQ(scaled_value(IntOrString{true, 0, "x%"}, 10, Rounding::Up).error().message,
            "invalid value for IntOrString: invalid value \"x%\": strconv.Atoi: parsing \"x\": "
            "invalid syntax");
}

}  // namespace
}  // namespace fixpoint::kube
