// SPDX-License-Identifier: Apache-2.0
#include "base/rfc3339.h"

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using namespace std::chrono_literals;

Instant at(std::string_view text) {
  const auto parsed = parse_rfc3339(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(Instant{});
}

TEST(Rfc3339, ReadsUtc) {
  EXPECT_EQ(at("1970-01-01T00:00:00Z"), Instant{});
  EXPECT_EQ(at("1970-01-02T01:02:03Z"), Instant{24h + 1h + 2min + 3s});
  EXPECT_EQ(at("1969-12-31T23:59:59Z"), Instant{-1s});
}

TEST(Rfc3339, AppliesTheOffset) {
  EXPECT_EQ(at("2026-01-02T03:04:05+02:00"), at("2026-01-02T01:04:05Z"));
  EXPECT_EQ(at("2026-01-01T23:30:00-05:30"), at("2026-01-02T05:00:00Z"));
  EXPECT_EQ(at("2026-01-02T00:00:00+00:00"), at("2026-01-02T00:00:00Z"));
  EXPECT_EQ(at("2026-01-02T00:00:00-00:00"), at("2026-01-02T00:00:00Z"));
}

TEST(Rfc3339, ReadsFractionsDownToNanosecondsAndDropsTheRest) {
  const Instant whole = at("2026-01-02T03:04:05Z");
  EXPECT_EQ(at("2026-01-02T03:04:05.5Z"), whole + 500ms);
  EXPECT_EQ(at("2026-01-02T03:04:05.000001Z"), whole + 1us);
  EXPECT_EQ(at("2026-01-02T03:04:05.123456789Z"), whole + 123456789ns);
  EXPECT_EQ(at("2026-01-02T03:04:05.1234567899+00:00"), whole + 123456789ns);
  EXPECT_EQ(at("2026-01-02T03:04:05.000000000000000000000000000001Z"), whole);
}

TEST(Rfc3339, KnowsTheCalendar) {
  EXPECT_EQ(at("2024-03-01T00:00:00Z") - at("2024-02-29T00:00:00Z"), 24h);
  EXPECT_FALSE(parse_rfc3339("2026-02-29T00:00:00Z"));
  EXPECT_FALSE(parse_rfc3339("2100-02-29T00:00:00Z"));
  EXPECT_FALSE(parse_rfc3339("2026-04-31T00:00:00Z"));
  EXPECT_FALSE(parse_rfc3339("2026-13-01T00:00:00Z"));
  EXPECT_FALSE(parse_rfc3339("2026-00-01T00:00:00Z"));
  EXPECT_FALSE(parse_rfc3339("2026-01-00T00:00:00Z"));
}

TEST(Rfc3339, RefusesEveryOtherForm) {
  for (const std::string_view wrong : {"",
                                       "2026",
                                       "2026-01-02",
                                       "2026-01-02T03:04:05",
                                       "2026-01-02 03:04:05Z",
                                       "2026-01-02t03:04:05z",
                                       "2026-01-02T03:04Z",
                                       "2026-01-02T24:00:00Z",
                                       "2026-01-02T03:60:00Z",
                                       "2026-01-02T03:04:60Z",
                                       "2026-01-02T03:04:05.Z",
                                       "2026-01-02T03:04:05+0200",
                                       "2026-01-02T03:04:05+24:00",
                                       "2026-01-02T03:04:05+02:60",
                                       "2026-01-02T03:04:05Z ",
                                       " 2026-01-02T03:04:05Z",
                                       "2026-01-02T03:04:05ZZ",
                                       "+2026-01-02T03:04:05Z",
                                       "02026-01-02T03:04:05Z",
                                       "2026-1-2T03:04:05Z",
                                       "2026-01-02T-3:04:05Z",
                                       "2026/01/02T03:04:05Z"}) {
    EXPECT_FALSE(parse_rfc3339(wrong)) << wrong;
  }
}

TEST(Rfc3339, NamesTheTextItRefuses) {
  const auto refused = parse_rfc3339("yesterday");

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Invalid);
  EXPECT_EQ(refused.error().message,
            "time \"yesterday\" is not RFC 3339, e.g. 2026-01-02T03:04:05Z");
}

TEST(Rfc3339, ReadsAsFarAsNanosecondsReach) {
  EXPECT_EQ(format_seconds(at("2261-12-31T23:59:59Z")), "2261-12-31T23:59:59Z");
  EXPECT_EQ(format_seconds(at("1678-01-01T00:00:00Z")), "1678-01-01T00:00:00Z");
  EXPECT_EQ(format_seconds(at("2261-12-31T23:59:59-23:59")), "2262-01-01T23:58:59Z");
  EXPECT_FALSE(parse_rfc3339("2262-01-01T00:00:00Z"));
  EXPECT_FALSE(parse_rfc3339("9999-12-31T23:59:59Z"));
  EXPECT_FALSE(parse_rfc3339("0001-01-01T00:00:00Z"));
}

TEST(Rfc3339, PrintsWholeSecondsRoundedDown) {
  EXPECT_EQ(format_seconds(Instant{1s + 999ms}), "1970-01-01T00:00:01Z");
  EXPECT_EQ(format_seconds(Instant{-1ns}), "1969-12-31T23:59:59Z");
}

TEST(Rfc3339, PrintsExactlySixDecimals) {
  EXPECT_EQ(format_micros(Instant{}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(format_micros(Instant{1s + 1500us + 999ns}), "1970-01-01T00:00:01.001500Z");
  EXPECT_EQ(format_micros(Instant{-1us}), "1969-12-31T23:59:59.999999Z");
}

}  // namespace
}  // namespace fixpoint
