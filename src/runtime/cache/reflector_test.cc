// SPDX-License-Identifier: Apache-2.0
//
// A scripted server: each test says what is asked and what is answered, and time moves when told.
#include "runtime/cache/reflector.h"

#include "runtime/cache/cached_object.h"
#include "runtime/cache/fake_client.h"
#include "runtime/test_replies.h"
#include "runtime/virtual_scheduler.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;
using ReflectorPhase = Reflector::Phase;

json::Value bookmark(std::string_view version) {
  return json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":")" +
                     std::string{version} + R"("}})")
      .value();
}

class ReflectorTest : public testing::Test {
 protected:
  void start(Reflector::Setup setup = {}) {
    if (setup.collection.resource.kind.kind.empty()) setup.collection = config_maps();
    reflector.emplace(std::move(setup), contents, client, time, Rng{1},
                      ReflectorHandlers{
                          .changed =
                              [this](std::span<const Change> changes) {
                                for (const auto& c : changes) note(c);
                              },
                          .synced = [this] { said += "synced "; },
                          .not_served = [this] { said += "not-served "; },
                          .trouble = [this](std::string_view what) { troubles.emplace_back(what); },
                          .rewound = [this](std::string_view) { said += "rewound "; },
                          .listing =
                              [this](ListStage stage) {
                                lists += stage == ListStage::Asked ? "asked " : "read ";
                              },
                      });
    reflector->start();
    time.run_due();
  }
  // Started, listed at version 10 with one object, and watching for a while.
  void settle() {
    start();
    client.answer_list(page_of({CachedObject{.version = 3}}, "10"));
    time.run_due();
    time.advance(10s);
    said.clear();
  }
  void note(const Change& change) {
    said += brief(change.before) + ">" + brief(change.after) + " ";
  }
  std::string take_said() { return std::exchange(said, {}); }
  void send(client::EventType type, const json::Value& object) {
    client.watching().send(type, object);
  }
  void end_watch(std::optional<client::CallError> why = std::nullopt) {
    client.watching().end(std::move(why));
    time.run_due();
    tell_time();
  }
  // After a cut it first asks how late it is: as late as it was.
  void tell_time() {
    while (reflector->phase() == ReflectorPhase::Checking) {
      client.answer_list(page_of({}, contents.resource_version()));
      time.run_due();
    }
  }
  // The server says five times in a row that it is earlier than it was.
  void restore(const std::vector<json::Value>& items, const std::string& version) {
    for (int i = 0; i < 5; ++i) {
      client.answer_list(page_of(items, version));
      until_next_request();
    }
  }
  // How long until it asks for anything again.
  Duration until_next_request() {
    const auto start_of_wait = time.now();
    const auto open = client.lists.size() + client.watches.size() + client.resolves.size();
    while (client.lists.size() + client.watches.size() + client.resolves.size() == open) {
      FP_CHECK(time.run_next());
    }
    const auto waited = time.now() - start_of_wait;
    tell_time();
    return waited;
  }

  std::string lists;
  VirtualScheduler time;
  FakeClient client;
  Contents contents{config_maps(), {}};
  std::string said;
  std::vector<std::string> troubles;
  std::optional<Reflector> reflector;
};

TEST_F(ReflectorTest, ListsTheNewestStatePageByPageAndWatchesFromThere) {
  start();

  auto asked = client.answer_list(page_of({CachedObject{.name = "a"}}, "10", "more"));
  EXPECT_EQ(asked.resource_version, "");
  EXPECT_EQ(asked.limit, client::kPageItems);
  EXPECT_EQ(asked.continue_token, "");
  EXPECT_EQ(take_said(), "->a@1 ");
  asked = client.answer_list(page_of({CachedObject{.name = "b"}}, "10"));
  EXPECT_EQ(asked.continue_token, "more");
  EXPECT_EQ(take_said(), "->b@1 synced ");
  time.run_due();

  EXPECT_EQ(client.watching().request.resource_version, "10");
  EXPECT_EQ(reflector->phase(), ReflectorPhase::Watching);
}

TEST_F(ReflectorTest, FollowsEventsAndResumesBehindTheLastOrTheLastBookmark) {
  settle();
  send(client::EventType::Modified, CachedObject{.version = 12});
  send(client::EventType::Added, CachedObject{.name = "b", .version = 13});
  send(client::EventType::Deleted, CachedObject{.version = 14});
  EXPECT_EQ(take_said(), "a@3>a@12 ->b@13 a@12>- ");

  end_watch();
  EXPECT_EQ(client.watching().request.resource_version, "14");
  send(client::EventType::Bookmark, bookmark("20"));
  time.advance(10s);
  end_watch();

  EXPECT_EQ(client.watching().request.resource_version, "20");
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(client.lists.size(), 0U);
  EXPECT_EQ(troubles.size(), 0U);
}

