// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/contents.h"

#include "runtime/cache/cached_object.h"
#include "runtime/cache/feed.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

std::string summary(const Change& change) {
  return fmt::format("{}>{}", runtime::brief(change.before), runtime::brief(change.after));
}
std::string summary(const std::optional<Change>& change) {
  return change ? summary(*change) : "nothing";
}
std::string summary(const std::vector<Change>& changes) {
  std::string text;
  for (const auto& change : changes) text += (text.empty() ? "" : " ") + summary(change);
  return text;
}
std::string summary(const std::vector<json::View>& objects) {
  std::string text;
  for (const auto object : objects) text += (text.empty() ? "" : " ") + runtime::brief(object);
  return text;
}

std::vector<Change> relist(Contents& contents, std::vector<json::Value> items,
                           std::string_view version, FeedId feed = 0) {
  contents.begin_relist(feed);
  auto changes = contents.put_page(std::move(items), version, feed).value();
  for (auto& change : contents.end_relist(feed)) changes.push_back(std::move(change));
  return changes;
}

Contents listed(std::vector<json::Value> items, std::string_view version,
                client::Collection collection = config_maps()) {
  Contents contents{std::move(collection), {}};
  relist(contents, std::move(items), version);
  return contents;
}

std::optional<Change> event(Contents& contents, const CachedObject& object) {
  auto change = contents.put(object, Origin::Watch);
  contents.seen(std::to_string(object.version));
  return change;
}
std::optional<Change> deleted(Contents& contents, const CachedObject& object) {
  const auto last = object.value();
  auto change = contents.remove(last, Origin::Watch);
  contents.seen(std::to_string(object.version));
  return change;
}

const kube::Key kA{"default", "a"};

TEST(Contents, FindsByKeyAndListsInOrderOfKey) {
  const auto contents = listed(
      {
          CachedObject{.ns = "z", .name = "a"},
          CachedObject{.name = "b"},
          CachedObject{.name = "a"}
  },
      "5");

  EXPECT_EQ(summary(contents.list("default")), "a@1 b@1");
  EXPECT_EQ(contents.list("").size(), 3U);
  EXPECT_EQ(kube::namespace_of(contents.list("")[2]), "z");
  EXPECT_EQ(runtime::brief(contents.get({"z", "a"})), "a@1");
  EXPECT_TRUE(contents.get({"z", "b"}).is_null());
  EXPECT_EQ(contents.list("y").size(), 0U);
}

TEST(Contents, KnowsWhoseAnObjectIsAndFollowsItsChangeOfOwner) {
  auto contents = listed(
      {
          CachedObject{.name = "a", .owner = "p"},
          CachedObject{.name = "b", .owner = "q"},
          CachedObject{.name = "c"}
  },
      "5");

  event(contents, {.name = "b", .version = 6, .owner = "p"});

  EXPECT_EQ(summary(contents.owned_by("p")), "a@1 b@6");
  EXPECT_EQ(summary(contents.owned_by("q")), "");
  EXPECT_EQ(summary(contents.owned_by("")), "");
}

TEST(Contents, FindsByADeclaredIndex) {
  const Index by_app{"app", [](json::View object, const auto& add) {
                       const auto app = kube::label_of(object, "app");
                       if (!app.empty()) add(app);
                     }};
  Contents contents{config_maps(), {by_app}};
  relist(contents,
         {
             CachedObject{.name = "b", .app = "x"},
             CachedObject{.name = "a", .app = "x"}
  },
         "5");

  event(contents, {.name = "c", .version = 6, .app = "y"});
  event(contents, {.name = "b", .version = 7});

  EXPECT_EQ(summary(contents.indexed("app", "x")), "a@1");
  EXPECT_EQ(summary(contents.indexed("app", "y")), "c@6");
  EXPECT_EQ(summary(contents.indexed("tier", "y")), "");
}

TEST(Contents, ReportsWhatAnEventChanges) {
  auto contents = listed({CachedObject{.version = 3}}, "5");

  EXPECT_EQ(summary(event(contents, {.version = 6})), "a@3>a@6");
  EXPECT_EQ(summary(event(contents, {.name = "b", .version = 7})), "->b@7");
  EXPECT_EQ(summary(deleted(contents, {.version = 8})), "a@6>-");
  EXPECT_EQ(contents.size(), 1U);
  EXPECT_EQ(contents.resource_version(), "8");
}

