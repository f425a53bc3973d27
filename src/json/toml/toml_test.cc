// SPDX-License-Identifier: Apache-2.0
#include "json/toml/toml.h"

#include "json/print.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::json {
namespace {

std::string read_toml(std::string_view toml) {
  const auto value = parse_toml(toml);
  return value ? to_text(*value) : "error: " + value.error().message;
}

TEST(Toml, ReadsKeysTablesAndArraysOfTables) {
  EXPECT_EQ(read_toml("A=1\nb = \"x\" # why\n\n[T]\nc=true\n[T.u.v]\nd=[1, 2,\n 3,]\n"),
            R"({"A":1,"T":{"c":true,"u":{"v":{"d":[1,2,3]}}},"b":"x"})");
  EXPECT_EQ(read_toml("[[V]]\nN=\"a\"\n[[V]]\nN=\"b\"\n[V.in]\nx=1\n"),
            R"({"V":[{"N":"a"},{"N":"b","in":{"x":1}}]})");
  EXPECT_EQ(read_toml("a.b.c = 1\na.b.d = {e = 2, f.g = 3}\n"),
            R"({"a":{"b":{"c":1,"d":{"e":2,"f":{"g":3}}}}})");
  EXPECT_EQ(read_toml(""), "{}");
  EXPECT_EQ(read_toml("\xEF\xBB\xBF# only this"), "{}");
}

TEST(Toml, ReadsEveryFormOfStrings) {
  EXPECT_EQ(read_toml(R"(a = "q\"b\\ \t\u00E9\U0001F600")"), R"({"a":"q\"b\\ \té😀"})");
  EXPECT_EQ(read_toml(R"(a = 'C:\n "x"')"), R"({"a":"C:\\n \"x\""})");
  EXPECT_EQ(read_toml("a = \"\"\"\none\n\"two\" \\\n   three\"\"\"\"\n"),
            R"({"a":"one\n\"two\" three\""})");
  EXPECT_EQ(read_toml("a = '''\nx\\y\n'''"), R"({"a":"x\\y\n"})");
  EXPECT_EQ(read_toml("\"a b\" = 1\n'c.d'.e = 2"), R"({"a b":1,"c.d":{"e":2}})");
}

TEST(Toml, ReadsNumbersInAllBases) {
  EXPECT_EQ(read_toml("a=[+1, -17, 1_000, 0xDEAD_beef, 0o17, 0b101, 0]"),
            R"({"a":[1,-17,1000,3735928559,15,5,0]})");
  EXPECT_EQ(read_toml("a=[3.5, -1e3, 6.02_2e+2]"), R"({"a":[3.5,-1000,602.2]})");
  EXPECT_EQ(read_toml("a=9223372036854775807"), R"({"a":9223372036854775807})");
}

TEST(Toml, SaysWhereAndWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"a = ",                  "line 1, column 5: a value is expected here"               },
      {"a = yes",               "line 1, column 5: \"yes\" is no value: texts need quotes" },
      {"x=1\n  a 1",            "line 2, column 5: \"=\" is expected here"                 },
      {"a=1 b=2",               "line 1, column 5: only a comment may follow on this line" },
      {"a=1\na=2",              "line 2, column 1: \"a\" is there already"                 },
      {"[t]\na=1\n[t]",         "line 3, column 2: \"t\" is there already"                 },
      {"t={a=1}\n[t.b]",        "line 2, column 2: \"t\" is a value, no table"             },
      {"[t]\n[[t]]",            "line 2, column 3: \"t\" is there already"                 },
      {"t=[]\n[[t]]",           "line 2, column 3: \"t\" is there already"                 },
      {"[a]\nb.c=1\n[a.b]",     "line 3, column 4: \"b\" is there already"                 },
      {"[a.b]\n[a]\nb.c=1",     "line 3, column 1: \"b\" is there already"                 },
      {"a=\"x\ny\"",            "line 1, column 5: the string does not end on its line"    },
      {"a=\"x",                 "line 1, column 3: the string does not end"                },
      {"é=1",                   "line 1, column 1: a key is expected here"                 },
      {"a=\"é\" b",             "line 1, column 7: only a comment may follow on this line" },
      {"a=\"\\q\"",             "line 1, column 4: no such escape in a string"             },
      {"a=\"\\uD800\"",         "line 1, column 4: no character has this number"           },
      {"a=\"\x01\"",            "line 1, column 4: a control character in a string"        },
      {"a=[1 2]",               "line 1, column 6: \",\" or \"]\" is expected here"        },
      {"a={b=1,}",              "line 1, column 8: a key is expected here"                 },
      {"[a",                    "line 1, column 3: \"]\" is expected here"                 },
      {"[[a]",                  "line 1, column 4: \"]]\" is expected here"                },
      {"[]",                    "line 1, column 2: a key is expected here"                 },
      {"a=01",                  "line 1, column 3: \"01\" is no value: texts need quotes"  },
      {"a=1__0",                "line 1, column 3: \"1__0\" is no value: texts need quotes"},
      {"a=9223372036854775808", "line 1, column 3: the number needs more than 64 bits"     },
      {"a=2026-01-01",          "line 1, column 3: dates and times are not read here"      },
      {"a=07:32:00",            "line 1, column 3: dates and times are not read here"      },
      {"a=inf",                 "line 1, column 3: only finite numbers are read here"      },
      {"a=\"\"\"\nx",           "line 1, column 3: the string does not end"                },
      {"b=2\na=\"\xC3(\"",      "line 2, column 4: not UTF-8"                              },
      {"'''a'''=1",             "line 1, column 1: a key is on one line"                   },
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(read_toml(text), "error: " + message) << text;
}

TEST(Toml, BoundsWhatNestsInEachOther) {
  const std::size_t many = 100'000;
  EXPECT_THAT(read_toml("a=" + std::string(many, '[')), testing::HasSubstr("in each other"));
  std::string braces = "a=";
  for (std::size_t i = 0; i < many; ++i) braces += "{a=";
  EXPECT_THAT(read_toml(braces), testing::HasSubstr("in each other"));
  std::string dots = "a";
  for (std::size_t i = 0; i < many; ++i) dots += ".a";
  EXPECT_THAT(read_toml(dots + "=1"), testing::HasSubstr("in each other"));
  EXPECT_THAT(read_toml("[" + dots + "]"), testing::HasSubstr("in each other"));
}

}  // namespace
}  // namespace fixpoint::json