TEST_F(ReflectorTest, ListsAgainInPagesOfTheirOwnSize) {
  Reflector::Setup setup;
  setup.page_items = 7;
  setup.relist_page_items = 3;
  start(std::move(setup));
  EXPECT_EQ(client.answer_list(page_of({}, "10", "more")).limit, 7U);
  EXPECT_EQ(client.answer_list(page_of({}, "10")).limit, 7U);
  time.run_due();
  end_watch(refused(410, "Expired"));
  until_next_request();

  EXPECT_EQ(client.answer_list(page_of({}, "30", "more")).limit, 3U);
  EXPECT_EQ(client.answer_list(page_of({}, "30")).limit, 3U);
}

TEST_F(ReflectorTest, ListsAgainAfter410AndReportsOnlyWhatDiffers) {
  settle();
  end_watch(refused(410, "Expired"));

  ASSERT_EQ(client.lists.size(), 1U);
  EXPECT_EQ(contents.size(), 1U) << "the old state is served meanwhile";
  client.answer_list(page_of({CachedObject{.version = 3}, CachedObject{.name = "b"}}, "30"));
  time.run_due();

  EXPECT_EQ(take_said(), "->b@1 ") << "nothing for what did not change, and no second sync";
  EXPECT_EQ(client.watching().request.resource_version, "30");
}

TEST_F(ReflectorTest, WaitsLongerAndLongerWhileListsFailAndNoLongerThanTheCap) {
  start();
  std::vector<Duration> waits;
  for (int i = 0; i < 9; ++i) {
    client.answer_list(std::unexpected(lost()));
    waits.push_back(until_next_request());
  }

  EXPECT_GE(waits[0], 400ms);
  EXPECT_LE(waits[0], 800ms);
  EXPECT_GT(waits[3], waits[0]);
  for (const auto wait : waits) EXPECT_LE(wait, 30s);
  EXPECT_GE(waits[8], 15s);
  EXPECT_EQ(reflector->statistics().failures, 9U);
  EXPECT_TRUE(reflector->statistics().troubled_since);
}

TEST_F(ReflectorTest, SaysOfEveryListWhenItIsAskedForAndWhenItIsRead) {
  start();
  EXPECT_EQ(lists, "asked ");
  client.answer_list(page_of({}, "10", "more"));
  time.run_due();
  EXPECT_EQ(lists, "asked ");
  client.answer_list(page_of({}, "10"));
  time.run_due();
  EXPECT_EQ(lists, "asked read ");
  time.advance(10s);

  end_watch(refused(410, "Expired"));
  client.answer_list(page_of({}, "11"));
  time.run_due();
  EXPECT_EQ(lists, "asked read asked read ");
}

TEST_F(ReflectorTest, ForgivesWhenAWatchHasLived) {
  start();
  for (int i = 0; i < 6; ++i) {
    client.answer_list(std::unexpected(lost()));
    until_next_request();
  }
  client.answer_list(page_of({}, "10"));
  EXPECT_FALSE(reflector->statistics().troubled_since);
  time.advance(10s);

  end_watch(refused(410, "Expired"));
  client.answer_list(std::unexpected(lost()));

  EXPECT_LE(until_next_request(), 800ms);
}

TEST_F(ReflectorTest, WaitsAsLongAsTheServerAsks) {
  start();
  auto busy = refused(429, "TooManyRequests");
  busy.retry_after = 17s;
  client.answer_list(std::unexpected(busy));

  EXPECT_EQ(until_next_request(), 17s);

  busy.retry_after = 24h;
  client.answer_list(std::unexpected(busy));
  EXPECT_LE(until_next_request(), 2min) << "but not for a day";
}

TEST_F(ReflectorTest, StartsAListOverWhoseTokenExpiredAndAtLastTakesItInOnePiece) {
  start();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client.answer_list(page_of({CachedObject{}}, "10", "more")).limit,
              client::kPageItems);
    EXPECT_EQ(client.answer_list(std::unexpected(refused(410, "Expired"))).continue_token, "more");
    until_next_request();
  }

  EXPECT_EQ(client.answer_list(page_of({CachedObject{.name = "b"}}, "20")).limit, 0U);

  EXPECT_EQ(take_said(), "->a@1 ->b@1 a@1>- synced ");
}

