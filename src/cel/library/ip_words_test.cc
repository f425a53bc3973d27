// SPDX-License-Identifier: Apache-2.0
#include "cel/library/ip_words.h"

#include "cel/evaluation/time.h"

#include <gtest/gtest.h>

namespace fixpoint::cel {
namespace {

std::string address(std::string_view text) {
  return address_problem(text).value_or("");
}
std::string network(std::string_view text) {
  return network_problem(text).value_or("");
}

TEST(IpWords, SayNothingOfAddresses) {
  for (const auto* text : {"1.2.3.4", "::", "::1", "1::", "2001:db8::1", "::ffff:1.2.3.4",
                           "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:1.2.3.4", "fe80::1%eth0"}) {
    EXPECT_EQ(address(text), "") << text;
  }
  for (const auto* text : {"10.0.0.0/8", "10.0.0.1/32", "::/0", "::1/128"}) {
    EXPECT_EQ(network(text), "") << text;
  }
}

TEST(IpWords, SayWhatIsWrongWithAnAddress) {
  const std::pair<const char*, const char*> cases[] = {
      {"",                  R"(ParseAddr(""): unable to parse IP)"                                         },
      {"%a",                R"(ParseAddr("%a"): missing IPv6 address)"                                     },
      {"1.2.3",             R"(ParseAddr("1.2.3"): IPv4 address too short)"                                },
      {"1.2.3.4.5",         R"(ParseAddr("1.2.3.4.5"): IPv4 address too long)"                             },
      {"1.2.3.256",         R"(ParseAddr("1.2.3.256"): IPv4 field has value >255)"                         },
      {"01.2.3.4",          R"(ParseAddr("01.2.3.4"): IPv4 field has octet with leading zero)"             },
      {"1..3.4",            R"(ParseAddr("1..3.4"): IPv4 field must have at least one digit (at ".3.4"))"  },
      {"1.2.3.x",           R"(ParseAddr("1.2.3.x"): unexpected character (at "x"))"                       },
      {"fe80::1%",          R"(ParseAddr("fe80::1%"): zone must be a non-empty string)"                    },
      {"12345::",           R"(ParseAddr("12345::"): each group must have 4 or less digits (at "12345::"))"},
      {":1",
       R"(ParseAddr(":1"): each colon-separated field must have at least one digit (at ":1"))"             },
      {"1:",                R"(ParseAddr("1:"): colon must be followed by more characters (at ":"))"       },
      {"1:x",
       R"(ParseAddr("1:x"): each colon-separated field must have at least one digit (at "x"))"             },
      {"1x:",               R"(ParseAddr("1x:"): unexpected character, want colon (at "x:"))"              },
      {"1::2::3",           R"(ParseAddr("1::2::3"): multiple :: in address (at ":3"))"                    },
      {"1:2",               R"(ParseAddr("1:2"): address string too short)"                                },
      {"1:2:3:4:5:6:7:8:9",
       R"(ParseAddr("1:2:3:4:5:6:7:8:9"): trailing garbage after address (at "9"))"                        },
      {"::1:2:3:4:5:6:7:8",
       R"(ParseAddr("::1:2:3:4:5:6:7:8"): the :: must expand to at least one field of zeros)"              },
      {"1:1.2.3.4",
       R"(ParseAddr("1:1.2.3.4"): embedded IPv4 address must replace the final 2 fields of the )"
       R"(address (at "1.2.3.4"))"                                                                         },
  };
  for (const auto& [text, words] : cases) EXPECT_EQ(address(text), words);
}

TEST(IpWords, SayWhatIsWrongWithANetwork) {
  EXPECT_EQ(network("10.0.0.0"), "no '/'");
  EXPECT_EQ(network("10.0.0/8"), R"(ParseAddr("10.0.0"): IPv4 address too short)");
  EXPECT_EQ(network("10.0.0.0/33"), "prefix length out of range");
  EXPECT_EQ(network("::/129"), "prefix length out of range");
  EXPECT_EQ(network("10.0.0.0/08"), R"(bad bits after slash: "08")");
  EXPECT_EQ(network("10.0.0.0/-1"), R"(bad bits after slash: "-1")");
  EXPECT_EQ(network("10.0.0.0/"), R"(bad bits after slash: "")");
  EXPECT_EQ(network("fe80::%a/64"), "IPv6 zones cannot be present in a prefix");
}

TEST(ZoneOffset, IsReadAsGoReadsIt) {
  const Moment noon{.seconds = 1'577'880'000};
  const auto hours = [&](std::string_view zone) {
    const auto offset = zone_offset(zone, noon);
    return offset ? *offset / 3600 : -1000;
  };

  EXPECT_EQ(hours(""), 0);
  EXPECT_EQ(hours("UTC"), 0);
  EXPECT_EQ(hours("2:00"), 2);
  EXPECT_EQ(hours("+02:00"), 2);
  EXPECT_EQ(hours("-25:00"), -25);
  EXPECT_EQ(zone_offset("-01:30", noon).value(), -5400);
  EXPECT_EQ(zone_offset("Nowhere/City", noon).error().message, "unknown time zone Nowhere/City");
  EXPECT_EQ(zone_offset("../x", noon).error().message, "time: invalid location name");
  EXPECT_EQ(zone_offset("a:00", noon).error().message,
            "strconv.Atoi: parsing \"a\": invalid syntax");
}

TEST(ZoneOffset, KnowsPlacesThroughoutTheYear) {
  const auto berlin_in_summer = zone_offset("Europe/Berlin", Moment{.seconds = 1'593'561'600});
  // Machines without zone files have no places.
  if (!berlin_in_summer) GTEST_SKIP() << berlin_in_summer.error().message;

  EXPECT_EQ(*berlin_in_summer, 7200);
  EXPECT_EQ(zone_offset("Europe/Berlin", Moment{.seconds = 1'577'880'000}).value(), 3600);
  EXPECT_EQ(zone_offset("Europe/Berlin", Moment{.seconds = 253'402'300'799}).value(), 3600);
}

}  // namespace
}  // namespace fixpoint::cel