TEST(Contents, SeesAnOwnWriteAtOnceAndTakesItsEchoForNothing) {
  auto contents = listed({CachedObject{.version = 3}}, "5");

  EXPECT_EQ(summary(contents.put(CachedObject{.version = 8}, Origin::OwnWrite)), "a@3>a@8");
  EXPECT_EQ(runtime::brief(contents.get(kA)), "a@8");

  EXPECT_EQ(summary(event(contents, {.version = 7})), "nothing") << "somebody else's, overtaken";
  EXPECT_EQ(summary(event(contents, {.version = 8})), "nothing");
  EXPECT_EQ(summary(event(contents, {.version = 9})), "a@8>a@9");
  EXPECT_EQ(contents.oddities().from_the_past, 0U) << "lagging behind own writes is normal";
}

TEST(Contents, DoesNotGoBackForALateAnswerToAnOwnWrite) {
  auto contents = listed({CachedObject{.version = 3}}, "5");
  event(contents, {.version = 9});

  EXPECT_EQ(summary(contents.put(CachedObject{.version = 8}, Origin::OwnWrite)), "nothing");
  EXPECT_EQ(runtime::brief(contents.get(kA)), "a@9");
}

TEST(Contents, DoesNotReviveADeletedObjectForALateAnswer) {
  auto contents = listed({CachedObject{.version = 3}}, "5");
  deleted(contents, {.version = 9});
  contents.seen("20");

  EXPECT_EQ(summary(contents.put(CachedObject{.version = 8}, Origin::OwnWrite)), "nothing");
  EXPECT_TRUE(contents.get(kA).is_null());
}

TEST(Contents, DoesNotReviveWhatItDeletedItselfForEventsOnTheirWay) {
  auto contents = listed({CachedObject{.version = 3}}, "5");

  EXPECT_EQ(summary(contents.gone(kA, "u1")), "a@3>-");
  EXPECT_EQ(summary(event(contents, {.version = 6})), "nothing");
  EXPECT_EQ(summary(deleted(contents, {.version = 7})), "nothing");
  EXPECT_EQ(summary(event(contents, {.uid = "u2", .version = 8})), "->a@8") << "a new one may come";
}

TEST(Contents, KeepsANamesakeOfWhatIsGone) {
  auto contents = listed(
      {
          CachedObject{.uid = "u2", .version = 4}
  },
      "5");

  EXPECT_EQ(summary(contents.gone(kA, "u1")), "nothing");
  EXPECT_EQ(summary(contents.gone(kA, "")), "nothing") << "nobody knows which one was meant";
  EXPECT_EQ(runtime::brief(contents.get(kA)), "a@4");
}

TEST(Contents, IgnoresTheDeletionOfThePredecessor) {
  auto contents = listed({CachedObject{.version = 3}}, "5");
  contents.put(CachedObject{.uid = "u2", .version = 8}, Origin::OwnWrite);

  EXPECT_EQ(summary(deleted(contents, {.uid = "u1", .version = 7})), "nothing");
  EXPECT_EQ(runtime::brief(contents.get(kA)), "a@8");
}

TEST(Contents, ReportsAReplacementAsOneChange) {
  auto contents = listed({CachedObject{.version = 3}}, "5");

  const auto change = event(contents, {.uid = "u2", .version = 9});

  ASSERT_TRUE(change);
  EXPECT_EQ(kube::uid_of(change->before), "u1");
  EXPECT_EQ(kube::uid_of(change->after), "u2");
}

TEST(Contents, DropsEventsOfThePastAndCountsThem) {
  auto contents = listed({CachedObject{.version = 3}}, "10");

  EXPECT_EQ(summary(contents.put(CachedObject{.version = 7}, Origin::Watch)), "nothing");
  EXPECT_EQ(summary(contents.put(CachedObject{.name = "b", .version = 7}, Origin::Watch)),
            "nothing");
  const auto last = CachedObject{.version = 8}.value();
  EXPECT_EQ(summary(contents.remove(last, Origin::Watch)), "nothing");
  contents.seen("8");

  EXPECT_EQ(contents.oddities().from_the_past, 4U);
  EXPECT_EQ(contents.resource_version(), "10");
  EXPECT_EQ(summary(contents.list("")), "a@3");
}

