// SPDX-License-Identifier: Apache-2.0
//
// The client in process: the same contract as over HTTP, without waiting for anything.
#include "client/local_client.h"

#include "apiserver/api_fixture.h"
#include "json/parsing/parse.h"
#include "json/print.h"

#include <chrono>
#include <deque>
#include <map>

namespace fixpoint::client {
namespace {

class LocalClientTest : public testing::Test {
 protected:
  LocalClientTest() {
    make("v1", "Namespace", "namespaces", Scope::Cluster, R"({"metadata":{"name":"n"}})");
  }

  void run() {
    while (!posted.empty()) {
      auto task = std::move(posted.front());
      posted.pop_front();
      task();
    }
  }
  Reply call(Call what) {
    std::optional<Reply> reply;
    client->call(std::move(what), [&](Reply got) { reply = std::move(got); });
    EXPECT_FALSE(reply) << "answered from inside the call";
    run();
    return *std::move(reply);
  }
  void make(std::string version, std::string kind, std::string plural, Scope scope,
            std::string_view body) {
    const Resource resource{
        .kind = {"", std::move(version), std::move(kind)},
        .plural = std::move(plural),
        .scope = scope
    };
    const auto reply = call({
        .verb = Verb::Create,
        .resource = resource,
        .key = {scope == Scope::Cluster ? "" : "n", ""},
        .body = *json::parse(body)
    });
    ASSERT_TRUE(reply) << reply.error().status.message;
  }
  void make_map(const std::string& name) {
    make("v1", "ConfigMap", "configmaps", Scope::Namespaced,
         R"({"metadata":{"name":")" + name + R"("},"data":{"k":"v"}})");
  }
  static Resource maps() {
    return {
        .kind = {"", "v1", "ConfigMap"},
          .plural = "configmaps"
    };
  }
  struct Told {
    std::vector<std::string> events;
    std::optional<std::optional<CallError>> end;
  };
  std::unique_ptr<Watching> watch(WatchCall what, Told& told) {
    return client->watch(
        std::move(what),
        {.on_event =
             [&](const WatchEvent& event) {
               told.events.push_back("AMDB"[static_cast<int>(event.type)] +
                                     std::string{event.initial_events_end ? "!" : ""} +
                                     std::string{event.object.get("metadata", "name").as_string()});
             },
         .on_end = [&](std::optional<CallError> error) { told.end = error; }});
  }

