// SPDX-License-Identifier: Apache-2.0
//
// The key table and its bound: hostile keys fill it once and change nothing else.
#include "json/intern.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::json {
namespace {

TEST(Intern, GivesEqualKeysOneId) {
  const auto id = intern("metadata");

  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(intern(std::string{"meta"} + "data"), id);
  EXPECT_EQ(find_interned("metadata"), id);
  EXPECT_EQ(interned_keys[*id].view(), "metadata");
  EXPECT_EQ(interned_keys[*id].quoted(), "\"metadata\":");
  EXPECT_TRUE(interned_keys[*id].clean);
  EXPECT_FALSE(interned_keys[*intern("a<b")].clean);
}

TEST(Intern, LeavesLongKeysToTheBlock) {
  EXPECT_TRUE(intern(std::string(kInternedKeyBytesMax, 'x')).has_value());
  EXPECT_FALSE(intern(std::string(kInternedKeyBytesMax + 1, 'x')).has_value());
}

TEST(Intern, LeavesKeysThatNameOneObjectToTheBlock) {
  const std::string key = R"(k:{"uid":"d5c2a8e0-0001"})";
  const auto value = *parse(R"({"k:{\"uid\":\"d5c2a8e0-0001\"}":{"f:name":{}}})");

  EXPECT_FALSE(find_interned(key).has_value());
  EXPECT_TRUE(value.get(key).contains("f:name"));
  EXPECT_EQ(*parse(to_text(value)), value);
  EXPECT_TRUE(intern(R"(k:{"name":"web"})").has_value());
}

TEST(Intern, GivesThreadsTheSameIds) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kKeys = 500;
  std::vector<std::vector<std::uint32_t>> ids(kThreads);
  std::vector<std::thread> threads;

  for (auto& mine : ids) {
    threads.emplace_back([&mine] {
      for (std::size_t i = 0; i < kKeys; ++i) {
        mine.push_back(intern("race-" + std::to_string(i)).value_or(0));
      }
    });
  }
  for (auto& thread : threads) thread.join();

  for (const auto& mine : ids) EXPECT_EQ(mine, ids.front());
}

// After this one every new key of this process is local to its block: run alone by ctest, and last
// by luck or not, it must not matter to any other test.
TEST(Intern, StaysWithinItsBoundAndEverythingStillWorks) {
  std::string text = "{";
  for (std::size_t i = 0; i < kInternedKeysMax + 5000; ++i) {
    text += (i == 0 ? "\"" : ",\"") + ("hostile-" + std::to_string(i)) + "\":" + std::to_string(i);
  }
  text += "}";

  const auto value = parse(text);

  ASSERT_TRUE(value.has_value());
  EXPECT_LE(interned_count(), kInternedKeysMax);
  EXPECT_EQ(value->size(), kInternedKeysMax + 5000);
  EXPECT_EQ(value->get("hostile-37000").as_int(), 37000);
  EXPECT_EQ(value->get("hostile-7").as_int(), 7);
  EXPECT_FALSE(value->contains("hostile-x"));
  EXPECT_EQ(*parse(to_text(*value)), *value);

  Draft draft{*value};
  draft["hostile-37000"] = "changed";
  const auto changed = draft.freeze();
  EXPECT_EQ(changed.get("hostile-37000").as_string(), "changed");
  EXPECT_EQ(changed.get("hostile-36999").as_int(), 36999);
  EXPECT_NE(changed, *value);
}

}  // namespace
}  // namespace fixpoint::json
