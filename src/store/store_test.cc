// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include "store/body_for_tests.h"
#include "store/history.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> keys(const Snapshot& snapshot, std::string_view prefix = "",
                              std::string_view after = "") {
  std::vector<std::string> found;
  snapshot.scan(prefix, after, [&](const RecordRef& record) {
    found.push_back(record->key);
    return true;
  });
  return found;
}

TEST(Store, NumbersEveryChangeAndRemembersWhenAnObjectWasCreated) {
  Store store;

  const Event created = store.put("pods/a/x", body(1));
  const Event changed = store.put("pods/a/x", body(2));

  EXPECT_EQ(created.revision, Revision{1});
  EXPECT_FALSE(created.before);
  EXPECT_EQ(changed.revision, Revision{2});
  EXPECT_EQ(changed.before, created.after);
  EXPECT_EQ(changed.after->created, Revision{1});
  EXPECT_EQ(changed.after->modified, Revision{2});
  EXPECT_EQ(store.latest().find("pods/a/x"), changed.after);
}

TEST(Store, ARemovalTellsTheLastBodyAndTakesARevision) {
  Store store;
  store.put("pods/a/x", body(1));

  const Event removed = store.erase("pods/a/x", body(9));

  EXPECT_EQ(removed.revision, Revision{2});
  EXPECT_FALSE(removed.after);
  EXPECT_EQ(removed.key(), "pods/a/x");
  EXPECT_EQ(removed.last->body, body(9));
  EXPECT_EQ(removed.last->created, Revision{1});
  EXPECT_EQ(removed.last->modified, Revision{2});
  EXPECT_EQ(store.latest().size(), 0U);
  EXPECT_FALSE(store.latest().find("pods/a/x"));
}

TEST(Store, AnObjectCreatedAgainIsANewOne) {
  Store store;
  store.put("a", body(1));
  store.erase("a", body(1));

  EXPECT_EQ(store.put("a", body(1)).after->created, Revision{3});
}

TEST(Store, ScansInByteOrderWithinAPrefixAndAfterAKey) {
  Store store;
  for (const auto* key : {"pods/b/2", "pods//z", "pods/a/1", "podx/a/1", "nodes//n", "pods/b/1"}) {
    store.put(key, body(0));
  }
  const Snapshot& all = store.latest();

  EXPECT_THAT(keys(all),
              ElementsAre("nodes//n", "pods//z", "pods/a/1", "pods/b/1", "pods/b/2", "podx/a/1"));
  EXPECT_THAT(keys(all, "pods/b/"), ElementsAre("pods/b/1", "pods/b/2"));
  EXPECT_THAT(keys(all, "pods/", "pods/a/1"), ElementsAre("pods/b/1", "pods/b/2"));
  EXPECT_THAT(keys(all, "pods/b/", "nodes//n"), ElementsAre("pods/b/1", "pods/b/2"));
  EXPECT_THAT(keys(all, "pods/a/", "pods/b/1"), IsEmpty());
  EXPECT_EQ(all.count("pods/"), 4U);
  EXPECT_EQ(all.count(""), 6U);
  EXPECT_EQ(all.count("q"), 0U);
}

TEST(Store, AScanStopsWhenTheVisitorHasEnough) {
  Store store;
  for (int i = 0; i < 100; ++i) store.put("k" + std::to_string(100 + i), body(i));

  int seen = 0;
  store.latest().scan("k", "", [&](const RecordRef&) { return ++seen < 7; });

  EXPECT_EQ(seen, 7);
}

TEST(Store, AVisitorMayChangeTheStoreItScans) {
  Store store;
  for (int i = 0; i < 200; ++i) store.put("k" + std::to_string(100 + i), body(i));

  std::size_t seen = 0;
  store.latest().scan("", "", [&](const RecordRef& record) {
    ++seen;
    store.erase(record->key, body(0));
    return true;
  });

  EXPECT_EQ(seen, 200U);
  EXPECT_EQ(store.latest().size(), 0U);
}

TEST(Store, ForksDoNotSeeEachOther) {
  Store one;
  one.put("a", body(1));
  Store two = one.fork();

  one.put("a", body(2));
  two.put("b", body(3));

  EXPECT_THAT(keys(one.latest()), ElementsAre("a"));
  EXPECT_THAT(keys(two.latest()), ElementsAre("a", "b"));
  EXPECT_EQ(two.latest().find("a")->body, body(1));
  EXPECT_EQ(one.events_after(Revision{1})->front().key(), "a");
  EXPECT_EQ(two.events_after(Revision{1})->front().key(), "b");
}

TEST(Store, EqualContentsAreEqualWhateverThePathThatLedThere) {
  Store one;
  Store two;
  for (int i = 0; i < 500; ++i) one.put("k" + std::to_string(i), body(i));
  for (int i = 499; i >= 0; --i) two.put("k" + std::to_string(i), body(i + 1));
  for (int i = 0; i < 500; ++i) two.put("k" + std::to_string(i), body(i));
  two.put("x", body(0));
  EXPECT_FALSE(one.latest() == two.latest());
  two.erase("x", body(0));

  EXPECT_TRUE(one.latest() == two.latest());
  EXPECT_NE(one.revision(), two.revision());
}

TEST(Store, ObjectsThatExchangedTheirBodiesAreNoticed) {
  Store one;
  Store two;
  one.put("a", body(1));
  one.put("b", body(2));
  two.put("a", body(2));
  two.put("b", body(1));

  EXPECT_FALSE(one.latest() == two.latest());
}

