// SPDX-License-Identifier: Apache-2.0
//
// Reading, comparing and hashing packed trees.
#include "json/value.h"

#include "json/intern.h"
#include "json/parsed_for_tests.h"
#include "json/print.h"

#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::json {
namespace {

static_assert(!std::is_convertible_v<Value&&, View>, "a View of a temporary tree must not compile");
static_assert(std::is_convertible_v<const Value&, View>);

TEST(Value, ReadsAlongPathsAndFallsBackOnWrongTypes) {
  const auto value = parsed(R"({"a":{"b":{"c":5,"d":"text","e":2.5,"f":true}},"l":[1,[2]]})");

  EXPECT_EQ(value.get("a", "b", "c").as_int(), 5);
  EXPECT_EQ(value.get("a", "b", "c").as_double(), 5.0);
  EXPECT_EQ(value.get("a", "b", "d").as_string(), "text");
  EXPECT_EQ(value.get("a", "b", "e").as_double(), 2.5);
  EXPECT_EQ(value.get("a", "b", "e").as_int(9), 9);
  EXPECT_TRUE(value.get("a", "b", "f").as_bool());
  EXPECT_TRUE(value.get("a", "x", "c").is_null());
  EXPECT_EQ(value.get("l")[1][0].as_int(), 2);
  EXPECT_TRUE(value.get("l")[2].is_null());
  EXPECT_FALSE(value.find("absent").has_value());
}

TEST(Value, TellsAbsentFromNull) {
  const auto value = parsed(R"({"a":null})");

  EXPECT_TRUE(value.contains("a"));
  EXPECT_FALSE(value.contains("b"));
}

TEST(Value, WalksMembersInKeyOrder) {
  const auto value = parsed(R"({"c":1,"a":2,"b":3})");
  std::string seen;

  for (const auto [key, member] : value.members()) {
    seen += std::string{key} + std::to_string(member.as_int());
  }

  EXPECT_EQ(seen, "a2b3c1");
}

TEST(Value, ComparesByContentAndKeepsIntAndFloatApart) {
  EXPECT_EQ(parsed(R"({"a":[1,"long enough to be outside"]})"),
            parsed(R"( { "a" : [ 1 , "long enough to be outside" ] } )"));
  EXPECT_NE(parsed("1"), parsed("1.0"));
  EXPECT_NE(parsed("0.0"), parsed("-0.0"));
  EXPECT_NE(parsed("[1]"), parsed("[1,1]"));
  EXPECT_NE(parsed(R"({"a":1})"), parsed(R"({"b":1})"));
  EXPECT_EQ(Value{}, parsed("null"));
}

TEST(Value, HashesEqualTreesEqually) {
  EXPECT_EQ(parsed(R"({"a":1,"b":[]})").hash(), parsed(R"({"b":[],"a":1})").hash());
  EXPECT_NE(parsed(R"({"a":1,"b":[]})").hash(), parsed(R"({"a":1,"b":{}})").hash());
  EXPECT_NE(parsed(R"(["a","b"])").hash(), parsed(R"(["ab",""])").hash());
  EXPECT_EQ(Value{}.hash(), parsed("null").hash());
}

TEST(Value, HashIsTheSameInEveryVersion) {
  EXPECT_EQ(parsed(R"({"kind":"Pod","n":[1,2.5,true,null,"text that is long"]})").hash().hex(),
            "9ea2b785776be062dad70018ee4dd300");
}

TEST(Value, KeepsKeysThatTheTableDoesNotTake) {
  const std::string long_key(kInternedKeyBytesMax + 1, 'k');
  const auto value = parsed("{\"" + long_key + "\":1,\"a\":{\"" + long_key + "x\":2}}");

  EXPECT_EQ(value.get(long_key).as_int(), 1);
  EXPECT_EQ(value.get("a", long_key + "x").as_int(), 2);
  EXPECT_TRUE(value.get("b").is_null());
  const Value part{value.get("a")};
  EXPECT_EQ(part.compact(), part);
}

TEST(Value, CompactLeavesTheRestBehind) {
  const auto value = parsed(R"({"a":{"keep":"this text"},"b":")" + std::string(4000, 'x') + "\"}");

  const auto part = Value{value.get("a")}.compact();

  EXPECT_EQ(to_text(part), R"({"keep":"this text"})");
  EXPECT_LT(part.block_bytes(), 100U);
}

TEST(Value, IsSharedBetweenThreads) {
  const auto value = parsed(R"({"metadata":{"name":"a rather long name","labels":{"k1":"v"}}})");
  std::vector<std::thread> threads;
  std::vector<Hash128> hashes(4);

  for (std::size_t i = 0; i < hashes.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 200; ++round) {
        const Value copy = value;
        const auto own = parsed("{\"thread-key-" + std::to_string(round) + "\":1}");
        EXPECT_EQ(own.get("thread-key-" + std::to_string(round)).as_int(), 1);
        hashes[i] = copy.hash();
      }
    });
  }
  for (auto& thread : threads) thread.join();

  for (const auto& hash : hashes) EXPECT_EQ(hash, value.hash());
}

}  // namespace
}  // namespace fixpoint::json
