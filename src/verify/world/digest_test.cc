// SPDX-License-Identifier: Apache-2.0
#include "verify/world/digest.h"

#include "json/parsing/parse.h"

#include <string>

#include <gtest/gtest.h>

namespace fixpoint::verify::world {
namespace {

constexpr std::string_view kFirst = "0aa1b2c3-0000-4000-8000-000000000001";
constexpr std::string_view kSecond = "0aa1b2c3-0000-4000-8000-000000000002";

json::Value object(std::string_view uid, std::string_view owner, int version) {
  return json::parse(R"({"metadata":{"uid":")" + std::string{uid} +
                     R"(","ownerReferences":[{"uid":")" + std::string{owner} +
                     R"("}],"resourceVersion":")" + std::to_string(version) + R"("}})")
      .value();
}

Hash128 fingerprint(const std::vector<json::Value>& parts, Reductions reductions = {}) {
  std::vector<const Digest*> digests;
  for (const auto& part : parts) digests.push_back(&digest_of(part));
  return Canonical{.reductions = reductions, .first_version = 10}.fingerprint(digests);
}

TEST(WorldDigest, NumbersVersionsByTheirOrder) {
  EXPECT_EQ(fingerprint({object(kFirst, kFirst, 20), object(kFirst, kFirst, 30)}),
            fingerprint({object(kFirst, kFirst, 21), object(kFirst, kFirst, 99)}));
  EXPECT_NE(fingerprint({object(kFirst, kFirst, 20), object(kFirst, kFirst, 30)}),
            fingerprint({object(kFirst, kFirst, 30), object(kFirst, kFirst, 20)}));
  EXPECT_NE(fingerprint({object(kFirst, kFirst, 20), object(kFirst, kFirst, 20)}),
            fingerprint({object(kFirst, kFirst, 20), object(kFirst, kFirst, 21)}));
}

TEST(WorldDigest, KeepsVersionsOfTheBeginning) {
  EXPECT_NE(fingerprint({object(kFirst, kFirst, 9)}), fingerprint({object(kFirst, kFirst, 10)}));
  EXPECT_NE(fingerprint({object(kFirst, kFirst, 10)}), fingerprint({object(kFirst, kFirst, 11)}));
}

TEST(WorldDigest, NumbersUidsByFirstMention) {
  EXPECT_EQ(fingerprint({object(kFirst, kSecond, 20)}), fingerprint({object(kSecond, kFirst, 20)}));
  EXPECT_NE(fingerprint({object(kFirst, kSecond, 20)}), fingerprint({object(kFirst, kFirst, 20)}));
}

// Few are found one way and many another.
TEST(WorldDigest, TellsWhichOfManyIsMentionedAgain) {
  const auto many = [](int again) -> Digest {
    std::string text = "[";
    for (int at = 0; at < 100; ++at) {
      text += R"({"resourceVersion":")" + std::to_string(100 + at) + R"("},)";
    }
    const auto value =
        json::parse(text + R"({"resourceVersion":")" + std::to_string(again) + R"("}])").value();
    return digest_of(value);
  };

  EXPECT_EQ(many(105).mentions.size(), 100U);
  EXPECT_EQ(many(200).mentions.size(), 101U);
  EXPECT_NE(many(105).shape, many(106).shape);
  EXPECT_NE(many(105).shape, many(190).shape);
  EXPECT_NE(many(199).shape, many(200).shape);
}

TEST(WorldDigest, FindsUidsInsideOfTexts) {
  const auto text = [](std::string_view uid) {
    return json::parse(R"({"k:{\"uid\":\")" + std::string{uid} + R"(\"}":"owner-)" +
                       std::string{uid} + R"("})")
        .value();
  };

  EXPECT_EQ(fingerprint({text(kFirst)}), fingerprint({text(kSecond)}));
}

TEST(WorldDigest, DoesNothingOfThatWhenToldNotTo) {
  const Reductions none{.versions = false, .uids = false, .times = false, .deadlines = false};

  EXPECT_NE(fingerprint({object(kFirst, kFirst, 20)}, none),
            fingerprint({object(kFirst, kFirst, 21)}, none));
  EXPECT_NE(fingerprint({object(kFirst, kFirst, 20)}, none),
            fingerprint({object(kSecond, kSecond, 20)}, none));
}

}  // namespace
}  // namespace fixpoint::verify::world