TEST(Contents, TakesEachEventOnce) {
  auto contents = listed({}, "5");
  event(contents, {.version = 6});
  deleted(contents, {.version = 7});

  EXPECT_EQ(summary(event(contents, {.version = 7})), "nothing");
  EXPECT_EQ(contents.size(), 0U);
}

TEST(Contents, RelistsInPlaceAndReportsOnlyDifferences) {
  auto contents = listed(
      {
          CachedObject{.name = "a", .version = 1},
          CachedObject{.name = "b"},
          CachedObject{.name = "c"}
  },
      "5");
  const auto* kept = contents.get(kA).block();

  const auto changes =
      relist(contents,
             {
                 CachedObject{.name = "a"},
                 CachedObject{.name = "c", .version = 7},
                 CachedObject{.name = "d", .version = 8}
  },
             "9");

  EXPECT_EQ(summary(changes), "c@1>c@7 ->d@8 b@1>-");
  for (const auto& change : changes) EXPECT_EQ(change.origin, Origin::Relist);
  EXPECT_EQ(contents.get(kA).block(), kept) << "what did not change was not touched";
  EXPECT_EQ(contents.resource_version(), "9");
}

TEST(Contents, StartsAnewByContentSinceVersionsAreGivenAgain) {
  auto contents = listed(
      {
          CachedObject{.name = "a", .version = 30},
          CachedObject{.name = "b", .version = 31},
          CachedObject{.name = "c", .version = 52}
  },
      "60");
  deleted(contents, {.name = "d", .uid = "ud", .version = 61});
  contents.gone({"default", "e"}, "ue");
  EXPECT_TRUE(contents.is_past("60"));
  EXPECT_FALSE(contents.is_past("61"));

  contents.start_anew();
  EXPECT_EQ(contents.size(), 3U);
  contents.begin_relist();
  // While the pages come in an own write is answered, in the new time.
  EXPECT_EQ(summary(contents.put(CachedObject{.name = "c", .app = "own", .version_text = "45"},
                                 Origin::OwnWrite)),
            "c@52>c@45");
  std::vector<json::Value> items{
      CachedObject{.name = "a", .version = 30},
      CachedObject{.name = "b", .version = 31, .app = "other"},
      CachedObject{.name = "c", .version = 20},
      CachedObject{.name = "e", .uid = "ue", .version = 21}
  };

  EXPECT_EQ(summary(contents.put_page(std::move(items), "44").value()), "b@31>b@31 ->e@21");
  EXPECT_EQ(summary(contents.end_relist()), "");
  EXPECT_EQ(runtime::brief(contents.get({"default", "c"})), "c@45");
  EXPECT_EQ(summary(event(contents, {.name = "a", .version = 46})), "a@30>a@46")
      << "where the watch stood in the old time does not count";
}

TEST(Contents, SaysThatTheFirstListIsTheFirst) {
  Contents contents{config_maps(), {}};
  EXPECT_FALSE(contents.synced());

  const auto changes = relist(contents, {CachedObject{}}, "5");

  EXPECT_TRUE(contents.synced());
  EXPECT_EQ(changes.at(0).origin, Origin::InitialList);
}

TEST(Contents, KeepsOwnWritesThatAreNewerThanTheList) {
  auto contents = listed({}, "5");
  contents.begin_relist();
  contents.put(CachedObject{.name = "late", .version = 12}, Origin::OwnWrite);
  contents.put(CachedObject{.name = "early", .version = 8}, Origin::OwnWrite);

  ASSERT_TRUE(contents.put_page({}, "10"));
  const auto changes = contents.end_relist();

  EXPECT_EQ(summary(changes), "early@8>-") << "the list would have it if it still were";
  EXPECT_EQ(summary(contents.list("")), "late@12");
}

