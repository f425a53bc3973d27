// SPDX-License-Identifier: Apache-2.0
//
// JSON patch, merge patch, pointer and diff.
#include "json/patch/patch.h"

#include "json/draft.h"
#include "json/parsed_for_tests.h"
#include "json/patch/diff.h"
#include "json/patch/merge_patch.h"
#include "json/patch/pointer.h"
#include "json/print.h"
#include "json/random_tree.h"

#include <string>

#include <gtest/gtest.h>

namespace fixpoint::json {
namespace {

// The patched text, or the kind of the error.
std::string patched(std::string_view target, std::string_view patch) {
  const auto operations = parsed(patch);
  const auto result = apply_patch(parsed(target), operations);
  return result ? to_text(*result) : std::string{fixpoint::to_string(result.error().kind)};
}

std::string merged(std::string_view target, std::string_view patch) {
  const auto wanted = parsed(patch);
  const auto result = apply_merge_patch(parsed(target), wanted);
  return to_text(result);
}

const std::string kDoesNotApply{fixpoint::to_string(ErrorKind::NotFound)};

TEST(JsonPatch, AddsRemovesAndReplaces) {
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"add","path":"/b","value":[1]}])"),
            R"({"a":1,"b":[1]})");
  EXPECT_EQ(patched(R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])"),
            R"({"a":[1,2,3]})");
  EXPECT_EQ(patched(R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])"), R"({"a":[1,2]})");
  EXPECT_EQ(patched(R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])"), R"({"b":2})");
  EXPECT_EQ(patched(R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/1"}])"), R"({"a":[1,3]})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"/a","value":{"x":null}}])"),
            R"({"a":{"x":null}})");
}

TEST(JsonPatch, ReplaceOfAnAbsentMemberAddsItButNotOfAnAbsentElement) {
  EXPECT_EQ(patched("{}", R"([{"op":"replace","path":"/a","value":1}])"), R"({"a":1})");
  EXPECT_EQ(patched(R"({"a":[1]})", R"([{"op":"replace","path":"/a/1","value":1}])"),
            kDoesNotApply);
}

TEST(JsonPatch, FailsAsOneKindWhenItDoesNotApply) {
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])"), kDoesNotApply);
  EXPECT_EQ(patched("{}", R"([{"op":"remove","path":"/a"}])"), kDoesNotApply);
  EXPECT_EQ(patched("{}", R"([{"op":"frobnicate","path":"/a"}])"), kDoesNotApply);
  EXPECT_EQ(patched("{}", R"([{"op":"add","path":"/a/b","value":1}])"), kDoesNotApply);
  EXPECT_EQ(patched(R"({"a":"s"})", R"([{"op":"add","path":"/a/b","value":1}])"), kDoesNotApply);
  EXPECT_EQ(patched("{}", R"([{"op":"add","value":1}])"), kDoesNotApply);
  EXPECT_EQ(patched("{}", R"([{"op":"add","path":"","value":1}])"), kDoesNotApply);
  EXPECT_EQ(patched(R"({"a":[1]})", R"([{"op":"add","path":"/a/3","value":1}])"), kDoesNotApply);
  EXPECT_EQ(patched(R"({"a":[1]})", R"([{"op":"add","path":"/a/x","value":1}])"), kDoesNotApply);
}

TEST(JsonPatch, SaysInGosWordsThatAPatchIsNoPatch) {
  const auto object = parsed("{}");
  EXPECT_EQ(check_patch(object).error().message,
            "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp");
  const auto numbers = parsed("[1]");
  EXPECT_EQ(check_patch(numbers).error().message,
            "json: cannot unmarshal number into Go value of type handlers.jsonPatchOp");
  const auto path = parsed(R"([{"op":"add","path":true}])");
  EXPECT_EQ(check_patch(path).error().message,
            "json: cannot unmarshal bool into Go struct field jsonPatchOp.path of type string");
  EXPECT_EQ(check_patch(path).error().kind, ErrorKind::Invalid);
}

TEST(JsonPatch, CountsNegativeIndexesFromTheEnd) {
  EXPECT_EQ(patched("[1,2,3]", R"([{"op":"remove","path":"/-1"}])"), "[1,2]");
  EXPECT_EQ(patched("[1,2,3]", R"([{"op":"replace","path":"/-3","value":0}])"), "[0,2,3]");
  EXPECT_EQ(patched("[1,2,3]", R"([{"op":"add","path":"/-1","value":4}])"), "[1,2,3,4]");
  EXPECT_EQ(patched("[1,2,3]", R"([{"op":"remove","path":"/-4"}])"), kDoesNotApply);
}

