// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/cache.h"

#include "runtime/cache/cached_object.h"
#include "runtime/cache/fake_client.h"
#include "runtime/test_replies.h"
#include "runtime/virtual_scheduler.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;

const kube::GroupVersionKind kMap{"", "v1", "ConfigMap"};

Watch watch_of(client::Collection collection) {
  Watch watch;
  watch.role = WatchRole::Cached;
  watch.collection = std::move(collection);
  return watch;
}

client::Collection widgets() {
  return {
      .resource = {.kind = {"example.com", "v1", "Widget"}, .plural = "widgets"}
  };
}

char letter(Origin origin) {
  switch (origin) {
    case Origin::InitialList: return 'i';
    case Origin::Watch: return 'w';
    case Origin::Relist: return 'r';
    case Origin::OwnWrite: return 'o';
  }
  return '?';
}

// A session that writes down what it is told: "w:a@1>a@2".
struct Listener {
  explicit Listener(Cache& cache)
      : session(cache.open({.changed =
                                [this](FollowId id, const Change& change) {
                                  said += std::string(1, letter(change.origin)) + ":" +
                                          brief(change.before) + ">" + brief(change.after) + " ";
                                  if (on_change) on_change(id);
                                },
                            .synced = [this] { said += "synced "; }})) {}
  std::string take() { return std::exchange(said, {}); }

  std::string said;
  std::function<void(FollowId)> on_change;
  std::unique_ptr<CacheSession> session;
};

class CacheTest : public testing::Test {
 protected:
  Cache::Setup setup(std::set<std::string> namespaces = {}) {
    return {.client = &client, .scheduler = &time, .namespaces = std::move(namespaces)};
  }
  void answer_list(std::vector<json::Value> items, std::string version) {
    client.answer_list(page_of(std::move(items), std::move(version)));
    time.run_due();
  }
  FakeClient::Watch& watch_in(std::string_view ns) {
    for (auto& watch : client.watches) {
      if (watch->open && watch->request.collection.ns == ns) return *watch;
    }
    ADD_FAILURE() << "nobody watches " << ns;
    return *client.watches.front();
  }

  VirtualScheduler time;
  FakeClient client;
};

TEST_F(CacheTest, ListsAndWatchesOnceForAllWhoFollowTheSame) {
  Cache cache{setup()};
  Listener one{cache};
  Listener two{cache};
  one.session->follow(watch_of(config_maps()));
  two.session->follow(watch_of(config_maps()));
  time.run_due();
  ASSERT_EQ(client.lists.size(), 1U);

  answer_list({CachedObject{}}, "10");
  client.watching().send(client::EventType::Modified, CachedObject{.version = 11});

  EXPECT_EQ(one.take(), "i:->a@1 synced w:a@1>a@11 ");
  EXPECT_EQ(two.take(), "i:->a@1 synced w:a@1>a@11 ");
  EXPECT_EQ(one.session->find(kMap), two.session->find(kMap));
  EXPECT_EQ(client.watches.size(), 1U);
  EXPECT_EQ(cache.statistics().at(0).sessions, 2U);
}

TEST_F(CacheTest, TellsWhoJoinsLateOfWhatIsThere) {
  Cache cache{setup()};
  Listener one{cache};
  one.session->follow(watch_of(config_maps()));
  time.run_due();
  answer_list({CachedObject{}}, "10");

  Listener two{cache};
  two.session->follow(watch_of(config_maps()));
  EXPECT_EQ(two.take(), "") << "never from inside the call";
  client.watching().send(client::EventType::Modified, CachedObject{.version = 11});
  time.run_due();

  EXPECT_EQ(two.take(), "i:->a@11 synced ");
  EXPECT_EQ(client.lists.size(), 0U);
}

TEST_F(CacheTest, KeepsWhatDiffersInShapeSelectorOrNamespaceApart) {
  Cache cache{setup()};
  Listener reader{cache};
  auto slim = watch_of(config_maps());
  slim.shape = json::Shape::all().without({"data"});
  reader.session->follow(watch_of(config_maps()));
  reader.session->follow(slim);
  reader.session->follow(watch_of(config_maps("", {.labels = "app=x", .fields = ""})));
  reader.session->follow(watch_of(config_maps("kube-system")));
  auto metadata = config_maps();
  metadata.metadata_only = true;
  reader.session->follow(watch_of(metadata));
  time.run_due();

  EXPECT_EQ(client.lists.size(), 5U);
}