TEST(Contents, DoesNotTakeTheListsStateOverANewerOwnWrite) {
  auto contents = listed({CachedObject{.version = 3}}, "5");
  contents.begin_relist();
  contents.put(CachedObject{.version = 12}, Origin::OwnWrite);

  EXPECT_EQ(summary(contents.put_page({CachedObject{.version = 7}}, "10").value()), "");
  EXPECT_EQ(summary(contents.end_relist()), "");
  EXPECT_EQ(runtime::brief(contents.get(kA)), "a@12");
}

TEST(Contents, DoesNotReviveWhatItDeletedWhileTheListWasUnderWay) {
  auto contents = listed({CachedObject{.version = 3}}, "5");
  contents.begin_relist();
  contents.gone(kA, "u1");

  EXPECT_EQ(summary(contents.put_page({CachedObject{.version = 3}}, "10").value()), "");
  contents.end_relist();
  EXPECT_EQ(summary(event(contents, {.version = 11})), "nothing");
  EXPECT_EQ(contents.size(), 0U);
}

TEST(Contents, KeepsInMindWhatAListStillMentions) {
  auto contents = listed({CachedObject{.version = 3}}, "5");
  contents.gone(kA, "u1");

  relist(contents, {CachedObject{.version = 4}}, "6");

  EXPECT_EQ(summary(event(contents, {.version = 7})), "nothing") << "that list was from before";
  EXPECT_EQ(summary(deleted(contents, {.version = 8})), "nothing");
  EXPECT_EQ(contents.size(), 0U);
}

TEST(Contents, RefusesAListOlderThanWhatWasSeen) {
  auto contents = listed({CachedObject{.version = 3}}, "10");
  contents.begin_relist();

  const auto refused = contents.put_page(
      {
          CachedObject{.name = "ghost", .version = 2}
  },
      "9");

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(summary(contents.list("")), "a@3");
  EXPECT_EQ(contents.oddities().from_the_past, 1U);
  EXPECT_EQ(contents.resource_version(), "10");
}

TEST(Contents, RefusesAListOlderThanAnOwnWriteBeforeIt) {
  auto contents = listed({}, "10");
  contents.put(CachedObject{.version = 15}, Origin::OwnWrite);
  contents.begin_relist();

  EXPECT_FALSE(contents.put_page({}, "14"));
  contents.begin_relist();
  EXPECT_TRUE(contents.put_page({CachedObject{.version = 15}}, "15"));
}

TEST(Contents, StartsARelistOverAndForgetsTheHalfOfTheFirst) {
  auto contents = listed({CachedObject{.name = "a"}, CachedObject{.name = "b"}}, "5");
  contents.begin_relist();
  ASSERT_TRUE(contents.put_page({CachedObject{.name = "a"}}, "6"));

  contents.begin_relist();
  ASSERT_TRUE(contents.put_page({CachedObject{.name = "b"}}, "8"));

  EXPECT_EQ(summary(contents.end_relist()), "a@1>-");
}

TEST(Contents, RemovesWhatAnOwnWriteTakesOutOfTheSelection) {
  auto contents = listed(
      {
          CachedObject{.version = 3, .app = "x"}
  },
      "5", config_maps("", {.labels = "app=x", .fields = ""}));

  EXPECT_EQ(summary(contents.put(CachedObject{.version = 9, .app = "y"}, Origin::OwnWrite)),
            "a@3>-");
  EXPECT_EQ(summary(event(contents, {.version = 7, .app = "x"})), "nothing")
      << "from before it left";
  EXPECT_EQ(summary(deleted(contents, {.version = 9, .app = "x"})), "nothing");
  EXPECT_EQ(summary(event(contents, {.version = 12, .app = "x"})), "->a@12") << "it came back";
}

TEST(Contents, LeavesOutOwnWritesOfOtherKindsNamespacesAndFields) {
  auto contents = listed({}, "5", config_maps("default", {.labels = "", .fields = "data.v=9"}));

  contents.put(CachedObject{.ns = "other", .version = 9}, Origin::OwnWrite);
  contents.put(CachedObject{.version = 8}, Origin::OwnWrite);
  contents.put(json::parse(R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a",
      "namespace":"default","resourceVersion":"9","uid":"u"},"data":{"v":"9"}})")
                   .value(),
               Origin::OwnWrite);
  EXPECT_EQ(contents.size(), 0U);

  contents.put(CachedObject{.version = 9}, Origin::OwnWrite);
  EXPECT_EQ(contents.size(), 1U);
}

