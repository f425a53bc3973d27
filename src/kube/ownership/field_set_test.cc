// SPDX-License-Identifier: Apache-2.0
#include "kube/ownership/field_set.h"

#include "json/parsing/parse.h"
#include "json/print.h"

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

FieldSet set_of(std::string_view fields_v1) {
  const json::Value value = json::parse(fields_v1).value();
  return parse_fields_v1(value).value();
}

std::string lines_of(const FieldSet& set) {
  std::string out;
  for (const Path& path : set.paths()) out += to_string(path) + "\n";
  return out;
}

TEST(FieldSet, PrintsWhatKubernetesStores) {
  // Steps of every kind: members, then keyed items, then set items, then indexes; numbers as
  // numbers.
  constexpr std::string_view kStored =
      R"({"f:a":{},"f:b":{".":{},"f:c":{}},"k:{\"name\":\"x\"}":{".":{},"f:name":{}},)"
      R"("k:{\"port\":80}":{},"k:{\"port\":443}":{},"k:{\"port\":443,\"protocol\":\"TCP\"}":{},)"
      R"("k:{\"port\":443,\"protocol\":\"UDP\"}":{},"v:1":{},"v:2.5":{},"v:10":{},"v:\"aa\"":{},)"
      R"("v:\"\\u003cb\\u003e\"":{},"v:false":{},"v:true":{},"i:2":{},"i:10":{}})";
  const std::string expected = [&] {
    // "<b>" sorts before "aa".
    std::string text(kStored);
    const std::string escaped = R"("v:\"\\u003cb\\u003e\"":{},)";
    text.erase(text.find(escaped), escaped.size());
    text.insert(text.find(R"("v:\"aa\"")"), escaped);
    return text;
  }();

  EXPECT_EQ(to_fields_v1_text(set_of(kStored)), expected);
  EXPECT_EQ(to_fields_v1(set_of(kStored)), json::parse(expected).value());
}

