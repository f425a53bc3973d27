// SPDX-License-Identifier: Apache-2.0
#include "verify/world/memo.h"

#include "json/parsed_for_tests.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace fixpoint::verify::world {
namespace {

Hash128 whole_of(const store::Store& store) {
  return store.latest().fingerprint();
}

// Who copies what it reads into "copy", and counts how often it had to.
class Copier {
 public:
  template <class Read>
  std::string copy(store::Store& store, Read read) {
    const Hash128 whole = whole_of(store);
    (void)memo_.run_by_reads(hash128("copy", store.revision().value), whole, store,
                             [&](store::Store& into) -> Memo::Answer {
                               ++times;
                               const std::string seen = read(into);
                               into.put("copy", json::parsed('"' + seen + '"'));
                               return std::nullopt;
                             });
    return std::string{store.latest().find("copy")->body.view().as_string()};
  }

  int times = 0;

 private:
  Memo memo_;
};

std::string one(const store::Store& store) {
  const auto record = store.latest().find("a/one");
  return record ? std::string{record->body.view().as_string()} : "none";
}

std::string all(const store::Store& store) {
  std::string seen;
  store.latest().scan("a/", {}, [&](const store::RecordRef& record) {
    seen += record->body.view().as_string();
    return true;
  });
  return seen;
}

store::Store stored(std::string_view first, std::string_view second) {
  store::Store store;
  store.put("a/one", json::parsed(first));
  store.put("b/two", json::parsed(second));
  return store;
}

TEST(Memo, AsksOnlyOnceWhereWhatWasReadIsTheSame) {
  Copier copier;
  auto first = stored(R"("x")", R"("y")");
  auto second = stored(R"("x")", R"("z")");

  EXPECT_EQ(copier.copy(first, one), "x");
  EXPECT_EQ(copier.copy(second, one), "x");

  EXPECT_EQ(copier.times, 1);
  EXPECT_EQ(second.latest().find("b/two")->body.view().as_string(), "z");
  EXPECT_EQ(first.revision(), second.revision());
}

TEST(Memo, AsksAgainWhereWhatWasReadIsAnother) {
  Copier copier;
  auto first = stored(R"("x")", R"("y")");
  auto second = stored(R"("w")", R"("y")");
  store::Store third;
  third.put("b/two", json::parsed(R"("y")"));
  third.put("b/three", json::parsed(R"("y")"));

  EXPECT_EQ(copier.copy(first, one), "x");
  EXPECT_EQ(copier.copy(second, one), "w");
  EXPECT_EQ(copier.copy(third, one), "none");
}

TEST(Memo, SeesWhatCameIntoARange) {
  Copier copier;
  auto first = stored(R"("x")", R"("y")");
  store::Store second;
  second.put("a/one", json::parsed(R"("x")"));
  second.put("a/two", json::parsed(R"("y")"));

  EXPECT_EQ(copier.copy(first, all), "x");
  EXPECT_EQ(copier.copy(second, all), "xy");
}

TEST(Memo, AsksAgainWhoLookedAtTheWholeStore) {
  Copier copier;
  auto first = stored(R"("x")", R"("y")");
  auto second = stored(R"("x")", R"("z")");
  const auto count = [](const store::Store& store) {
    return std::to_string(store.latest().size());
  };

  EXPECT_EQ(copier.copy(first, count), "2");
  EXPECT_EQ(copier.copy(second, count), "2");

  EXPECT_EQ(copier.times, 2);
}

}  // namespace
}  // namespace fixpoint::verify::world