TEST_F(ReflectorTest, DoesNotBelieveAListFromThePast) {
  settle();
  end_watch(refused(410, "Expired"));

  client.answer_list(page_of({CachedObject{.name = "ghost"}}, "9"));

  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(contents.size(), 1U);
  EXPECT_EQ(contents.oddities().from_the_past, 1U);
  ASSERT_EQ(troubles.size(), 1U);
  EXPECT_GT(until_next_request(), 0s);
  client.answer_list(page_of({CachedObject{.version = 3}}, "11"));
  time.run_due();
  EXPECT_EQ(client.watching().request.resource_version, "11");
}

TEST_F(ReflectorTest, AsksHowLateItIsBeforeItResumesACutWatch) {
  settle();
  client.watching().end(lost());
  time.run_due();

  EXPECT_FALSE(client.has_open_watch()) << "a watch from the future would be silent for ever";
  const auto asked = client.answer_list(page_of({CachedObject{.version = 3}}, "12"));
  time.run_due();

  EXPECT_EQ(asked.limit, 1U);
  EXPECT_EQ(client.watching().request.resource_version, "10");
  EXPECT_EQ(take_said(), "") << "what it answers is no news";
}

TEST_F(ReflectorTest, ResumesAtOnceWhatEndedInTime) {
  settle();
  const auto end = time.now() + client.watching().request.timeout - 10s;
  for (; time.now() + 1min < end; time.advance(1min))
    send(client::EventType::Bookmark, bookmark("11"));
  time.advance(end - time.now());
  client.watching().end();
  time.run_due();

  EXPECT_TRUE(client.has_open_watch());
}

TEST_F(ReflectorTest, TakesEverythingAnewFromAServerThatStaysInThePast) {
  settle();
  send(client::EventType::Added, CachedObject{.name = "lost", .version = 12});
  send(client::EventType::Deleted, CachedObject{.name = "lost", .version = 13});
  send(client::EventType::Added, CachedObject{.name = "late", .version = 14});
  take_said();
  client.watching().end(lost());
  time.run_due();
  client.answer_list(page_of({}, "9"));  // so late is it now
  time.run_due();

  const std::vector<json::Value> backup{
      CachedObject{.version = 3},
      CachedObject{.name = "lost", .version = 8}
  };
  restore(backup, "9");
  EXPECT_EQ(take_said(), "rewound ");
  EXPECT_EQ(contents.size(), 2U) << "what was known can be read until the list is complete";
  client.answer_list(page_of(backup, "9"));
  time.run_due();

  EXPECT_EQ(take_said(), "->lost@8 late@14>- ") << "what is as it was is no news";
  EXPECT_EQ(client.watching().request.resource_version, "9");
  send(client::EventType::Modified, CachedObject{.version = 10});
  EXPECT_EQ(take_said(), "a@3>a@10 ");
  EXPECT_EQ(reflector->statistics().rewinds, 1U);
}

TEST_F(ReflectorTest, OneCopyThatLagsIsNotThePast) {
  settle();
  end_watch(refused(410, "Expired"));
  for (int i = 0; i < 12; ++i) {
    // Never five times in a row: now and then another copy answers, as late as it should be.
    client.answer_list(i % 4 == 3 ? page_of({CachedObject{.version = 3}}, "11", "more")
                                  : page_of({CachedObject{.name = "ghost"}}, "9"));
    if (i % 4 == 3) client.answer_list(std::unexpected(lost()));
    until_next_request();
  }

  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(reflector->statistics().rewinds, 0U);
}

TEST_F(ReflectorTest, DropsEventsFromThePastAndGoesOn) {
  settle();

  send(client::EventType::Added, CachedObject{.name = "ghost", .version = 7});
  send(client::EventType::Bookmark, bookmark("8"));
  send(client::EventType::Modified, CachedObject{.version = 11});

  EXPECT_EQ(take_said(), "a@3>a@11 ");
  EXPECT_EQ(contents.oddities().from_the_past, 2U);
  end_watch();
  EXPECT_EQ(client.watching().request.resource_version, "11");
}

TEST_F(ReflectorTest, ResumesAtOnceWhenAWatchGoesSilent) {
  settle();
  time.advance(45s);
  client.watching().end(lost());

  EXPECT_EQ(until_next_request(), 0s);
  EXPECT_EQ(client.watching().request.resource_version, "10");
}