TEST(FieldSet, TwoStepsOfOneTextAreOneOnTheWire) {
  // Compared as floats all four are equal, and the float is printed as the last integer is.
  FieldSet set = unite(set_of(R"({"v:36028797018963968.0":{}})"),
                       set_of(R"({"v:36028797018963966":{},"v:36028797018963967":{}})"));
  set.add(PathElement::value(json::Value::integer(36'028'797'018'963'970)), true, {});
  ASSERT_EQ(set.size(), 3U);

  const json::Value wire = to_fields_v1(set);
  EXPECT_EQ(json::to_text(wire), R"({"v:36028797018963967":{},"v:36028797018963970":{}})");
}

TEST(FieldSet, AStepWithNothingBelowItBelongsAndTheDotSaysSoForOthers) {
  const FieldSet set = set_of(R"({"f:a":{"f:b":{}},"f:c":{".":{},"f:d":{}},"f:e":null})");

  EXPECT_EQ(lines_of(set), ".c\n.e\n.a.b\n.c.d\n");
  EXPECT_EQ(set.size(), 4U);
}

TEST(FieldSet, KeyFieldsAreInCanonicalOrder) {
  const FieldSet set = set_of(R"({"k:{\"protocol\":\"TCP\",\"port\":80}":{}})");

  EXPECT_EQ(to_fields_v1_text(set), R"({"k:{\"port\":80,\"protocol\":\"TCP\"}":{}})");
  EXPECT_EQ(lines_of(set), "[port=80,protocol=\"TCP\"]\n");
}

TEST(FieldSet, EqualNumbersAreOneStep) {
  EXPECT_EQ(set_of(R"({"v:1":{},"v:1.0":{}})").size(), 1U);
  EXPECT_EQ(PathElement::value(json::Value::number(1.0)),
            PathElement::value(json::Value::integer(1)));
}

TEST(FieldSet, StepsOfALaterVersionAreDropped) {
  EXPECT_EQ(to_fields_v1_text(set_of(R"({"f:a":{},"r:b":{},"f:c":{"x:y":{}}})")),
            R"({"f:a":{},"f:c":{}})");
}

TEST(FieldSet, WhatIsNoStepIsAnError) {
  for (const char* text :
       {R"({"":{}})", R"({"f":{}})", R"({"nocolon":{}})", R"({"i:x":{}})", R"({"i:":{}})",
        R"({"i:1.5":{}})", R"({"v:":{}})", R"({"v:x":{}})", R"({"k:[]":{}})", R"({"k:{":{}})",
        R"({"f:a":5})", R"({"f:a":[]})", R"([])", R"("f:a")"}) {
    const json::Value value = json::parse(text).value();
    EXPECT_FALSE(parse_fields_v1(value).has_value()) << text;
  }
}

TEST(FieldSet, NestingIsBounded) {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += R"({"f:a":)";
    text += "{}";
    text.append(depth, '}');
    return json::parse(text).value();
  };
  const json::Value deep = nested(kFieldSetDepthMax);
  const json::Value deeper = nested(kFieldSetDepthMax + 1);

  EXPECT_TRUE(parse_fields_v1(deep).has_value());
  EXPECT_FALSE(parse_fields_v1(deeper).has_value());
}

struct AlgebraRow {
  const char* title;
  const char* a;
  const char* b;
  const char* united;
  const char* intersected;
  const char* subtracted;
  const char* subtracted_tree;
};

TEST(FieldSet, AlgebraTakesEachPathByItself) {
  const AlgebraRow rows[] = {
      {"disjoint",         R"({"f:a":{}})",                  R"({"f:b":{}})",                  R"({"f:a":{},"f:b":{}})",       "{}",
       R"({"f:a":{}})",                                                                                                                                                          R"({"f:a":{}})"},
      {"equal",            R"({"f:a":{"f:b":{}}})",          R"({"f:a":{"f:b":{}}})",          R"({"f:a":{"f:b":{}}})",
       R"({"f:a":{"f:b":{}}})",                                                                                                                         "{}",                    "{}"           },
      {"parent and child", R"({"f:a":{".":{},"f:b":{}}})",   R"({"f:a":{}})",
       R"({"f:a":{".":{},"f:b":{}}})",                                                                                         R"({"f:a":{}})",         R"({"f:a":{"f:b":{}}})", "{}"           },
      {"child and parent", R"({"f:a":{}})",                  R"({"f:a":{"f:b":{}}})",          R"({"f:a":{".":{},"f:b":{}}})",
       "{}",                                                                                                                                            R"({"f:a":{}})",         R"({"f:a":{}})"},
      {"siblings",         R"({"f:a":{"f:b":{},"f:c":{}}})", R"({"f:a":{"f:c":{},"f:d":{}}})",
       R"({"f:a":{"f:b":{},"f:c":{},"f:d":{}}})",                                                                              R"({"f:a":{"f:c":{}}})", R"({"f:a":{"f:b":{}}})",
       R"({"f:a":{"f:b":{}}})"                                                                                                                                                                  },
      {"empty",            "{}",                             R"({"f:a":{}})",                  R"({"f:a":{}})",                "{}",                    "{}",                    "{}"           },
  };
  for (const AlgebraRow& row : rows) {
    SCOPED_TRACE(row.title);
    const FieldSet a = set_of(row.a);
    const FieldSet b = set_of(row.b);
    EXPECT_EQ(to_fields_v1_text(unite(a, b)), row.united);
    EXPECT_EQ(unite(a, b), unite(b, a));
    EXPECT_EQ(to_fields_v1_text(intersect(a, b)), row.intersected);
    EXPECT_EQ(overlap(a, b), !intersect(a, b).empty());
    EXPECT_EQ(to_fields_v1_text(subtract(a, b)), row.subtracted);
    EXPECT_EQ(to_fields_v1_text(subtract_tree(a, b)), row.subtracted_tree);
  }
}

TEST(FieldSet, LeavesAreMembersWithNothingBelow) {
  const FieldSet set =
      set_of(R"({"f:a":{".":{},"f:b":{}},"f:c":{},"f:d":{"f:e":{".":{},"f:f":{}}}})");

  EXPECT_EQ(to_fields_v1_text(set.leaves()),
            R"({"f:a":{"f:b":{}},"f:c":{},"f:d":{"f:e":{"f:f":{}}}})");
}

TEST(FieldSet, InsertAndContainsAgree) {
  FieldSet set;
  const Path outer{PathElement::field("spec"), PathElement::field("list")};
  Path inner = outer;
  inner.push_back(PathElement::value(json::Value::string("x")));

  set.insert(inner);
  set.insert({});

  EXPECT_TRUE(set.contains(inner));
  EXPECT_FALSE(set.contains(outer));
  EXPECT_FALSE(set.contains({}));
  EXPECT_EQ(to_fields_v1_text(set), R"({"f:spec":{"f:list":{"v:\"x\"":{}}}})");
}

}  // namespace
}  // namespace fixpoint::kube