  VirtualClock clock;
  MemoryApi api{clock};
  std::deque<std::move_only_function<void()>> posted;
  std::unique_ptr<LocalClient> client = std::make_unique<LocalClient>(
      api, [this](std::move_only_function<void()> task) { posted.push_back(std::move(task)); });
};

TEST_F(LocalClientTest, CallsAreAnsweredAndRefusedAsByAServer) {
  make_map("a");

  const auto got = call({
      .verb = Verb::Get, .resource = maps(), .key = {"n", "a"}
  });
  const auto missing = call({
      .verb = Verb::Get, .resource = maps(), .key = {"n", "b"}
  });
  const auto stale = call({
      .verb = Verb::Delete,
      .resource = maps(),
      .key = {"n", "a"},
      .preconditions = {.uid = "other"}
  });

  EXPECT_EQ(got->body.get("data", "k").as_string(), "v");
  EXPECT_TRUE(missing.error().not_found());
  EXPECT_EQ(missing.error().status.message, "configmaps \"b\" not found");
  EXPECT_TRUE(stale.error().conflict());
}

TEST_F(LocalClientTest, ListsComeInPagesCutToTheirShape) {
  for (const auto* name : {"a", "b", "c"}) make_map(name);
  ListCall first{
      .collection = {.resource = maps(), .ns = "n"},
        .limit = 2
  };
  first.shape = std::make_shared<const json::Shape>(json::Shape::only({}));
  std::optional<PageReply> page;

  client->list(first, [&](PageReply got) { page = std::move(got); });
  run();
  ASSERT_TRUE(page->has_value());
  EXPECT_EQ((*page)->items.size(), 2U);
  EXPECT_FALSE((*page)->items[0].contains("data"));
  EXPECT_EQ((*page)->items[0].get("kind").as_string(), "ConfigMap");
  first.continue_token = (*page)->continue_token;
  client->list(first, [&](PageReply got) { page = std::move(got); });
  run();

  EXPECT_EQ((*page)->items.size(), 1U);
  EXPECT_TRUE((*page)->continue_token.empty());
}

TEST_F(LocalClientTest, WatchesAreToldWhatHappens) {
  make_map("a");
  Told streamed;
  Told plain;
  const auto one =
      watch({.collection = {.resource = maps()}, .streaming = Streaming::FromEmpty}, streamed);
  const auto two = watch(
      {
          .collection = {.resource = maps(), .ns = "n"},
          .resource_version = std::to_string(api.store().revision().value)
  },
      plain);
  EXPECT_TRUE(streamed.events.empty()) << "not from inside";
  run();
  EXPECT_EQ(streamed.events, (std::vector<std::string>{"Aa", "B!"}));

  make_map("b");
  ASSERT_TRUE(call({
      .verb = Verb::Delete, .resource = maps(), .key = {"n", "a"}
  }));

  EXPECT_EQ(plain.events, (std::vector<std::string>{"Ab", "Da"}));
  EXPECT_EQ(streamed.events.size(), 4U);
}

// With a clock, watches go as a server's do.
class TimedLocalClientTest : public LocalClientTest {
 protected:
  TimedLocalClientTest() {
    client->keep_time(clock, [this](Duration wait, std::move_only_function<void()> task) {
      timers.emplace(clock.monotonic() + wait, std::move(task));
    });
  }
  void pass(Duration time) {
    const auto until = clock.monotonic() + time;
    while (!timers.empty() && timers.begin()->first <= until) {
      auto due = timers.extract(timers.begin());
      clock.advance(due.key() - clock.monotonic());
      due.mapped()();
      run();
    }
    clock.advance(until - clock.monotonic());
  }
  std::multimap<MonotonicInstant, std::move_only_function<void()>> timers;
};

TEST_F(TimedLocalClientTest, AWatchEndsInGoodOrderWhenItsTimeIsOver) {
  Told told;
  const auto watching = watch({.collection = {.resource = maps()},
                               .resource_version = std::to_string(api.store().revision().value),
                               .timeout = std::chrono::seconds(90)},
                              told);
  run();
  pass(std::chrono::seconds(89));
  make_map("a");
  EXPECT_FALSE(told.end);

  pass(std::chrono::seconds(1));

  ASSERT_TRUE(told.end);
  EXPECT_FALSE(*told.end) << "no error";
  make_map("b");
  pass(std::chrono::hours(1));
  EXPECT_EQ(told.events, (std::vector<std::string>{"B", "B", "Aa"}))
      << "a bookmark each minute, one before the end, and nothing after it";
  EXPECT_TRUE(timers.empty()) << "nobody watches, nothing ticks";
}

TEST_F(TimedLocalClientTest, BookmarksSayHowFarAQuietWatchHasCome) {
  std::string version;
  const auto watching = client->watch(
      {
          .collection = {.resource = maps(), .ns = "n", .selector = {.labels = "no=body"}},
          .resource_version = std::to_string(api.store().revision().value)
  },
      {.on_event =
           [&](const WatchEvent& event) {
             version = event.object.get("metadata", "resourceVersion").as_string();
           },
       .on_end = {}});
  make_map("a");
  EXPECT_EQ(version, "");

  pass(std::chrono::seconds(60));

  EXPECT_EQ(version, std::to_string(api.store().revision().value));
}

TEST_F(TimedLocalClientTest, AWatchMayBeCancelledInsideItsBookmark) {
  std::unique_ptr<Watching> watching;
  int told = 0;
  watching = client->watch({.collection = {.resource = maps()}}, {.on_event =
                                                                      [&](const WatchEvent&) {
                                                                        ++told;
                                                                        watching.reset();
                                                                      },
                                                                  .on_end = {}});
  run();

  pass(std::chrono::hours(1));

  EXPECT_EQ(told, 1);
}

TEST_F(LocalClientTest, AWatchEndsWithItsKind) {
  const Resource definitions{
      .kind = {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
      .plural = "customresourcedefinitions",
      .scope = Scope::Cluster
  };
  ASSERT_TRUE(call({.verb = Verb::Create,
                    .resource = definitions,
                    .body = *json::parse(apiserver::kBoatDefinition)}));
  Told boats;
  Told others;
  const auto one = watch(
      {.collection = {.resource = {.kind = {"sea.example.com", "v1", "Boat"}, .plural = "boats"}}},
      boats);
  const auto two = watch({.collection = {.resource = maps()}}, others);
  run();
  ASSERT_FALSE(boats.end) << (*boats.end)->status.message;

  // Nobody finishes it here; without its finalizer it is gone at once.
  ASSERT_TRUE(call({
      .verb = Verb::Patch,
      .resource = definitions,
      .key = {"", "boats.sea.example.com"},
      .body = *json::parse(R"({"metadata":{"finalizers":null}})")
  }));
  ASSERT_TRUE(call({
      .verb = Verb::Delete, .resource = definitions, .key = {"", "boats.sea.example.com"}
  }));
  // The stamp brings the finalizer of the server itself.
  const auto last = call({
      .verb = Verb::Patch,
      .resource = definitions,
      .key = {"", "boats.sea.example.com"},
      .body = *json::parse(R"({"metadata":{"finalizers":null}})")
  });

  ASSERT_TRUE(boats.end) << (last ? json::to_text(last->body) : last.error().status.message);
  EXPECT_FALSE(*boats.end);
  EXPECT_FALSE(others.end);
}

TEST_F(LocalClientTest, AWatchEndsWhenItsKindIsDefinedAnewAndWhoResumesGoesOn) {
  const Resource definitions{
      .kind = {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
      .plural = "customresourcedefinitions",
      .scope = Scope::Cluster
  };
  const auto patch_definition = [&](std::string_view patch) {
    return call({
        .verb = Verb::Patch,
        .resource = definitions,
        .key = {"", "boats.sea.example.com"},
        .body = *json::parse(patch)
    });
  };
  ASSERT_TRUE(call({.verb = Verb::Create,
                    .resource = definitions,
                    .body = *json::parse(apiserver::kBoatDefinition)}));
  const WatchCall boats{
      .collection = {.resource = {.kind = {"sea.example.com", "v1", "Boat"}, .plural = "boats"}},
      .resource_version = std::to_string(api.store().revision().value)};
  Told first;
  const auto one = watch(boats, first);
  run();
  ASSERT_TRUE(patch_definition(R"({"metadata":{"labels":{"a":"b"}}})"));
  EXPECT_FALSE(first.end) << "the definition says what it said before";

  ASSERT_TRUE(patch_definition(R"({"spec":{"names":{"shortNames":["bt"]}}})"));

  ASSERT_TRUE(first.end);
  EXPECT_FALSE(*first.end) << "no error";
  Told second;
  const auto two = watch(boats, second);
  run();
  EXPECT_FALSE(second.end) << "what it is told of the past does not end it";
}

// A store whose writes are durable only when told.
class SlowDisk final : public LocalApi {
 public:
  explicit SlowDisk(LocalApi& under) : under_(under) {}
  apiserver::Response run(const apiserver::Request& request) override {
    return under_.run(request);
  }
  kube::Answer<apiserver::Watch> open_watch(const apiserver::Request& request) override {
    return under_.open_watch(request);
  }
  const store::Store& store() const override { return under_.store(); }
  apiserver::CustomKinds& kinds() override { return under_.kinds(); }
  store::Revision durable() const override { return durable_; }
  void when_durable(store::Revision revision,
                    std::function<void(std::optional<Error>)> callback) override {
    if (revision <= durable_) return callback(std::nullopt);
    waiting_.push_back(std::move(callback));
  }
  void flush(std::optional<Error> lost = std::nullopt) {
    if (!lost) durable_ = store().revision();
    for (auto& callback : std::exchange(waiting_, {})) callback(lost);
  }

 private:
  LocalApi& under_;
  store::Revision durable_;
  std::vector<std::function<void(std::optional<Error>)>> waiting_;
};

TEST_F(LocalClientTest, NothingIsToldBeforeItIsDurable) {
  SlowDisk disk{api};
  client = std::make_unique<LocalClient>(
      disk, [this](std::move_only_function<void()> task) { posted.push_back(std::move(task)); });
  Told told;
  const auto watching =
      watch({.collection = {.resource = maps()}, .streaming = Streaming::FromEmpty}, told);
  std::optional<Reply> reply;
  client->call(
      {
          .verb = Verb::Create,
          .resource = maps(),
          .key = {"n", ""},
          .body = *json::parse(R"({"metadata":{"name":"a"}})")
  },
      [&](Reply got) { reply = std::move(got); });
  run();
  EXPECT_FALSE(reply);
  EXPECT_TRUE(told.events.empty());

  disk.flush();
  client->changed();
  run();

  ASSERT_TRUE(reply && *reply);
  EXPECT_EQ(told.events, (std::vector<std::string>{"B!", "Aa"}));
}

TEST_F(LocalClientTest, AWriteThatTheDiskLostWasNeverMade) {
  SlowDisk disk{api};
  client = std::make_unique<LocalClient>(
      disk, [this](std::move_only_function<void()> task) { posted.push_back(std::move(task)); });
  std::optional<Reply> reply;
  client->call(
      {
          .verb = Verb::Create,
          .resource = maps(),
          .key = {"n", ""},
          .body = *json::parse(R"({"metadata":{"name":"a"}})")
  },
      [&](Reply got) { reply = std::move(got); });

  disk.flush(Error{ErrorKind::Unavailable, "no space left"});
  run();

  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->error().fate, Fate::NotSent);
  EXPECT_EQ(reply->error().status.message, "no space left");
}

TEST_F(LocalClientTest, AWatchFromAForgottenPastIsRefused) {
  make_map("a");
  api.store_to_change().compact(api.store().revision());
  make_map("b");
  Told told;

  const auto watching = watch({.collection = {.resource = maps()}, .resource_version = "1"}, told);
  run();

  ASSERT_TRUE(told.end && *told.end);
  EXPECT_EQ((*told.end)->status.code, 410);
}

TEST_F(LocalClientTest, ACancelledWatchAndAnEndedClientCallNobody) {
  Told told;
  auto watching = watch({.collection = {.resource = maps()}}, told);
  watching.reset();
  make_map("a");
  EXPECT_TRUE(told.events.empty());

  bool called = false;
  client->call(
      {
          .verb = Verb::Get, .resource = maps(), .key = {"n", "a"}
  },
      [&](Reply) { called = true; });
  client.reset();
  run();

  EXPECT_FALSE(called);
}

TEST_F(LocalClientTest, WhoActsAsAnotherHasThatOnesRights) {
  make_map("a");
  Call read{
      .verb = Verb::Get, .resource = maps(), .key = {"n", "a"}
  };
  read.as_user = "jane";

  const auto refused = call(read);
  read.as_groups = {"system:masters"};
  const auto allowed = call(read);

  EXPECT_EQ(refused.error().status.code, 403);
  EXPECT_TRUE(refused.error().status.message.contains("User \"jane\" cannot get resource"));
  EXPECT_TRUE(allowed);
}

TEST_F(LocalClientTest, KindsAreFound) {
  std::vector<std::expected<Resource, CallError>> found;
  const auto resolve = [&](kube::GroupVersionKind kind) {
    client->resolve(std::move(kind), [&](auto got) { found.push_back(std::move(got)); });
  };

  resolve({"apps", "", "Deployment"});
  resolve({"", "v1", "Node"});
  resolve({"apps", "v1", "Boat"});
  run();

  EXPECT_EQ(*found.at(0), (Resource{
                              {"apps", "v1", "Deployment"},
                              "deployments"
  }));
  EXPECT_EQ(found.at(1)->scope, Scope::Cluster);
  EXPECT_TRUE(found.at(2).error().not_found());
}

TEST_F(LocalClientTest, MetadataOnlyLeavesOutTheRest) {
  make_map("a");
  std::optional<PageReply> page;

  client->list(
      {
          .collection = {.resource = maps(), .metadata_only = true}
  },
      [&](PageReply got) { page = std::move(got); });
  run();

  EXPECT_EQ((*page)->items.at(0).get("kind").as_string(), "PartialObjectMetadata");
  EXPECT_FALSE((*page)->items[0].contains("data"));
}

}  // namespace
}  // namespace fixpoint::client
