// SPDX-License-Identifier: Apache-2.0
//
// Text in and out: what is read, what is refused and in which words. The expected texts are what
// Go 1.26 with sigs.k8s.io/json answers.
#include "json/parsing/parse.h"

#include "json/intern.h"
#include "json/parsing/go_parse.h"
#include "json/print.h"
#include "json/random_tree.h"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::json {
namespace {

using std::string_literals::operator""s;

// What both readers make of it: the text of the value, or the message.
std::string round_trip(std::string_view text) {
  const auto fast = parse(text);
  const auto slow = go_parse(text);
  const auto shown = fast ? to_text(*fast) : "error: " + fast.error().message;
  EXPECT_EQ(shown, slow ? to_text(slow->value) : "error: " + slow.error().message);
  if (fast && slow) {
    EXPECT_EQ(*fast, slow->value);
  }
  return shown;
}

std::string refusal(std::string_view text) {
  const auto shown = round_trip(text);
  return shown.starts_with("error: ") ? shown.substr(7) : "accepted " + shown;
}

TEST(Parse, SortsMembersAndKeepsNumbersApart) {
  EXPECT_EQ(round_trip(R"({"b":1,"a":[true,false,null,1.5,-7,"x","longer than eight"],"":{}})"),
            R"({"":{},"a":[true,false,null,1.5,-7,"x","longer than eight"],"b":1})");
}

TEST(Parse, ReadsNumbersAsKubernetesDoes) {
  const auto type_of = [](std::string_view text) { return parse(text)->type(); };
  EXPECT_EQ(type_of("9223372036854775807"), Type::Int);
  EXPECT_EQ(type_of("-0"), Type::Int);
  EXPECT_EQ(type_of("9223372036854775808"), Type::Float);
  EXPECT_EQ(type_of("1.0"), Type::Float);
  EXPECT_EQ(type_of("1e3"), Type::Float);

  EXPECT_EQ(round_trip("9223372036854775808"), "9223372036854776000");
  EXPECT_EQ(round_trip("-0"), "0");
  EXPECT_EQ(round_trip("-0.0"), "-0");
  EXPECT_EQ(round_trip("1.0"), "1");
  EXPECT_EQ(round_trip("1e400"),
            "error: json: cannot unmarshal number 1e400 into Go value of type float64");
  EXPECT_EQ(round_trip("1e-400"), "0");
  EXPECT_EQ(round_trip("2e-9223372036854775807"), "0");
  EXPECT_EQ(round_trip("2e9223372036854775807"),
            "error: json: cannot unmarshal number 2e9223372036854775807 into Go value of type "
            "float64");
  EXPECT_EQ(round_trip("0." + std::string(400, '0') + "1"), "0");
  EXPECT_EQ(round_trip("123456789012345678901234567890"), "1.2345678901234568e+29");
}

TEST(Print, WritesFloatsAsGoDoes) {
  const std::vector<std::pair<double, std::string>> cases{
      {0.1,                     "0.1"                    },
      {1e20,                    "100000000000000000000"  },
      {1e21,                    "1e+21"                  },
      {1e-6,                    "0.000001"               },
      {1e-7,                    "1e-7"                   },
      {1.5e-9,                  "1.5e-9"                 },
      {5e-324,                  "5e-324"                 },
      {1.7976931348623157e308,  "1.7976931348623157e+308"},
      {123456789.125,           "123456789.125"          },
      {-2.5,                    "-2.5"                   },
      {123456789012345680000.0, "123456789012345680000"  }
  };

  for (const auto& [value, expected] : cases) {
    std::string text;
    print_double(value, text);
    EXPECT_EQ(text, expected);
  }
}

TEST(Print, EscapesAsGoDoes) {
  const auto shown = [](std::string_view text, Escape escape) {
    std::string out;
    print_string(text, out, escape);
    return out;
  };
  EXPECT_EQ(shown("<a>&\"\\/\b\f\n\r\t\x01\x1f\x7f", Escape::Html),
            R"("\u003ca\u003e\u0026\"\\/\b\f\n\r\t\u0001\u001f)"
            "\x7f\"");
  EXPECT_EQ(shown("<a>&\u2028\u2029é", Escape::Plain), R"("<a>&\u2028\u2029é")");
  EXPECT_EQ(shown("a\xff"
                  "b",
                  Escape::Html),
            R"("a\ufffdb")");
}

TEST(Print, IndentsWithTwoSpaces) {
  const auto value = parse(R"({"b":[1,{"c":"<"}],"a":{},"d":[]})");

  EXPECT_EQ(to_pretty_text(*value),
            "{\n  \"a\": {},\n  \"b\": [\n    1,\n    {\n      \"c\": \"\\u003c\"\n    }\n  ],\n"
            "  \"d\": []\n}");
}

TEST(Parse, RefusesInGosWords) {
  EXPECT_EQ(refusal(""), "unexpected end of JSON input");
  EXPECT_EQ(refusal(std::string_view{}), "unexpected end of JSON input");
  EXPECT_EQ(refusal("  "), "unexpected end of JSON input");
  EXPECT_EQ(refusal("x"), "invalid character 'x' looking for beginning of value");
  EXPECT_EQ(refusal("{]"), "invalid character ']' looking for beginning of object key string");
  EXPECT_EQ(refusal(R"({"a"})"), "invalid character '}' after object key");
  EXPECT_EQ(refusal(R"({"a":1 "b"})"), "invalid character '\"' after object key:value pair");
  EXPECT_EQ(refusal("[1 2]"), "invalid character '2' after array element");
  EXPECT_EQ(refusal("{} x"), "invalid character 'x' after top-level value");
  EXPECT_EQ(refusal("[1,]"), "invalid character ']' looking for beginning of value");
  EXPECT_EQ(refusal("tru"), "invalid character ' ' in literal true (expecting 'e')");
  EXPECT_EQ(refusal("nulL"), "invalid character 'L' in literal null (expecting 'l')");
  EXPECT_EQ(refusal("-x"), "invalid character 'x' in numeric literal");
  EXPECT_EQ(refusal("1."), "invalid character ' ' after decimal point in numeric literal");
  EXPECT_EQ(refusal("1e+"), "invalid character ' ' in exponent of numeric literal");
  EXPECT_EQ(refusal("01"), "invalid character '1' after top-level value");
  EXPECT_EQ(refusal("\"a\nb\""), "invalid character '\\n' in string literal");
  EXPECT_EQ(refusal(R"("\x")"), "invalid character 'x' in string escape code");
  EXPECT_EQ(refusal(R"("\u12g4")"), "invalid character 'g' in \\u hexadecimal character escape");
  EXPECT_EQ(refusal("\""), "unexpected end of JSON input");
  EXPECT_EQ(refusal("'"), "invalid character '\\'' looking for beginning of value");
  EXPECT_EQ(refusal("\xff"), "invalid character 'ÿ' looking for beginning of value");
  EXPECT_EQ(refusal("\x80"), "invalid character '\\u0080' looking for beginning of value");
  EXPECT_EQ(refusal("\x00"s), "invalid character '\\x00' looking for beginning of value");
}

TEST(Parse, RepairsTextAsGoDoes) {
  EXPECT_EQ(round_trip("\"a\xff\xfe\""), "\"a\uFFFD\uFFFD\"");
  EXPECT_EQ(round_trip("\"\xed\xa0\x80\""), "\"\uFFFD\uFFFD\uFFFD\"");
  EXPECT_EQ(round_trip("\"\xf4\x90\x80\x80\""), "\"\uFFFD\uFFFD\uFFFD\uFFFD\"");
  EXPECT_EQ(round_trip("\"\xc0\xaf\""), "\"\uFFFD\uFFFD\"");
  EXPECT_EQ(round_trip(R"("\ud800x")"), "\"\uFFFDx\"");
  EXPECT_EQ(round_trip(R"("\udc00\ud83d\ude00")"), "\"\uFFFD\U0001F600\"");
  EXPECT_EQ(round_trip(R"("\ud83d\u0041")"), "\"\uFFFDA\"");
}

// simdjson must refuse what Go repairs, or the two paths would differ.
TEST(Parse, ReadsEverySurrogateTheSameOnBothPaths) {
  for (unsigned code = 0xD7FF; code <= 0xE000; ++code) {
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", code);
    for (const char* next : {"", "x", "\\u0041", "\\ud800", "\\udc00", "\\n"}) {
      round_trip(std::string{"\""} + escape + next + "\"");
      round_trip(std::string{"\"\\ud83d"} + escape + next + "\"");
    }
  }
}

TEST(Parse, NotesDuplicatesByPathAndKeepsTheLast) {
  const auto parsed = parse_noting_duplicates(
      R"({"data":{"a":1,"b":2,"a":3,"a":4},"spec":{"containers":[{"name":"x","name":"y"}]},"data":5})");

  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->duplicates,
            (std::vector<std::string>{"data.a", "spec.containers[0].name", "data"}));
  EXPECT_EQ(to_text(parsed->value), R"({"data":5,"spec":{"containers":[{"name":"y"}]}})");
}