TEST_F(CacheTest, NeverKeepsManagedFields) {
  Cache cache{setup()};
  Listener reader{cache};
  reader.session->follow(watch_of(config_maps()));
  time.run_due();
  const auto& shape = client.lists.at(0).request.shape;
  const auto managed = json::parse(R"({"metadata":{"managedFields":[],"name":"a"}})").value();

  EXPECT_FALSE(shape->cut(managed).contains("managedFields"));
  const auto cut = shape->cut(managed);
  EXPECT_FALSE(cut.get("metadata").contains("managedFields"));
}

TEST_F(CacheTest, TellsOwnWritesToEverybodyAndTheirEchoesToNobody) {
  Cache cache{setup()};
  Listener writer{cache};
  Listener other{cache};
  writer.session->follow(watch_of(config_maps()));
  other.session->follow(watch_of(config_maps()));
  time.run_due();
  answer_list({}, "10");
  writer.take();
  other.take();

  writer.session->find_to_change(kMap)->put(CachedObject{.version = 12}, Origin::OwnWrite);
  EXPECT_EQ(brief(other.session->find(kMap)->get({"default", "a"})), "a@12");
  EXPECT_EQ(writer.take(), "") << "never from inside the call";
  other.session->find_to_change(kMap)->put(CachedObject{.version = 13}, Origin::OwnWrite);
  time.run_due();
  EXPECT_EQ(writer.take(), "o:->a@12 w:a@12>a@13 ");
  EXPECT_EQ(other.take(), "w:->a@12 o:a@12>a@13 ");

  client.watching().send(client::EventType::Added, CachedObject{.version = 12});
  client.watching().send(client::EventType::Modified, CachedObject{.version = 13});
  EXPECT_EQ(writer.take() + other.take(), "");
}

TEST_F(CacheTest, TellsOwnWritesBeforeWhatCameAfterThem) {
  Cache cache{setup()};
  Listener reader{cache};
  reader.session->follow(watch_of(config_maps()));
  time.run_due();
  answer_list({}, "10");
  reader.take();

  reader.session->find_to_change(kMap)->put(CachedObject{.version = 12}, Origin::OwnWrite);
  client.watching().send(client::EventType::Modified, CachedObject{.version = 14});
  time.run_due();

  EXPECT_EQ(reader.take(), "o:->a@12 w:a@12>a@14 ");
}

TEST_F(CacheTest, TellsTheWritesOfASessionThatHasEnded) {
  Cache cache{setup()};
  Listener reader{cache};
  auto writer = std::make_unique<Listener>(cache);
  reader.session->follow(watch_of(config_maps()));
  writer->session->follow(watch_of(config_maps()));
  time.run_due();
  answer_list({}, "10");
  reader.take();

  writer->session->find_to_change(kMap)->put(CachedObject{.version = 12}, Origin::OwnWrite);
  writer.reset();
  time.run_due();

  EXPECT_EQ(reader.take(), "w:->a@12 ");
}

TEST_F(CacheTest, EndsTheWatchWithItsLastFollowerAlsoFromInsideAHandler) {
  Cache cache{setup()};
  Listener one{cache};
  Listener two{cache};
  const auto id = one.session->follow(watch_of(config_maps()));
  two.session->follow(watch_of(config_maps()));
  time.run_due();
  answer_list({}, "10");

  one.session->unfollow(id);
  EXPECT_EQ(one.session->find(kMap), nullptr);
  EXPECT_TRUE(client.has_open_watch());
  two.on_change = [&](FollowId mine) { two.session->unfollow(mine); };
  client.watching().send(client::EventType::Added, CachedObject{.version = 11});
  client.watches.back()->handlers.on_event({client::EventType::Added, CachedObject{.version = 12}});
  time.run_due();

  EXPECT_FALSE(client.has_open_watch());
  EXPECT_EQ(two.take(), "synced w:->a@11 ");
  EXPECT_EQ(cache.statistics().size(), 0U);
}

TEST_F(CacheTest, FollowsMoreKindsWhileRunningAndSaysWhenTheyAreSynced) {
  Cache cache{setup()};
  Listener reader{cache};
  reader.session->follow(watch_of(config_maps()));
  time.run_due();
  answer_list({}, "10");
  EXPECT_EQ(reader.take(), "synced ");

  reader.session->follow(watch_of(widgets()));
  time.run_due();
  EXPECT_FALSE(reader.session->synced());
  answer_list({}, "11");

  EXPECT_EQ(reader.take(), "synced ");
}

TEST_F(CacheTest, DoesNotWaitForAnOptionalKindThatIsNotServed) {
  Cache cache{setup()};
  Listener reader{cache};
  auto optional = watch_of(widgets());
  optional.optional = true;
  reader.session->follow(optional);
  time.run_due();
  EXPECT_FALSE(reader.session->synced()) << "nobody knows yet";

  client.answer_list(std::unexpected(refused(404, "NotFound")));
  client.answer_resolve(std::unexpected(refused(404, "NotFound")));

  EXPECT_EQ(reader.take(), "synced ");
  EXPECT_EQ(reader.session->find(widgets().resource.kind), nullptr);
  EXPECT_FALSE(cache.statistics().at(0).served);
}

