// SPDX-License-Identifier: Apache-2.0
//
// Drafts: what is opened, what is shared, what comes out.
#include "json/draft.h"

#include "json/parsed_for_tests.h"
#include "json/print.h"

#include <string>

#include <gtest/gtest.h>

namespace fixpoint::json {
namespace {

std::string text_of(const Draft& draft) {
  const auto value = draft.freeze();
  return to_text(value);
}

TEST(Draft, FreezesToTheSameBlockWhenNothingWasOpened) {
  const auto value = parsed(R"({"a":{"b":1}})");

  const auto again = Draft{value}.freeze();

  EXPECT_TRUE(again.view().same_as(value.view()));
}

TEST(Draft, OpensOnlyTheLevelsLookedInto) {
  Draft draft{parsed(R"({"metadata":{"labels":{"app":"web"}},"spec":{"x":[1,2,3]}})")};

  draft["metadata"]["labels"]["tier"] = "front";

  EXPECT_TRUE(draft.find("spec")->frozen());
  EXPECT_EQ(text_of(draft),
            R"({"metadata":{"labels":{"app":"web","tier":"front"}},"spec":{"x":[1,2,3]}})");
}

TEST(Draft, LeavesTheValueItWasMadeFromAlone) {
  const auto value = parsed(R"({"a":[1,{"b":"some longer text"}]})");
  Draft draft{value};

  draft.find("a")->elements()[1]["b"] = 2;
  draft["c"] = true;

  EXPECT_EQ(to_text(value), R"({"a":[1,{"b":"some longer text"}]})");
  EXPECT_EQ(text_of(draft), R"({"a":[1,{"b":2}],"c":true})");
}

TEST(Draft, CopiesAreIndependent) {
  Draft first{parsed(R"({"a":{"b":1}})")};
  first["a"]["b"] = 2;
  Draft second = first;

  second["a"]["b"] = 3;

  EXPECT_EQ(text_of(first), R"({"a":{"b":2}})");
  EXPECT_EQ(text_of(second), R"({"a":{"b":3}})");
  EXPECT_FALSE(first == second);
}

TEST(Draft, KeepsMembersSortedWhateverTheOrderOfInsertion) {
  auto draft = Draft::object({
      {"z", 1     },
      {"a", "text"},
      {"m", 1.5   }
  });
  draft["b"];
  draft.object_at("o")["x"] = false;
  draft.array_at("l").push_back(7);

  EXPECT_EQ(text_of(draft), R"({"a":"text","b":null,"l":[7],"m":1.5,"o":{"x":false},"z":1})");
}

TEST(Draft, ErasesAndSaysWhetherItWasThere) {
  Draft draft{parsed(R"({"a":1,"b":2})")};

  EXPECT_FALSE(draft.erase("c"));
  EXPECT_TRUE(draft.frozen());
  EXPECT_TRUE(draft.erase("a"));

  EXPECT_EQ(text_of(draft), R"({"b":2})");
}

TEST(Draft, TakesManyMembersAtOnceInTheirOrder) {
  Draft draft{parsed(R"({"b":1,"d":2})")};

  Draft::Object added;
  for (const auto* key : {"a", "c", "e"}) added.push_back({key, 0});
  draft.add_members(std::move(added));
  draft.add_members({});

  const Value all = draft.freeze();
  EXPECT_EQ(to_text(all), R"({"a":0,"b":1,"c":0,"d":2,"e":0})");
}

TEST(Draft, RepairsInvalidUtf8WhenFrozen) {
  EXPECT_EQ(text_of(Draft{std::string{"a\xff b"}}), "\"a\xEF\xBF\xBD b\"");
}

TEST(Draft, EqualsAnotherByContentNotByHistory) {
  const auto value = parsed(R"({"a":[1,2.5,"x",{"y":null}]})");
  Draft opened{value};
  opened.find("a")->elements()[3].members();

  EXPECT_TRUE(opened == Draft{value});
}

}  // namespace
}  // namespace fixpoint::json