TEST(Parse, LeavesNothingOfALostDuplicateBehind) {
  const auto parsed = parse("{\"a\":\"" + std::string(4000, 'x') + "\",\"a\":1}");

  EXPECT_LT(parsed->block_bytes(), 100U);
}

// The second time the order of the keys is remembered rather than looked at.
TEST(Parse, SortsTheSameUnsortedObjectEveryTime) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(round_trip(R"({"zz":1,"yy":{"b":1,"a":2,"c":3},"xx":[{"q":1,"p":2}]})"),
              R"({"xx":[{"p":2,"q":1}],"yy":{"a":2,"b":1,"c":3},"zz":1})");
  }
}

TEST(Parse, DoesNotRememberTheOrderOfKeysThatAreLocalToABlock) {
  const std::string low(kInternedKeyBytesMax + 1, 'a');
  const std::string high(kInternedKeyBytesMax + 1, 'z');

  EXPECT_EQ(round_trip("{\"" + low + "\":1,\"m\":2}"), "{\"" + low + "\":1,\"m\":2}");
  EXPECT_EQ(round_trip("{\"" + high + "\":1,\"m\":2}"), "{\"m\":2,\"" + high + "\":1}");
}

// The duplicate in the middle stops the fast path: what it did not read yet still holds the nodes
// of the text before, local keys and all.
TEST(Parse, LooksAtNothingItDidNotReadItself) {
  std::string before = "[";
  for (int i = 0; i < 50; ++i) {
    before += (i == 0 ? "{\"" : ",{\"") + std::string(kInternedKeyBytesMax + 1, 'k') + "\":1}";
  }
  ASSERT_TRUE(parse(before + "]").has_value());

  EXPECT_EQ(round_trip(R"({"b":1,"a":{"c":1,"c":2},"d":3,"e":4,"f":5})"),
            R"({"a":{"c":2},"b":1,"d":3,"e":4,"f":5})");
}

