// SPDX-License-Identifier: Apache-2.0
//
// The table against std::map, with enough objects that arrays grow, chunks split and crowds leave.
#include "runtime/cache/object_table.h"

#include "base/rng.h"
#include "runtime/cache/cached_object.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

TEST(SortedChunks, AgreeWithASet) {
  Rng rng{7};
  SortedChunks<std::uint32_t> chunks;
  std::set<std::uint32_t> wanted;
  for (int i = 0; i < 20'000; ++i) {
    const auto item = static_cast<std::uint32_t>(rng.below(3'000));
    if (rng.below(i < 10'000 ? 4 : 2) != 0) {
      EXPECT_EQ(chunks.insert(item, std::less<>{}), wanted.insert(item).second);
    } else {
      EXPECT_EQ(chunks.erase(item, std::less<>{}), wanted.erase(item) == 1);
    }
    if (i % 500 != 0) continue;
    const auto from = static_cast<std::uint32_t>(rng.below(3'100));
    std::vector<std::uint32_t> found;
    chunks.scan([&](std::uint32_t at) { return at < from; },
                [&](std::uint32_t at) { return found.push_back(at), true; });
    ASSERT_EQ(found, std::vector(wanted.lower_bound(from), wanted.end()));
    ASSERT_EQ(chunks.size(), wanted.size());
  }
}

TEST(SortedChunks, StopScanningWhenTold) {
  SortedChunks<int> chunks;
  for (int i = 0; i < 1'000; ++i) chunks.insert(i, std::less<>{});

  int visited = 0;
  chunks.scan([](int at) { return at < 250; }, [&](int at) { return ++visited, at < 260; });

  EXPECT_EQ(visited, 11);
}

class TableTrial {
 public:
  TableTrial() : table_(std::make_shared<const std::vector<Index>>(indexes())) {}

  void put(const CachedObject& object) {
    const kube::Key key{object.ns, object.name};
    const auto slot = table_.find({key.ns, key.name});
    ASSERT_EQ(slot != kNoEntry, wanted_.contains(key));
    if (slot == kNoEntry) {
      table_.insert(object, object.version, 0);
    } else {
      table_.replace(slot, object, object.version, 0);
    }
    wanted_[key] = object;
  }

  void erase(const kube::Key& key) {
    const auto slot = table_.find({key.ns, key.name});
    ASSERT_EQ(slot != kNoEntry, wanted_.contains(key));
    if (slot == kNoEntry) return;
    const auto erased = table_.erase(slot);
    EXPECT_EQ(kube::key_of(erased), key);
    wanted_.erase(key);
  }

  void check() const {
    ASSERT_EQ(table_.size(), wanted_.size());
    std::vector<std::string> keys;
    std::vector<std::string> found;
    for (const auto& [key, object] : wanted_) {
      keys.push_back(key.ns + "/" + key.name + "@" + std::to_string(object.version));
      ASSERT_NE(table_.find({key.ns, key.name}), kNoEntry);
    }
    for (const auto object : table_.list("")) {
      found.push_back(std::string{kube::namespace_of(object)} + "/" + runtime::brief(object));
    }
    ASSERT_EQ(found, keys);
    check_found(
        "owner", "p1", [&](const auto& o) { return o.owner == "p1"; }, table_.owned_by("p1"));
    check_found(
        "app", "x2", [&](const auto& o) { return o.app == "x2"; }, table_.indexed("app", "x2"));
    check_found(
        "namespace", "two", [&](const auto& o) { return o.ns == "two"; }, table_.list("two"));
  }

  const ObjectTable& table() const { return table_; }
  std::map<kube::Key, CachedObject>& wanted() { return wanted_; }

 private:
  static std::vector<Index> indexes() {
    return {
        {"app", [](json::View object, const auto& add) {
           add(kube::label_of(object, "app"));
           add("everybody");
         }}
    };
  }

  template <class Which>
  void check_found(std::string_view what, std::string_view value, Which which,
                   const std::vector<json::View>& found) const {
    std::vector<kube::Key> keys;
    std::vector<kube::Key> found_keys;
    for (const auto& [key, object] : wanted_) {
      if (which(object)) keys.push_back(key);
    }
    for (const auto object : found) found_keys.push_back(kube::key_of(object));
    ASSERT_EQ(found_keys, keys) << what << " " << value;
  }

  ObjectTable table_;
  std::map<kube::Key, CachedObject> wanted_;
};

CachedObject random_object(Rng& rng, std::uint64_t version) {
  return {.ns = rng.below(2) == 0 ? "one" : "two",
          .name = "n" + std::to_string(rng.below(4'000)),
          .version = version,
          .app = "x" + std::to_string(rng.below(5)),
          .owner = rng.below(3) == 0 ? "" : "p" + std::to_string(rng.below(50))};
}

TEST(ObjectTable, AgreesWithAMapWhileItGrowsAndShrinks) {
  Rng rng{11};
  TableTrial trial;
  for (std::uint64_t i = 1; i <= 6'000 && !testing::Test::HasFatalFailure(); ++i) {
    const auto object = random_object(rng, i);
    if (rng.below(4) == 0) {
      trial.erase({object.ns, object.name});
    } else {
      trial.put(object);
    }
    if (i % 1'500 == 0) trial.check();
  }
  const auto crowded = trial.table().bytes();
  ASSERT_GT(trial.table().size(), 3'000U);

  while (trial.wanted().size() > 50) trial.erase(trial.wanted().begin()->first);

  trial.check();
  EXPECT_LT(trial.table().bytes() * 10, crowded) << "the room of those who left is given back";
}

TEST(ObjectTable, FindsEverybodyByAValueThatAllShare) {
  Rng rng{13};
  TableTrial trial;
  for (std::uint64_t i = 1; i <= 2'000; ++i) trial.put(random_object(rng, i));

  EXPECT_EQ(trial.table().indexed("app", "everybody").size(), trial.table().size());
  EXPECT_EQ(trial.table().indexed("app", "nobody").size(), 0U);
}

TEST(ObjectTable, TakesObjectsOfTheClusterToo) {
  ObjectTable table{std::make_shared<const std::vector<Index>>()};
  const auto node = json::parse(R"({"metadata":{"name":"n"}})").value();

  table.insert(node, 1, 0);

  EXPECT_NE(table.find({"", "n"}), kNoEntry);
  EXPECT_EQ(table.find({"n", ""}), kNoEntry);
  EXPECT_EQ(table.list("").size(), 1U);
}

}  // namespace
}  // namespace fixpoint::runtime