TEST_F(CacheTest, WaitsForAKindThatIsNotOptional) {
  Cache cache{setup()};
  Listener reader{cache};
  reader.session->follow(watch_of(widgets()));
  time.run_due();
  client.answer_list(std::unexpected(refused(404, "NotFound")));
  client.answer_resolve(std::unexpected(refused(404, "NotFound")));

  EXPECT_FALSE(reader.session->synced());
  EXPECT_EQ(reader.take(), "");
}

TEST_F(CacheTest, LooksForAKindAtOnceWhenItsDefinitionAppears) {
  Cache cache{setup()};
  Listener reader{cache};
  auto optional = watch_of(widgets());
  optional.optional = true;
  reader.session->follow(optional);
  reader.session->follow(watch_of({
      .resource = {.kind = {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
                   .plural = "customresourcedefinitions",
                   .scope = client::Scope::Cluster}
  }));
  time.run_due();
  client.answer_list(std::unexpected(refused(404, "NotFound")));
  client.answer_resolve(std::unexpected(refused(404, "NotFound")));
  answer_list({}, "10");
  ASSERT_EQ(client.resolves.size(), 0U);

  client.watching().send(
      client::EventType::Added,
      json::parse(R"({"metadata":{"name":"widgets.example.com","resourceVersion":"11","uid":"d"}})")
          .value());
  time.run_due();
  ASSERT_EQ(client.resolves.size(), 1U);
  client.answer_resolve(widgets().resource);
  EXPECT_EQ(reader.session->find(widgets().resource.kind), nullptr) << "until it is listed";
  answer_list({}, "12");

  EXPECT_NE(reader.session->find(widgets().resource.kind), nullptr);
}

TEST_F(CacheTest, ReportsEverythingGoneWhenTheKindDisappears) {
  Cache cache{setup()};
  Listener reader{cache};
  auto optional = watch_of(config_maps());
  optional.optional = true;
  reader.session->follow(optional);
  time.run_due();
  answer_list({CachedObject{}}, "10");
  reader.take();
  time.advance(1min);

  client.watching().end(refused(404, "NotFound"));
  time.run_due();
  client.answer_resolve(std::unexpected(refused(404, "NotFound")));

  EXPECT_EQ(reader.take(), "r:a@1>- ");
  EXPECT_EQ(reader.session->find(kMap), nullptr);
  EXPECT_TRUE(reader.session->synced());
}

TEST_F(CacheTest, AddsAnIndexOfALateJoinerToWhatIsShared) {
  Cache cache{setup()};
  Listener one{cache};
  one.session->follow(watch_of(config_maps()));
  time.run_due();
  answer_list({CachedObject{.app = "x"}}, "10");

  Listener two{cache};
  auto indexed = watch_of(config_maps());
  indexed.indexes.push_back(
      {"app", [](json::View object, const auto& add) { add(kube::label_of(object, "app")); }});
  two.session->follow(indexed);
  EXPECT_EQ(two.session->find(kMap)->indexed("app", "x").size(), 1U);

  Listener three{cache};
  auto other = watch_of(config_maps());
  other.indexes.push_back({"app", [](json::View, const auto& add) { add("all"); }});
  three.session->follow(other);
  EXPECT_NE(three.session->find(kMap), two.session->find(kMap)) << "the same name, another meaning";
}

TEST_F(CacheTest, FollowsTheNamespacesItIsGiven) {
  Cache cache{setup({"one", "two"})};
  Listener reader{cache};
  reader.session->follow(watch_of(config_maps()));
  reader.session->follow(watch_of({
      .resource = {
                   .kind = {"", "v1", "Node"}, .plural = "nodes", .scope = client::Scope::Cluster}
  }));
  time.run_due();
  ASSERT_EQ(client.lists.size(), 3U);
  EXPECT_EQ(client.lists[0].request.collection.ns, "one");
  EXPECT_EQ(client.lists[1].request.collection.ns, "two");
  EXPECT_EQ(client.lists[2].request.collection.ns, "");

  answer_list({CachedObject{.ns = "one"}}, "10");
  answer_list({CachedObject{.ns = "two"}}, "11");
  answer_list({}, "12");

  EXPECT_EQ(reader.take(), "i:->a@1 i:->a@1 synced ");
  EXPECT_EQ(reader.session->find(kMap)->size(), 2U);
}

TEST_F(CacheTest, ShowsANewNamespaceWhenAllItsKindsAreListed) {
  Cache cache{setup({"one"})};
  Listener reader{cache};
  reader.session->follow(watch_of(config_maps()));
  reader.session->follow(watch_of(widgets()));
  time.run_due();
  answer_list({}, "10");
  answer_list({}, "10");
  reader.take();

  ASSERT_TRUE(cache.follow_namespaces({"one", "two"}));
  time.run_due();
  answer_list({CachedObject{.ns = "two"}}, "20");
  EXPECT_EQ(reader.take(), "") << "its widgets are not known yet";
  watch_in("two").send(client::EventType::Modified, CachedObject{.ns = "two", .version = 21});
  answer_list({}, "22");

  EXPECT_EQ(reader.take(), "i:->a@1 w:a@1>a@21 ");
}

TEST_F(CacheTest, ShowsANewNamespaceToALateJoinerOnce) {
  Cache cache{setup({"one"})};
  Listener reader{cache};
  reader.session->follow(watch_of(config_maps()));
  reader.session->follow(watch_of(widgets()));
  time.run_due();
  answer_list({}, "10");
  answer_list({}, "10");
  ASSERT_TRUE(cache.follow_namespaces({"one", "two"}));
  time.run_due();
  answer_list({CachedObject{.ns = "two"}}, "20");

  Listener late{cache};
  late.session->follow(watch_of(config_maps()));
  time.run_due();
  EXPECT_EQ(late.take(), "synced ");
  answer_list({}, "22");

  EXPECT_EQ(late.take(), "i:->a@1 ");
}

TEST_F(CacheTest, DropsTheObjectsOfANamespaceThatIsLeft) {
  Cache cache{setup({"one", "two"})};
  Listener reader{cache};
  reader.session->follow(watch_of(config_maps()));
  time.run_due();
  answer_list({CachedObject{.ns = "one"}}, "10");
  answer_list(
      {
          CachedObject{.ns = "two", .name = "b"}
  },
      "10");
  reader.take();

  ASSERT_TRUE(cache.follow_namespaces({"two"}));
  time.run_due();

  EXPECT_EQ(reader.take(), "r:a@1>- ");
  EXPECT_EQ(client.watches.at(0)->open, false);
  EXPECT_EQ(client.watches.at(1)->open, true);
  EXPECT_FALSE(cache.follow_namespaces({})) << "not all of them while it runs";
}

TEST_F(CacheTest, ForgetsANamespaceThatIsLeftBeforeItWasListed) {
  Cache cache{setup({"one"})};
  Listener reader{cache};
  reader.session->follow(watch_of(config_maps()));
  reader.session->follow(watch_of(widgets()));
  time.run_due();
  answer_list({}, "10");
  answer_list({}, "10");
  reader.take();
  ASSERT_TRUE(cache.follow_namespaces({"one", "two"}));
  time.run_due();
  answer_list({CachedObject{.ns = "two"}}, "20");

  ASSERT_TRUE(cache.follow_namespaces({"one"}));
  time.run_due();
  client.answer_list(page_of({CachedObject{.ns = "two"}}, "21"));
  time.run_due();

  EXPECT_EQ(reader.take(), "");
  EXPECT_EQ(reader.session->find(kMap)->size(), 0U);
}

TEST_F(CacheTest, SaysWhatEachFollowedCollectionCosts) {
  Cache cache{setup()};
  Listener reader{cache};
  reader.session->follow(watch_of(config_maps()));
  time.run_due();
  answer_list({CachedObject{}}, "10");
  client.watching().send(client::EventType::Modified, CachedObject{.name = "ghost", .version = 2});
  time.advance(10s);
  client.watching().end(refused(410, "Expired"));
  time.run_due();
  answer_list({CachedObject{}}, "12");

  const auto all = cache.statistics();

  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].objects, 1U);
  EXPECT_GT(all[0].bytes, 100U);
  EXPECT_EQ(all[0].relists, 1U);
  EXPECT_EQ(all[0].from_the_past, 1U);
  EXPECT_EQ(all[0].resource_version, "12");
  EXPECT_EQ(all[0].phase, Reflector::Phase::Watching);
}

TEST_F(CacheTest, LetsASessionEndInsideItsOwnHandler) {
  Cache cache{setup()};
  auto reader = std::make_unique<Listener>(cache);
  reader->session->follow(watch_of(config_maps()));
  reader->on_change = [&](FollowId) { auto ended = std::move(reader->session); };
  time.run_due();
  answer_list({CachedObject{.name = "a"}, CachedObject{.name = "b"}}, "10");

  EXPECT_EQ(reader->take(), "i:->a@1 ");
  time.run_due();
  EXPECT_FALSE(client.has_open_watch());
}

}  // namespace
}  // namespace fixpoint::runtime