TEST(Parse, HoldsTheDepthLimitExactly) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(round_trip(nested(kDepthMax)), nested(kDepthMax));
  EXPECT_EQ(refusal(nested(kDepthMax + 1)), "invalid character '[' exceeded max depth");
}

TEST(Parse, RefusesTextBeyondTheSizeLimit) {
  const std::string spaces(kTextBytesMax + 1, ' ');

  EXPECT_EQ(parse(spaces).error().kind, ErrorKind::Exhausted);
}

TEST(Parse, ReadsBackWhatWasPrinted) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto value = random_object(seed, Nulls::Yes);
    for (const auto escape : {Escape::Html, Escape::Plain}) {
      const auto text = to_text(value, escape);

      const auto again = parse(text);

      ASSERT_TRUE(again.has_value()) << text;
      EXPECT_EQ(*again, value) << text;
      EXPECT_EQ(again->hash(), value.hash());
      EXPECT_EQ(to_text(*again, escape), text);
    }
    EXPECT_EQ(*parse(to_pretty_text(value)), value);
    EXPECT_EQ(go_parse(to_text(value))->value, value);
  }
}

TEST(Parse, RefusesEveryProperPrefix) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto value = random_object(seed, Nulls::Yes);
    const auto text = to_text(value);

    for (std::size_t size = 0; size < text.size(); ++size) {
      EXPECT_FALSE(parse(std::string_view{text}.substr(0, size)).has_value()) << text;
    }
  }
}

}  // namespace
}  // namespace fixpoint::json