TEST_F(ReflectorTest, EndsAWatchThatNobodyElseEnds) {
  settle();
  send(client::EventType::Modified, CachedObject{.version = 12});
  for (int minute = 0; minute < 12; ++minute) {
    if (minute == 4) {
      EXPECT_EQ(client.watches.size(), 1U);
    }
    if (client.watches.size() == 1) send(client::EventType::Bookmark, bookmark("12"));
    time.advance(1min);
    tell_time();
  }

  EXPECT_EQ(client.watches.size(), 2U);
  EXPECT_TRUE(client.watches.front()->cancelled);
  EXPECT_EQ(client.watching().request.resource_version, "12");
  EXPECT_EQ(troubles.size(), 0U);
}

TEST_F(ReflectorTest, AsksAnewWhenAWatchIsSilentOnALivingConnection) {
  settle();
  time.advance(2min);
  send(client::EventType::Bookmark, bookmark("11"));
  time.advance(2min);
  EXPECT_EQ(client.watches.size(), 1U);
  time.advance(1min);
  tell_time();

  EXPECT_EQ(client.watches.size(), 2U);
  EXPECT_TRUE(client.watches.front()->cancelled);
  EXPECT_EQ(client.watching().request.resource_version, "11");
  EXPECT_EQ(troubles.size(), 0U);
}

TEST_F(ReflectorTest, DoesNotSpinWhenEveryWatchEndsAtOnce) {
  settle();
  const auto until = time.now() + 10min;
  const auto before = client.watches.size();
  while (time.now() < until) {
    if (client.has_open_watch()) client.watching().end();
    time.run_next();
    tell_time();
  }

  EXPECT_LT(client.watches.size() - before, 60U);
  EXPECT_EQ(client.lists.size(), 0U);
}

TEST_F(ReflectorTest, DoesNotSpinWhen410AnswersEveryWatch) {
  settle();
  const auto until = time.now() + 10min;
  while (time.now() < until) {
    if (client.has_open_watch()) client.watching().end(refused(410, "Gone"));
    if (!client.lists.empty()) client.answer_list(page_of({CachedObject{.version = 3}}, "30"));
    time.run_next();
  }

  EXPECT_LT(reflector->statistics().lists, 60U);
  EXPECT_EQ(take_said(), "");
}

TEST_F(ReflectorTest, StaysQuickWhileShortWatchesMakeProgress) {
  settle();
  for (std::uint64_t version = 11; version < 30; ++version) {
    send(client::EventType::Modified, CachedObject{.version = version});
    client.watching().end();
    EXPECT_LE(until_next_request(), 800ms);
  }
}

TEST_F(ReflectorTest, StaysQuickWhileBrokenWatchesMakeProgress) {
  settle();
  for (std::uint64_t version = 11; version < 30; ++version) {
    send(client::EventType::Modified, CachedObject{.version = version});
    client.watching().end(lost());
    EXPECT_LE(until_next_request(), 800ms);
  }
}

TEST_F(ReflectorTest, ListsAgainWhenTheWatchIsRefusedOverAndOver) {
  settle();
  for (int i = 0; i < 4; ++i) {
    client.watching().end(refused(400, "BadRequest", "invalid resourceVersion"));
    until_next_request();
    EXPECT_EQ(client.lists.size(), 0U);
  }
  client.watching().end(refused(400, "BadRequest", "invalid resourceVersion"));
  until_next_request();

  EXPECT_EQ(client.lists.size(), 1U);
}

TEST_F(ReflectorTest, WaitsForAKindThatIsNotServedYet) {
  start();
  client.answer_list(std::unexpected(refused(404, "NotFound")));
  EXPECT_EQ(client.answer_resolve(std::unexpected(refused(404, "NotFound"))).kind, "ConfigMap");
  EXPECT_EQ(take_said(), "not-served ");
  EXPECT_EQ(reflector->phase(), ReflectorPhase::NotServed);
  EXPECT_FALSE(reflector->served());

  until_next_request();
  client.answer_resolve(std::unexpected(refused(404, "NotFound")));
  EXPECT_EQ(take_said(), "") << "said once";

  reflector->look_again();
  EXPECT_EQ(until_next_request(), 0s);
  auto found = config_maps().resource;
  found.plural = "configs";
  client.answer_resolve(found);
  EXPECT_EQ(client.answer_list(page_of({CachedObject{}}, "10")).collection.resource.plural,
            "configs");
  EXPECT_EQ(take_said(), "->a@1 synced ");
  EXPECT_TRUE(reflector->served());
}

