// SPDX-License-Identifier: Apache-2.0
#include "json/parsing/go_cursor.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::json {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, std::string>> members_of(std::string_view text) {
  GoCursor at{text};
  std::vector<std::pair<std::string, std::string>> found;
  at.next();
  at.enter();
  while (!at.leaves('}')) {
    auto key = at.key();
    found.emplace_back(std::move(key), std::string{at.skip()});
  }
  return found;
}

TEST(GoCursor, KeepsTheOrderOfKeysAndThoseGivenTwice) {
  EXPECT_THAT(members_of(R"( {"b" : 1 , "a":2,"b":3} )"),
              ElementsAre(Pair("b", "1"), Pair("a", "2"), Pair("b", "3")));
}

TEST(GoCursor, SkipsAnyValueWhole) {
  EXPECT_THAT(members_of(R"({"a":{"x":[1,{"}":"]\""}]},"b":[],"c":"\\","d":-1.50e3,"e":null})"),
              ElementsAre(Pair("a", R"({"x":[1,{"}":"]\""}]})"), Pair("b", "[]"),
                          Pair("c", R"("\\")"), Pair("d", "-1.50e3"), Pair("e", "null")));
}

TEST(GoCursor, RepairsTextAsGoDoes) {
  GoCursor at{R"("a\u00e9\ud83d\ude00\ud800x\n")"};

  EXPECT_EQ(at.string(), "a\u00e9\U0001F600\uFFFDx\n");
}

TEST(GoCursor, ShowsNumbersAsWritten) {
  GoCursor at{"[ 1.50 , 99999999999999999999999]"};
  at.next();
  at.enter();

  ASSERT_FALSE(at.leaves(']'));
  EXPECT_EQ(at.number(), "1.50");
  ASSERT_FALSE(at.leaves(']'));
  EXPECT_EQ(at.number(), "99999999999999999999999");
  EXPECT_TRUE(at.leaves(']'));
}

}  // namespace
}  // namespace fixpoint::json
