// SPDX-License-Identifier: Apache-2.0
//
// What recordings do not show: bounds, and values that outlive nothing.
#include "base/thoroughness_for_tests.h"
#include "cel/rules/program.h"
#include "cel/rules/resource_rules.h"
#include "cel/syntax/escape.h"
#include "cel/syntax/parser.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "kube/crd/schema.h"

#include <array>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::cel {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

json::Value schema_of_numbers(std::string_view rule) {
  auto schema = json::parse(R"({"type":"object","properties":{
      "l":{"type":"array","items":{"type":"integer"}}}})");
  json::Draft draft{*std::move(schema)};
  draft.array_at("x-kubernetes-validations")
      .push_back(json::Draft::object({
          {"rule", rule}
  }));
  return draft.freeze();
}

json::Value numbers(std::size_t count) {
  auto list = json::Draft::array();
  for (std::size_t i = 0; i < count; ++i) list.push_back(static_cast<std::int64_t>(i));
  return json::Draft::object({
                                 {"l", std::move(list)}
  })
      .freeze();
}

TEST(Parser, RefusesExpressionsThatNestTooDeep) {
  for (const auto& text :
       {repeated("(", 5000) + "1" + repeated(")", 5000), repeated("[", 5000), repeated("!(", 3000),
        repeated("a ? b : ", 5000) + "c", "f(" + repeated("f(", 5000)}) {
    const auto parsed = parse(text);
    ASSERT_EQ(parsed.issues.size(), 1U) << text.substr(0, 20);
    EXPECT_EQ(parsed.issues[0].message, "expression recursion limit exceeded: 250");
  }
}

TEST(Parser, RefusesChainsThatAreTooLong) {
  for (const auto& text : {"1" + repeated(" + 1", 5000), "self" + repeated(".a", 5000)}) {
    const auto parsed = parse(text);
    ASSERT_EQ(parsed.issues.size(), 1U) << text.substr(0, 20);
    EXPECT_EQ(parsed.issues[0].message, "max recursion depth exceeded");
  }
}

TEST(Parser, TakesAsManyLevelsAndLinksAsARealServer) {
  struct Limit {
    std::string_view what;
    std::string (*repeat)(std::size_t times);
    std::size_t most;
  };
  constexpr std::array kLimits{
      Limit{"parentheses", [](std::size_t n) { return repeated("(", n) + "1" + repeated(")", n); },
            249                                                                                        },
      Limit{"lists",       [](std::size_t n) { return repeated("[", n) + "1" + repeated("]", n); }, 249},
      Limit{"sums",        [](std::size_t n) { return "1" + repeated(" + 1", n) + " > 0"; },        249},
      Limit{"methods",     [](std::size_t n) { return "a" + repeated(".f()", n) + " > 0"; },        249},
      Limit{"alone",       [](std::size_t n) { return "a" + repeated("[0]", n); },                  250},
      // What stands right of an operator is one rule deeper.
      Limit{"right sums",
            [](std::size_t n) { return repeated("1 + (", n) + "1" + repeated(")", n); },            124},
  };
  for (const auto& limit : kLimits) {
    EXPECT_THAT(parse(limit.repeat(limit.most)).issues, IsEmpty()) << limit.what;
    EXPECT_THAT(parse(limit.repeat(limit.most + 1)).issues, SizeIs(1)) << limit.what;
  }
}

// Each stops reading: what comes after it goes unsaid.
TEST(Parser, StopsMendingWhereARealServerDoes) {
  const auto mended = parse(repeated("[1 1]", 50)).issues;
  ASSERT_THAT(mended, SizeIs(32));
  EXPECT_EQ(mended.back().message, "Syntax error: error recovery attempt limit exceeded: 30");

  const auto skipped = parse("1 " + repeated("1 ", 400) + "@").issues;
  ASSERT_THAT(skipped, SizeIs(2));
  EXPECT_EQ(skipped[0].message, "Syntax error: mismatched input '1' expecting <EOF>");
  EXPECT_EQ(skipped[1].message, "error recovery token lookahead limit exceeded: 256");
  EXPECT_EQ(skipped[1].at, kNowhere);

  const auto told = parse(repeated("@", 130)).issues;
  ASSERT_THAT(told, SizeIs(101));
  EXPECT_EQ(told.back().message, "Syntax error: More than 100 syntax errors");
}

TEST(Parser, MarksWhatWasNotUnderstoodInFrontOfTheFirstLine) {
  const std::string text = "[1].map(..x, 1)";

  const auto issues = parse(text).issues;

  EXPECT_THAT(shown(text, issues),
              testing::StartsWith("ERROR: <input>:1:0: argument is not an identifier\n | [1]"));
}

// The time is that of the words, not of the ways that they could be read in.
TEST(Parser, ReadsLongExpressionsAtOnce) {
  const auto many = [](std::string_view part, int times) {
    return repeated(part, static_cast<std::size_t>(some_of(times)));
  };
  for (const auto& text : {"a" + many(".b", 33'000), many("-", 99'000) + "1",
                           "[" + many("-1[0],", 16'000) + "]", many("? ", 49'000)}) {
    EXPECT_LE(parse(text).issues.size(), 101U);
  }
}