TEST(Contents, CutsOwnWritesToTheShape) {
  const auto shape = std::make_shared<const json::Shape>(
      json::Shape::all().without({"metadata", "managedFields"}).without({"data"}));
  Contents contents{config_maps(), {}, shape};
  relist(contents, {}, "5");

  contents.put(CachedObject{.version = 6}, Origin::OwnWrite);

  EXPECT_FALSE(contents.get(kA).contains("data"));
  EXPECT_EQ(runtime::brief(contents.get(kA)), "a@6");
}

TEST(Contents, ForksWithoutSeeingEachOther) {
  auto one = listed({CachedObject{.version = 3}}, "5");
  auto two = one;

  event(one, {.version = 6});
  event(two, {.name = "b", .version = 7});

  EXPECT_EQ(summary(one.list("")), "a@6");
  EXPECT_EQ(summary(two.list("")), "a@3 b@7");
  EXPECT_EQ(one.resource_version(), "6");
}

TEST(Contents, FollowsNamespacesOneByOne) {
  Contents contents{config_maps("one"), {}};
  const auto two = contents.follow("two");
  relist(contents, {CachedObject{.ns = "one"}}, "5");
  EXPECT_FALSE(contents.synced());

  relist(contents,
         {
             CachedObject{.ns = "two", .name = "b"}
  },
         "7", two);

  EXPECT_TRUE(contents.synced());
  EXPECT_EQ(contents.resource_version(), "5");
  EXPECT_EQ(contents.resource_version(two), "7");
  EXPECT_EQ(summary(contents.put(CachedObject{.ns = "one", .version = 6}, Origin::Watch)),
            "a@1>a@6")
      << "one namespace's position says nothing about the other's";
  EXPECT_EQ(summary(relist(contents, {}, "9", 0)), "a@6>-") << "only its own";
  EXPECT_EQ(summary(contents.unfollow(two)), "b@1>-");
  EXPECT_EQ(summary(contents.put(CachedObject{.ns = "two", .version = 20}, Origin::OwnWrite)),
            "nothing");
  EXPECT_EQ(contents.follow("three"), two) << "a closed feed's place is taken again";
}

TEST(Contents, EmptiesWhenTheKindIsGoneAndKnowsThePastAfterwards) {
  auto contents = listed({CachedObject{.name = "b"}, CachedObject{.name = "a"}}, "10");

  EXPECT_EQ(summary(contents.clear()), "a@1>- b@1>-");
  EXPECT_FALSE(contents.synced());
  EXPECT_EQ(contents.resource_version(), "");
  contents.begin_relist();
  EXPECT_FALSE(contents.put_page({CachedObject{}}, "9"));
}

TEST(Contents, IsFollowedWithoutNumbersToo) {
  auto contents = listed({CachedObject{.version_text = "x1"}}, "abc");

  EXPECT_EQ(summary(contents.put(CachedObject{.version_text = "x1"}, Origin::Watch)), "nothing");
  EXPECT_EQ(summary(contents.put(CachedObject{.version_text = "w0"}, Origin::Watch)), "a@x1>a@w0");
  contents.seen("aaa");
  EXPECT_EQ(contents.resource_version(), "aaa");
  contents.begin_relist();
  contents.put(CachedObject{.name = "own", .version_text = "y"}, Origin::OwnWrite);
  ASSERT_TRUE(contents.put_page({}, "aab"));
  EXPECT_EQ(summary(contents.end_relist()), "a@w0>-") << "the own write may be newer: it stays";
}

TEST(Contents, KeepsTheChangesOfOwnWritesForWhoAsked) {
  auto contents = listed({}, "5");
  contents.keep_own_changes();

  contents.put(CachedObject{.version = 6}, Origin::OwnWrite);
  event(contents, {.version = 6});
  contents.gone(kA, "u1");

  EXPECT_EQ(summary(contents.take_own_changes()), "->a@6 a@6>-");
  EXPECT_EQ(summary(contents.take_own_changes()), "");
}

