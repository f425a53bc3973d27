// SPDX-License-Identifier: Apache-2.0
//
// Shapes: what stays and what goes, and that cutting while parsing is cutting after it.
#include "json/shape/shape.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "json/random_tree.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::json {
namespace {

constexpr std::string_view kWidget = R"({
  "apiVersion":"demo/v1","kind":"Widget",
  "metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","labels":{"x":"y"},
              "managedFields":[{"manager":"m","fieldsV1":{"f:spec":{}}}]},
  "spec":{"parts":[{"name":"p","size":1},{"name":"q","size":2}],"color":"red"},
  "status":{"phase":"Ready"}})";

std::string shaped(std::string_view text, const Shape& shape) {
  const auto value = parse_shaped(text, &shape);
  if (!value) return "error: " + value.error().message;
  const auto whole = parse(text);
  EXPECT_EQ(*value, shape.cut(*whole));
  return to_text(*value);
}

TEST(Shape, WithoutLeavesOutOnlyWhatItNames) {
  EXPECT_EQ(shaped(kWidget, Shape::all().without({"metadata", "managedFields"}).without({"spec"})),
            R"({"apiVersion":"demo/v1","kind":"Widget","metadata":{"labels":{"x":"y"},)"
            R"("name":"a","namespace":"n","resourceVersion":"7","uid":"u"},)"
            R"("status":{"phase":"Ready"}})");
}

TEST(Shape, OnlyKeepsWhatItNamesAndWhatIdentifiesAnObject) {
  EXPECT_EQ(shaped(kWidget, Shape::only({
                                {"status", "phase"}
  })),
            R"({"apiVersion":"demo/v1","kind":"Widget","metadata":{"name":"a","namespace":"n",)"
            R"("resourceVersion":"7","uid":"u"},"status":{"phase":"Ready"}})");
}

TEST(Shape, EntersListsAndKeepsTheirLength) {
  const auto shape = Shape::only({
      {"spec", "parts", "name"}
  });

  EXPECT_EQ(
      shaped(R"({"spec":{"parts":[{"name":"p","size":1},{"size":2},7,[{"size":1}]]}})", shape),
      R"({"spec":{"parts":[{"name":"p"},{},7,[{}]]}})");
}

TEST(Shape, KeepsWhatIsNoObjectWhereAPathGoesOn) {
  EXPECT_EQ(shaped(R"({"spec":"text"})", Shape::only({
                                             {"spec", "color"}
  })),
            R"({"spec":"text"})");
  EXPECT_EQ(shaped("[1]", Shape::only({{"spec"}})), "[1]");
}

TEST(Shape, NeverLosesTheIdentityOfAnObject) {
  const auto shape = Shape::all().without({"metadata"}).without({"kind"});

  EXPECT_EQ(shaped(R"({"kind":"K","metadata":{"name":"a","labels":{}}})", shape),
            R"({"kind":"K","metadata":{"name":"a"}})");
}

TEST(Shape, ComparesByWhatItKeeps) {
  const auto a = Shape::all().without({"spec", "b"}).without({"spec", "a"});
  const auto b = Shape::all().without({"spec", "a"}).without({"spec", "b"});

  EXPECT_EQ(a, b);
  EXPECT_FALSE(a == Shape::all());
  EXPECT_TRUE(Shape::all().keeps_all());
  EXPECT_FALSE(a.keeps_all());
  EXPECT_EQ(Shape::only({
                {"spec"},
                {"spec", "a"}
  }),
            Shape::only({{"spec"}}));
}

TEST(Shape, SharesATreeOfWhichNothingGoesAway) {
  const auto value = *parse(R"({"spec":{"a":1}})");

  const auto cut = Shape::all().without({"status"}).cut(value);

  EXPECT_TRUE(cut.view().same_as(value));
}

TEST(Shape, TheLastOfTwoEqualKeysWinsAlsoInsideACut) {
  EXPECT_EQ(shaped(R"({"spec":{"a":1,"b":2,"a":3},"status":1,"spec":{"a":4,"b":5}})",
                   Shape::only({
                       {"spec", "a"}
  })),
            R"({"spec":{"a":4}})");
}

TEST(Shape, WhatIsSkippedMustStillBeValid) {
  const auto shape = Shape::only({{"spec"}});

  EXPECT_EQ(shaped(R"({"status":{"a":tru}})", shape),
            "error: invalid character '}' in literal true (expecting 'e')");
  EXPECT_EQ(shaped(R"({"status":1e999})", shape),
            "error: json: cannot unmarshal number 1e999 into Go value of type float64");
  const std::string deep(kDepthMax, '[');
  EXPECT_EQ(shaped(R"({"status":)" + deep + std::string(kDepthMax, ']') + "}", shape),
            "error: invalid character '[' exceeded max depth");
}

std::string listed(std::string_view text, const Shape& shape, Stamp stamp = {}) {
  const auto parsed = parse_list(text, "items", &shape, stamp);
  if (!parsed) return "error: " + parsed.error().message;
  auto shown = to_text(parsed->rest);
  for (const auto& element : parsed->elements) shown += " " + to_text(element);
  return shown;
}