TEST(JsonPatch, TestsMovesAndCopies) {
  EXPECT_EQ(patched(R"({"a":{"b":[1,2]}})", R"([{"op":"test","path":"/a","value":{"b":[1,2]}}])"),
            R"({"a":{"b":[1,2]}})");
  EXPECT_EQ(patched("{}", R"([{"op":"test","path":"/absent","value":null}])"), "{}");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"","value":{"a":1}}])"), R"({"a":1})");
  EXPECT_EQ(patched(R"({"a":{"x":1}})", R"([{"op":"move","from":"/a/x","path":"/y"}])"),
            R"({"a":{},"y":1})");
  EXPECT_EQ(patched(R"({"a":{"x":1}})", R"([{"op":"copy","from":"/a","path":"/b"}])"),
            R"({"a":{"x":1},"b":{"x":1}})");
  EXPECT_EQ(patched("{}", R"([{"op":"copy","from":"/a","path":"/b"}])"), R"({"b":null})");
  EXPECT_EQ(patched("{}", R"([{"op":"move","from":"/a","path":"/b"}])"), kDoesNotApply);
}

TEST(JsonPatch, IsAllOrNothingAndLeavesTheTargetAlone) {
  const auto target = parsed(R"({"a":1})");
  const auto patch = parsed(R"([{"op":"add","path":"/b","value":1},{"op":"remove","path":"/c"}])");

  EXPECT_FALSE(apply_patch(target, patch).has_value());

  EXPECT_EQ(to_text(target), R"({"a":1})");
}

TEST(JsonPatch, ReturnsTheTargetItselfWhenNothingIsTouched) {
  const auto target = parsed(R"({"a":1})");
  const auto patch = parsed(R"([{"op":"replace","path":"","value":7}])");

  EXPECT_TRUE(apply_patch(target, patch)->view().same_as(target));
}

TEST(JsonPatch, BoundsOperationsCopiesAndDepth) {
  std::string many = "[";
  for (std::size_t i = 0; i <= kPatchOperationsMax; ++i) many += i == 0 ? "{}" : ",{}";
  EXPECT_EQ(patched("{}", many + "]"), fixpoint::to_string(ErrorKind::Exhausted));

  std::string copies = R"([{"op":"copy","from":"/a","path":"/b"})";
  for (int i = 0; i < 40; ++i) copies += R"(,{"op":"copy","from":"/a","path":"/a/-"})";
  EXPECT_EQ(patched(R"({"a":["xxxxxxxxxxxxxxxx"]})", copies + "]"), kDoesNotApply);

  const std::size_t levels = kDepthMax - 2;
  const auto deep =
      R"({"a":)" + std::string(levels, '[') + std::string(levels, ']') + R"(,"b":{"c":{}}})";
  EXPECT_NE(patched(deep, R"([{"op":"copy","from":"/a","path":"/b/x"}])"), kDoesNotApply);
  EXPECT_EQ(patched(deep, R"([{"op":"copy","from":"/a","path":"/b/c/x"}])"), kDoesNotApply);
}

TEST(JsonPatch, BoundsTheWorkOfAllOperations) {
  std::string list = R"([{"op":"add","path":"/a","value":[0)";
  for (int i = 0; i < 100'000; ++i) list += ",0";
  std::string inserts = list + "]}";
  std::string moves = inserts;
  for (int i = 0; i < 1000; ++i) {
    inserts += R"(,{"op":"add","path":"/a/0","value":1})";
    moves += R"(,{"op":"move","from":"/a","path":"/b"},{"op":"move","from":"/b","path":"/a"})";
  }

  EXPECT_EQ(patched("{}", inserts + "]"), fixpoint::to_string(ErrorKind::Exhausted));
  EXPECT_EQ(patched("{}", moves + "]"), fixpoint::to_string(ErrorKind::Exhausted));
}

TEST(JsonPatch, NamesUnknownFields) {
  const auto patch = parsed(R"([{"op":"add","path":"/a","vlaue":1}])");

  EXPECT_EQ(unknown_patch_fields(patch), std::vector<std::string>{"[0].vlaue"});
}

TEST(MergePatch, FollowsTheExamplesOfRfc7386) {
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"b":"c"})"), R"({"a":"b","b":"c"})");
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"a":null})"), "{}");
  EXPECT_EQ(merged(R"({"a":["b"]})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merged(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})"), R"({"a":{"b":"d"}})");
  EXPECT_EQ(merged(R"({"a":[{"b":"c"}]})", R"({"a":[1]})"), R"({"a":[1]})");
  EXPECT_EQ(merged(R"(["a","b"])", R"(["c","d"])"), R"(["c","d"])");
  EXPECT_EQ(merged(R"({"e":null})", R"({"a":1})"), R"({"a":1,"e":null})");
  EXPECT_EQ(merged("[1,2]", R"({"a":"b","c":null})"), R"({"a":"b"})");
  EXPECT_EQ(merged("{}", R"({"a":{"bb":{"ccc":null}}})"), R"({"a":{"bb":{}}})");
}