TEST(Contents, ForgetsOwnWritesWhenTheRuleIsOff) {
  auto contents = listed({CachedObject{.version = 3}}, "5");
  contents.forget_own_writes();

  contents.put(CachedObject{.version = 8}, Origin::OwnWrite);
  contents.gone(kA, "u1");

  EXPECT_EQ(runtime::brief(contents.get(kA)), "a@3");
}

TEST(Contents, GoesBackWhenTheRuleIsOff) {
  auto contents = listed({CachedObject{.version = 8}}, "10");
  contents.believe_the_past();

  EXPECT_EQ(summary(event(contents, {.version = 7})), "a@8>a@7");
  EXPECT_EQ(summary(relist(contents, {CachedObject{.version = 2}}, "3")), "a@7>a@2");
}

TEST(Contents, CountsNamelessObjectsAndGoesOn) {
  auto contents = listed({json::parse(R"({"metadata":{}})").value(), CachedObject{}}, "5");

  contents.put(json::Value::integer(3), Origin::Watch);

  EXPECT_EQ(contents.oddities().nameless, 2U);
  EXPECT_EQ(contents.size(), 1U);
}

TEST(Contents, SaysWhatItHolds) {
  auto contents = listed({}, "5");
  const auto empty = contents.bytes();
  const auto object = CachedObject{}.value();
  contents.put(object, Origin::Watch);

  EXPECT_EQ(contents.bytes(), empty) << "an event from the past";
  event(contents, {.version = 6});
  EXPECT_GE(contents.bytes(), empty + object.block_bytes());
}

TEST(Tombstones, AreBoundedAndTheOldestGoesFirst) {
  Tombstones stones;
  for (std::size_t i = 0; i < Tombstones::kMax + 1; ++i) {
    stones.add({"ns", std::to_string(i)}, "u", 0, {});
  }

  EXPECT_EQ(stones.size(), Tombstones::kMax);
  EXPECT_FALSE(stones.cover({"ns", "0"}, "u", 1));
  EXPECT_TRUE(stones.cover({"ns", "1"}, "u", 1));
}

TEST(Tombstones, AreForgottenWithTheListAskedForAfterThem) {
  Tombstones stones;
  stones.add({"", "before"}, "u", 0, {.feed = 0, .epoch = 1});
  stones.add({"", "meanwhile"}, "u", 0, {.feed = 0, .epoch = 2});
  stones.add({"", "elsewhere"}, "u", 0, {.feed = 1, .epoch = 1});

  stones.list_complete({.feed = 0, .epoch = 2}, 10);

  EXPECT_FALSE(stones.cover({"", "before"}, "u", 1));
  EXPECT_TRUE(stones.cover({"", "meanwhile"}, "u", 1));
  EXPECT_TRUE(stones.cover({"", "elsewhere"}, "u", 1));
}

TEST(Tombstones, CoverWhatWasAtTheKeyBefore) {
  Tombstones stones;
  stones.add({"", "a"}, "second", 20, {});

  EXPECT_TRUE(stones.cover({"", "a"}, "first", 20));
  EXPECT_TRUE(stones.cover({"", "a"}, "second", 25));
  EXPECT_FALSE(stones.cover({"", "a"}, "third", 25));
  stones.deletion_seen({"", "a"}, "first", 15);
  EXPECT_TRUE(stones.cover({"", "a"}, "second", 25)) << "its own deletion is still to be told";
  stones.deletion_seen({"", "a"}, "second", 26);
  EXPECT_EQ(stones.size(), 0U);
}

TEST(Older, ComparesNumbersAndNothingElse) {
  EXPECT_TRUE(older("9", "10"));
  EXPECT_FALSE(older("10", "9"));
  EXPECT_FALSE(older("10", "10"));
  EXPECT_FALSE(older("a", "b"));
  EXPECT_FALSE(older("", "10"));
  EXPECT_FALSE(older("10x", "11"));
}

}  // namespace
}  // namespace fixpoint::runtime