TEST_F(ReflectorTest, EmptiesWhenTheKindDisappearsAndFillsWhenItComesBack) {
  settle();
  end_watch();
  end_watch(refused(404, "NotFound"));
  client.answer_resolve(std::unexpected(refused(404, "NotFound")));
  EXPECT_EQ(take_said(), "a@3>- not-served ");

  until_next_request();
  client.answer_resolve(config_maps().resource);
  client.answer_list(page_of(
      {
          CachedObject{.uid = "u2", .version = 50}
  },
      "51"));

  EXPECT_EQ(take_said(), "->a@50 synced ");
}

TEST_F(ReflectorTest, KeepsEverythingWhen404ComesFromAServerThatStillAnnouncesTheKind) {
  settle();
  end_watch();
  end_watch(refused(404, "NotFound"));
  client.answer_resolve(config_maps().resource);

  EXPECT_EQ(contents.size(), 1U);
  EXPECT_GT(until_next_request(), 0s) << "and does not ask without pause";
  EXPECT_EQ(client.lists.size(), 1U);
  EXPECT_EQ(take_said(), "");
}

TEST_F(ReflectorTest, AsksWhereAKindIsServedWhenNobodyKnows) {
  auto collection = config_maps();
  collection.resource.plural.clear();
  start({.collection = collection});

  EXPECT_EQ(client.lists.size(), 0U);
  client.answer_resolve(std::unexpected(lost()));
  until_next_request();
  client.answer_resolve(config_maps().resource);

  EXPECT_EQ(client.lists.at(0).request.collection.resource.plural, "configmaps");
}

TEST_F(ReflectorTest, TakesTheFirstListAsAStreamWhenAsked) {
  start({.first_list = client::Streaming::FromEmpty});
  EXPECT_EQ(client.watching().request.streaming, client::Streaming::FromEmpty);

  send(client::EventType::Added, CachedObject{.name = "a"});
  send(client::EventType::Added, CachedObject{.name = "b"});
  EXPECT_FALSE(contents.synced());
  client.watching().handlers.on_event(
      {.type = client::EventType::Bookmark, .object = bookmark("10"), .initial_events_end = true});
  EXPECT_TRUE(contents.synced());
  send(client::EventType::Modified, CachedObject{.version = 11});

  EXPECT_EQ(take_said(), "->a@1 ->b@1 synced a@1>a@11 ");
  time.advance(1min);
  EXPECT_EQ(client.watches.size(), 1U);
  end_watch(refused(410, "Expired"));
  EXPECT_EQ(client.lists.size(), 1U) << "later lists have a past to be compared with";
}

TEST_F(ReflectorTest, FallsBackToPagesWhenTheServerRefusesToStream) {
  start({.first_list = client::Streaming::FromEmpty});
  end_watch(refused(422, "Invalid", "sendInitialEvents is forbidden"));

  EXPECT_EQ(client.lists.size(), 1U);
  EXPECT_EQ(troubles.size(), 0U);
}

TEST_F(ReflectorTest, FallsBackToPagesWhenTheStreamNeverBegins) {
  start({.first_list = client::Streaming::FromEmpty});
  time.advance(9s);
  send(client::EventType::Added, CachedObject{});
  time.advance(9s);
  EXPECT_EQ(client.lists.size(), 0U);
  time.advance(1s);

  ASSERT_EQ(client.lists.size(), 1U);
  EXPECT_FALSE(client.has_open_watch());
  client.answer_list(page_of({}, "10"));
  EXPECT_EQ(take_said(), "->a@1 a@1>- synced ");
}

TEST_F(ReflectorTest, BeginsAStreamAgainThatBrokeInTheMiddle) {
  start({.first_list = client::Streaming::FromEmpty});
  send(client::EventType::Added, CachedObject{});
  client.watching().end(lost());

  EXPECT_GT(until_next_request(), 0s);
  EXPECT_EQ(client.watching().request.streaming, client::Streaming::FromEmpty);
}

TEST_F(ReflectorTest, EndsItsWatchAndHearsNothingMoreWhenDestroyed) {
  settle();
  reflector.reset();
  EXPECT_TRUE(client.watches.back()->cancelled);

  start();
  reflector.reset();
  client.answer_list(page_of({CachedObject{.name = "late"}}, "40"));
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(time.pending(), 0U);
}

TEST_F(ReflectorTest, WatchesOfManyDoNotEndTogether) {
  settle();
  const auto first = client.watching().request.timeout;
  end_watch();
  const auto second = client.watching().request.timeout;

  EXPECT_NE(first, second);
  EXPECT_GE(std::min(first, second), Duration{5min});
  EXPECT_LE(std::max(first, second), Duration{10min});
}

}  // namespace
}  // namespace fixpoint::runtime