// Two such objects fit into a request; the product of their sizes is most of a minute.
TEST(MergePatch, OfManyMembersTakesNotTheProductOfTheSizes) {
  constexpr int kMembers = 100'000;
  auto target = Draft::object();
  auto addition = Draft::object();
  auto removal = Draft::object();
  for (int i = 0; i < kMembers; ++i) {
    const auto number = std::to_string(kMembers + i);
    target["z" + number] = i;
    addition["a" + number] = i;
    removal["a" + number] = Draft{};
  }
  const Value more = addition.freeze();
  const Value less = removal.freeze();

  const auto both = apply_merge_patch(target.freeze(), more);

  EXPECT_EQ(both.size(), 2U * kMembers);
  EXPECT_EQ(apply_merge_patch(both, less), target.freeze());
}

TEST(MergePatch, DropsNullsInsideArraysAsKubernetesDoes) {
  EXPECT_EQ(merged("{}", R"({"a":[{"b":null,"c":1},null]})"), R"({"a":[{"c":1},null]})");
  EXPECT_EQ(merged(R"({"a":{}})", R"({"a":[{"b":null}]})"), R"({"a":[{"b":null}]})");
}

TEST(MergePatch, ReturnsTheTargetItselfWhenNothingChanges) {
  const auto target = parsed(R"({"a":{"b":1}})");
  const auto patch = parsed(R"({"a":{"b":1,"c":null}})");

  const auto result = apply_merge_patch(target, patch);

  EXPECT_TRUE(result.view().same_as(target));
}

TEST(MergePatch, MadeFromTwoTreesTurnsOneIntoTheOther) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto from = random_object(seed, Nulls::No);
    const auto to = random_object(seed + 1000, Nulls::No);

    const auto patch = make_merge_patch(from, to);

    EXPECT_EQ(apply_merge_patch(from, patch), to) << to_text(patch);
  }
}

TEST(Diff, MadeIntoAPatchTurnsOneTreeIntoTheOther) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto from = random_object(seed, Nulls::Yes);
    const auto to = random_object(seed + 1, Nulls::Yes);

    const auto patch = make_patch(from, to);

    const auto result = apply_patch(from, patch);
    ASSERT_TRUE(result.has_value()) << result.error().message << to_text(patch);
    EXPECT_EQ(*result, to) << to_text(patch);
  }
}

TEST(Diff, ReadsAsOneLinePerChange) {
  const auto from = parsed(R"({"spec":{"replicas":1,"paused":true,"ports":[80,90]}})");
  const auto to = parsed(R"({"spec":{"replicas":3,"ports":[80,81,90],"x/y":"<z>"}})");
  std::string lines;

  for (const auto& change : diff(from, to)) lines += to_text(change) + "\n";

  EXPECT_EQ(lines,
            "- spec.paused: true\n+ spec.ports[1]: 81\n~ spec.replicas: 1 -> 3\n"
            "+ spec.x/y: \"<z>\"\n");
}

TEST(Diff, OfEqualTreesIsEmpty) {
  const auto tree = random_object(7, Nulls::Yes);

  EXPECT_TRUE(diff(tree, tree).empty());
}

TEST(Pointer, FollowsTheExamplesOfRfc6901) {
  const auto root = parsed(
      R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8})");

  EXPECT_TRUE(resolve(root, "")->same_as(root));
  EXPECT_EQ(resolve(root, "/foo/0")->as_string(), "bar");
  EXPECT_EQ(resolve(root, "/")->as_int(9), 0);
  EXPECT_EQ(resolve(root, "/a~1b")->as_int(), 1);
  EXPECT_EQ(resolve(root, "/i\\j")->as_int(), 5);
  EXPECT_EQ(resolve(root, "/ ")->as_int(), 7);
  EXPECT_EQ(resolve(root, "/m~0n")->as_int(), 8);
}

TEST(Pointer, RefusesWhatIsMalformedOrAbsent) {
  const auto root = parsed(R"({"foo":["bar"],"~":1})");

  EXPECT_FALSE(resolve(root, "foo").has_value());
  EXPECT_FALSE(resolve(root, "/~").has_value());
  EXPECT_FALSE(resolve(root, "/foo/1").has_value());
  EXPECT_FALSE(resolve(root, "/foo/00").has_value());
  EXPECT_FALSE(resolve(root, "/foo/-").has_value());
  EXPECT_FALSE(resolve(root, "/foo/0/x").has_value());
  EXPECT_EQ(escape_token("a/b~c"), "a~1b~0c");
}

}  // namespace
}  // namespace fixpoint::json