TEST(ParseList, GivesEachElementABlockOfItsOwn) {
  const auto shape = Shape::all().without({"spec"});
  const auto parsed = parse_list(
      R"({"kind":"L","items":[{"kind":"A","spec":{"long":"0123456789"}},{"kind":"B"}],"m":{}})",
      "items", &shape);

  ASSERT_TRUE(parsed);
  EXPECT_EQ(to_text(parsed->rest), R"({"kind":"L","m":{}})");
  ASSERT_EQ(parsed->elements.size(), 2U);
  EXPECT_EQ(to_text(parsed->elements[0]), R"({"kind":"A"})");
  EXPECT_NE(parsed->elements[0].view().block(), parsed->elements[1].view().block());
  EXPECT_EQ(parsed->elements[0].block_bytes(), parsed->elements[1].block_bytes());
}

TEST(ParseList, StampsElementsThatDoNotSayWhatTheyAre) {
  const Stamp stamp{.api_version = "v1", .kind = "Pod"};

  EXPECT_EQ(listed(R"({"items":[{"metadata":{}},{"kind":"X","a":1},{"apiVersion":"v2"},3]})",
                   Shape::all(), stamp),
            R"({} {"apiVersion":"v1","kind":"Pod","metadata":{}})"
            R"( {"a":1,"apiVersion":"v1","kind":"X"} {"apiVersion":"v2","kind":"Pod"} 3)");
}

TEST(ParseList, TheExactReaderGivesTheSame) {
  const Stamp stamp{.api_version = "v1", .kind = "Pod"};

  EXPECT_EQ(listed(R"({"items":[1],"a":1,"a":2,"items":[{"z":1,"z":2,"spec":{}}]})",
                   Shape::all().without({"spec"}), stamp),
            R"({"a":2} {"apiVersion":"v1","kind":"Pod","z":2})");
}

TEST(ParseList, SaysWhatIsNoList) {
  EXPECT_EQ(listed(R"({"items":{}})", Shape::all()), R"(error: the member "items" is no list)");
  EXPECT_EQ(listed("[]", Shape::all()), "error: the JSON text is no object");
  EXPECT_EQ(listed(R"({"items":[)", Shape::all()), "error: unexpected end of JSON input");
  EXPECT_EQ(listed(R"({"items":null})", Shape::all()), "{}");
  EXPECT_EQ(listed("{}", Shape::all()), "{}");
}

TEST(ParseMember, CutsOneMemberAndKeepsTheRest) {
  const auto shape = Shape::only({{"status"}});
  const auto parsed =
      parse_member(R"({"type":"ADDED","object":{"spec":1,"status":2}})", "object", &shape);

  ASSERT_TRUE(parsed);
  EXPECT_EQ(to_text(parsed->rest), R"({"type":"ADDED"})");
  EXPECT_EQ(to_text(parsed->member), R"({"status":2})");
  EXPECT_TRUE(parse_member("{}", "object", nullptr)->member.is_null());
  const auto twice = parse_member(R"({"object":1,"object":{"a":{},"status":3}})", "object", &shape);
  EXPECT_EQ(to_text(twice->member), R"({"status":3})");
}

std::vector<std::string> random_path(Rng& rng) {
  std::vector<std::string> path;
  for (auto count = 1 + rng.below(3); count > 0; --count) {
    path.push_back(testing_detail::random_key(rng));
  }
  return path;
}

Shape random_shape(Rng& rng) {
  if (rng.below(2) == 0) {
    std::vector<Shape::Path> paths;
    for (auto count = rng.below(6); count > 0; --count) paths.push_back(random_path(rng));
    auto shape = Shape::only(std::move(paths));
    return rng.below(2) == 0 ? shape : shape.without(random_path(rng));
  }
  auto shape = Shape::all();
  for (auto count = rng.below(6); count > 0; --count) shape = shape.without(random_path(rng));
  return shape;
}

TEST(Shape, CuttingWhileParsingIsCuttingAfterIt) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Rng rng{seed};
    const auto shape = random_shape(rng);
    const auto object = random_object(seed, Nulls::Yes);
    const auto text = to_text(object);

    const auto cut = parse_shaped(text, &shape);

    ASSERT_TRUE(cut);
    const auto whole = parse(text);
    const auto expected = shape.cut(*whole);
    ASSERT_EQ(*cut, expected) << "seed " << seed << ": " << text;
    ASSERT_EQ(to_text(*cut), to_text(expected));
    ASSERT_EQ(cut->block_bytes(), cut->compact().block_bytes());
    ASSERT_EQ(shape.cut(*cut), *cut) << "a second cut finds nothing to cut";
    const auto list = parse_list(R"({"l":[)" + text + "," + text + "]}", "l", &shape);
    ASSERT_EQ(list->elements.at(1), *cut);
  }
}

}  // namespace
}  // namespace fixpoint::json