TEST(Parser, KeepsLongChainsOfLogicShallow) {
  const auto parsed = parse("true" + repeated(" && true", 5000));

  EXPECT_THAT(parsed.issues, IsEmpty());
}

TEST(Parser, RefusesExpressionsThatAreTooLong) {
  const auto parsed = parse("'" + repeated("a", kExpressionCodePointsMax) + "'");

  ASSERT_THAT(parsed.issues, SizeIs(1));
  EXPECT_EQ(parsed.issues[0].message,
            "expression code point size exceeds limit: size: 100002, limit 100000");
}

TEST(Escape, UndoesItself) {
  for (const std::string_view name : {"a", "a-b", "a.b/c", "a__b", "namespace", "in", "a_b"}) {
    const auto safe = escaped(name);
    ASSERT_TRUE(safe.has_value()) << name;
    EXPECT_EQ(unescaped(*safe), name);
  }
  EXPECT_FALSE(escaped("1a").has_value());
  EXPECT_FALSE(escaped("a b").has_value());
  EXPECT_FALSE(unescaped("__nope__").has_value());
}

// What a list is told by stays with the sum of it and another.
TEST(ResourceRules, AddListsByTheirKeysAndSetsAsUnions) {
  const auto problems = [](std::string_view rule, std::string_view value) {
    const auto schema = json::parse(
        R"({"type":"object","properties":{"m":{"type":"array","x-kubernetes-list-type":"map",)"
        R"("x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],)"
        R"("properties":{"k":{"type":"string"},"v":{"type":"integer"}}}},)"
        R"("s":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}},)"
        R"("x-kubernetes-validations":[{"rule":")" +
        std::string{rule} + R"("}]})");
    const auto compiled = kube::compile_schema(*schema);
    const auto object = json::parse(value);
    return ResourceRules::compile(*schema, *compiled)->check({*object, std::nullopt}).errors.size();
  };
  constexpr auto kValue = R"({"m":[{"k":"a","v":1},{"k":"b","v":2}],"s":["x","y"]})";

  EXPECT_EQ(problems("(self.m + self.m).size() == 2", kValue), 0U);
  EXPECT_EQ(problems("(self.m + self.m.filter(x, x.v > 1)).map(x, x.k) == ['a', 'b']", kValue), 0U);
  EXPECT_EQ(problems("self.m == self.m.filter(x, x.v > 1) + self.m", kValue), 1U);
  EXPECT_EQ(problems("self.m + self.m.filter(x, x.v > 1) == [self.m[1], self.m[0]]", kValue), 0U);
  EXPECT_EQ(problems("self.s + ['x', 'z'] == ['z', 'y', 'x']", kValue), 0U);
  EXPECT_EQ(problems("['z'] + self.s == ['x', 'y', 'z']", kValue), 1U);
}

TEST(ResourceRules, StopWhereOneRuleCostsTooMuch) {
  const auto schema = schema_of_numbers("self.l.all(x, self.l.all(y, x + y >= 0))");
  const auto compiled = kube::compile_schema(schema);
  const auto rules = ResourceRules::compile(schema, *compiled);
  const auto object = numbers(2000);

  const auto findings = rules->check({object, std::nullopt});

  ASSERT_THAT(findings.errors, SizeIs(1));
  EXPECT_EQ(findings.errors[0].detail,
            "'operation cancelled: actual cost limit exceeded': no further validation rules will "
            "be run due to call cost exceeds limit for rule: self.l.all(x, self.l.all(y, x + y >= "
            "0))");
  EXPECT_LT(findings.cost, static_cast<std::int64_t>(kRuleCostMax) + 100);
}

TEST(ResourceRules, StopWhereAllRulesTogetherCostTooMuch) {
  auto schema =
      json::Draft{*json::parse(R"({"type":"object","properties":{"s":{"type":"string"}}})")};
  // Each a third of what one rule may cost, and counted, not spent: nothing of the word is there.
  const auto rule = "!self.s.contains('" + repeated("b", 30) + "')";
  for (int i = 0; i < 40; ++i) {
    schema.array_at("x-kubernetes-validations")
        .push_back(json::Draft::object({
            {"rule", rule}
    }));
  }
  const auto frozen = schema.freeze();
  const auto compiled = kube::compile_schema(frozen);
  const auto rules = ResourceRules::compile(frozen, *compiled);
  const auto object = json::Draft::object({
                                              {"s", repeated("a", 1'000'000)}
  })
                          .freeze();

  const auto findings = rules->check({object, std::nullopt});

  ASSERT_THAT(findings.errors, SizeIs(1));
  EXPECT_EQ(findings.errors[0].detail,
            "validation failed due to running out of cost budget, no further validation rules will "
            "be run");
}

TEST(ResourceRules, BuildListsAndMapsInTimeThatGrowsWithThem) {
  const auto schema = schema_of_numbers(
      "self.l.map(x, x + 1).size() == 30000 && self.l.transformMap(i, x, x)[29999] == 29999");
  const auto compiled = kube::compile_schema(schema);
  const auto rules = ResourceRules::compile(schema, *compiled);
  const auto object = numbers(30'000);

  EXPECT_THAT(rules->check({object, std::nullopt}).errors, IsEmpty());
}

}  // namespace
}  // namespace fixpoint::cel