TEST(Store, AFingerprintFollowsAChangeMadeInPlace) {
  Store store;
  store.put("a", body(1));
  const Hash128 before = store.latest().fingerprint();

  store.put("a", body(2));
  const Hash128 changed = store.latest().fingerprint();
  store.put("a", body(1));

  EXPECT_NE(changed, before);
  EXPECT_EQ(store.latest().fingerprint(), before);
}

TEST(Store, ReadsThePastAndRefusesTheFutureAndTheForgotten) {
  Store store;
  for (int i = 1; i <= 10; ++i) store.put("a", body(i));

  store.compact(Revision{4});

  EXPECT_EQ(store.oldest(), Revision{4});
  EXPECT_EQ(store.at(Revision{4})->find("a")->body, body(4));
  EXPECT_EQ(store.at(Revision{4})->revision(), Revision{4});
  EXPECT_EQ(store.at(Revision{3}).error().kind, ErrorKind::Gone);
  EXPECT_EQ(store.at(Revision{11}).error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(store.events_after(Revision{4})->size(), 6U);
  EXPECT_EQ(store.events_after(Revision{3}).error().kind, ErrorKind::Gone);
  EXPECT_THAT(*store.events_after(Revision{10}), IsEmpty());
}

TEST(Store, KeepsNoMoreEventsThanItsLimit) {
  Store store{HistoryLimits{.events_max = 100}};

  for (int i = 1; i <= 1000; ++i) store.put("a", body(i));

  EXPECT_EQ(store.oldest(), Revision{900});
  EXPECT_EQ(store.events_after(Revision{900})->size(), 100U);
}

TEST(Store, KeepsNoMoreBytesThanItsLimit) {
  const auto large = json::Value::string(std::string(100'000, 'x'));
  Store store{
      HistoryLimits{.events_max = 1'000'000, .bytes_max = 2'000'000}
  };

  for (int i = 0; i < 100; ++i) store.put("a", large);

  const auto kept = store.revision().value - store.oldest().value;
  EXPECT_LE(kept, 20U);
  EXPECT_GE(kept, 15U);
}

TEST(Store, KeepsWhatIsNotYetDurableWhateverItsLimits) {
  Store store{HistoryLimits{.events_max = 16}};
  store.keep_after(Revision{0});

  for (int i = 1; i <= 100; ++i) store.put("a", body(i));
  store.compact(Revision{80});

  EXPECT_EQ(store.oldest(), Revision{0});
  EXPECT_EQ(store.events_after(Revision{0})->size(), 100U);
  store.keep_after(Revision{90});
  store.put("a", body(101));
  EXPECT_EQ(store.oldest(), Revision{85});
  store.compact(Revision{101});
  EXPECT_EQ(store.oldest(), Revision{90});
  EXPECT_TRUE(store.rewind(Revision{90}));
}

TEST(Store, WithoutHistoryOnlyThePresentIsThere) {
  Store store{HistoryLimits{.events_max = 0}};

  store.put("a", body(1));
  store.put("a", body(2));

  EXPECT_EQ(store.oldest(), Revision{2});
  EXPECT_TRUE(store.at(Revision{2}));
  EXPECT_FALSE(store.at(Revision{1}));
}

TEST(Store, StartsFromRecoveredRecordsInAnyOrder) {
  Store first;
  for (int i = 0; i < 300; ++i) first.put("k" + std::to_string(i * 7919 % 300), body(i));
  std::vector<RecordRef> records;
  first.latest().scan("", "", [&](const RecordRef& record) {
    records.push_back(record);
    return true;
  });
  std::swap(records.front(), records.back());

  Store second{records, first.revision()};

  EXPECT_TRUE(second.latest() == first.latest());
  EXPECT_EQ(second.oldest(), first.revision());
  EXPECT_EQ(second.next_revision(), Revision{301});
  EXPECT_EQ(second.put("k0", body(0)).revision, Revision{301});
}

TEST(Store, RewindingTakesChangesBackAndGoesOnFromThere) {
  Store store;
  for (int i = 1; i <= 1000; ++i) store.put("k" + std::to_string(i % 37), body(i));
  const Store then = store.fork();
  for (int i = 1; i <= 1000; ++i) store.put("x" + std::to_string(i % 41), body(i));
  store.erase("k1", body(0));

  ASSERT_TRUE(store.rewind(Revision{1000}));

  EXPECT_EQ(store.revision(), Revision{1000});
  EXPECT_TRUE(store.latest() == then.latest());
  EXPECT_THAT(*store.events_after(Revision{1000}), IsEmpty());
  EXPECT_EQ(store.put("k1", body(5)).revision, Revision{1001});
  EXPECT_EQ(store.events_after(Revision{999})->size(), 2U);
  EXPECT_FALSE(store.rewind(Revision{5000}));
}

TEST(Store, LettingGoOfALongHistoryDoesNotExhaustTheStack) {
  Store store{
      HistoryLimits{.events_max = 10'000'000, .bytes_max = std::size_t{1} << 40U}
  };
  for (int i = 0; i < 300'000; ++i) store.put("a", body(i));

  store.compact(store.revision());

  EXPECT_EQ(store.oldest(), store.revision());
}

}  // namespace
}  // namespace fixpoint::store
