// SPDX-License-Identifier: Apache-2.0
//
// Lists and watches over HTTP: pages, streams cut anywhere, silence, and every way they can end.
#include "client/http/scripted_server.h"

namespace fixpoint::client {
namespace {

using namespace std::chrono_literals;

class HttpWatching : public ClientFixture {
 protected:
  // What a watch told.
  struct Told {
    std::vector<std::string> events;
    std::optional<std::optional<CallError>> end;
    int ends = 0;
    std::unique_ptr<Watching> watching;
  };

  std::shared_ptr<Told> watch(WatchCall call) {
    auto told = std::make_shared<Told>();
    const std::weak_ptr<Told> weak = told;
    told->watching =
        client->watch(std::move(call), {.on_event =
                                            [weak](const WatchEvent& event) {
                                              const auto kinds = "AMDB";
                                              weak.lock()->events.push_back(
                                                  kinds[static_cast<int>(event.type)] +
                                                  std::string{event.initial_events_end ? "!" : ""} +
                                                  ":" + json::to_text(event.object));
                                            },
                                        .on_end =
                                            [weak](std::optional<CallError> error) {
                                              const auto self = weak.lock();
                                              self->end = std::move(error);
                                              ++self->ends;
                                            }});
    return told;
  }
  static WatchCall from(std::string version) {
    return {
        .collection = {.resource = widgets(), .ns = "n"},
          .resource_version = std::move(version)
    };
  }
  // A stream that is open; the test writes to the exchange.
  static Step stream() {
    return [](const net::Request&, const ExchangeRef& exchange) {
      exchange->start(200, {
                               {"content-type", "application/json"}
      });
    };
  }
  void say(std::string text) { server->held.back()->write(net::make_chunk(std::move(text))); }
  bool open(std::size_t count = 1) {
    return run_until([&] { return server->held.size() == count; }, {});
  }
};
INSTANTIATE_TEST_SUITE_P(Over, HttpWatching, both_versions(), version_name);

TEST_P(HttpWatching, EventsArriveHoweverTheirBytesAreCut) {
  server->then(stream());
  const auto told = watch(from("7"));
  ASSERT_TRUE(open());
  EXPECT_EQ(server->requests[0].target,
            "/apis/demo.example/v1/namespaces/n/widgets?watch=true&allowWatchBookmarks=true"
            "&resourceVersion=7&timeoutSeconds=420");
  const std::string text = R"({"type":"ADDED","object":{"a":1}})"
                           "\n"
                           R"({"type":"MODIFIED","object":{"a":2}})"
                           "\n\n"
                           R"({"type":"DELETED","object":{"a":"é"}})"
                           "\n";

  for (const char c : text) {
    say(std::string{c});
    loop.tick({});
  }
  say(text);

  ASSERT_TRUE(run_until([&] { return told->events.size() == 6; }, {}));
  EXPECT_EQ(told->events[1], R"(M:{"a":2})");
  EXPECT_EQ(told->events[2], R"(D:{"a":"é"})");
  EXPECT_EQ(told->events[3], told->events[0]);
  EXPECT_FALSE(told->end);
}

TEST_P(HttpWatching, MuchNewsIsReadTogetherUnlessAnAnswerIsWaitedForOnTheSameConnection) {
  constexpr std::size_t kMany = 16;  // until a wire looks by itself
  const auto event = "{\"type\":\"ADDED\",\"object\":{}}\n";
  server->then(stream()).then(answer(200, "{}"));
  const auto told = watch(from("7"));
  ASSERT_TRUE(open());
  for (std::size_t i = 0; i <= kMany; ++i) {
    say(event);
    ASSERT_TRUE(run_until([&] { return told->events.size() == i + 1; }, {}));
    clock.advance(i == 0 ? 1s : 5ms);
  }

  say(event);
  settle();
  EXPECT_EQ(told->events.size(), kMany + 1);
  std::optional<Reply> reply;
  client->call(get(), [&](Reply got) { reply = std::move(got); });
  ASSERT_TRUE(run_until([&] { return reply.has_value(); }, {}));
  EXPECT_EQ(told->events.size(), http2() ? kMany + 2 : kMany + 1);

  EXPECT_TRUE(run_until([&] { return told->events.size() == kMany + 2; }));
}

TEST_P(HttpWatching, ObjectsAreCutToTheirShapeAndBookmarksAreNot) {
  auto call = from("7");
  call.shape = std::make_shared<const json::Shape>(json::Shape::only({{"status"}}));
  server->then(stream());
  const auto told = watch(call);
  ASSERT_TRUE(open());
  say(R"({"type":"ADDED","object":{"kind":"W","spec":{},"status":1}})"
      "\n"
      R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9",)"
      R"("annotations":{"k8s.io/initial-events-end":"true"}}}})"
      "\n");

  ASSERT_TRUE(run_until([&] { return told->events.size() == 2; }, {}));
  EXPECT_EQ(told->events[0], R"(A:{"kind":"W","status":1})");
  EXPECT_TRUE(told->events[1].starts_with("B!:"));
}

TEST_P(HttpWatching, AnEndInGoodOrderIsNoError) {
  server->then(stream());
  const auto told = watch(from("7"));
  ASSERT_TRUE(open());

  say(R"({"type":"ADDED","object":{}})");  // the last line may lack its break
  server->held.back()->end();

  ASSERT_TRUE(run_until([&] { return told->end.has_value(); }, {}));
  EXPECT_FALSE(*told->end) << (*told->end)->status.message;
  EXPECT_EQ(told->events.size(), 1U);
  EXPECT_EQ(told->ends, 1);
}

TEST_P(HttpWatching, AnErrorEventEndsItWithTheServersStatus) {
  server->then(stream());
  const auto told = watch(from("7"));
  ASSERT_TRUE(open());

  say(R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"old"}})"
      "\n"
      R"({"type":"ADDED","object":{}})"
      "\n");

  ASSERT_TRUE(run_until([&] { return told->end.has_value(); }, {}));
  EXPECT_EQ((*told->end)->fate, Fate::Refused);
  EXPECT_EQ((*told->end)->status.code, 410);
  EXPECT_TRUE((*told->end)->is("Expired"));
  EXPECT_TRUE(told->events.empty());
}

TEST_P(HttpWatching, ARefusalAsAnAnswerIsTheSame) {
  server->then(status(410, "Gone"))
      .then(status(429, "TooManyRequests",
                   {
                       {"retry-after", "3"}
  }));

  const auto gone = watch(from("7"));
  ASSERT_TRUE(run_until([&] { return gone->end.has_value(); }));
  const auto shed = watch(from("7"));
  ASSERT_TRUE(run_until([&] { return shed->end.has_value(); }));

  EXPECT_EQ((*gone->end)->status.code, 410);
  EXPECT_EQ((*shed->end)->retry_after, Duration{3s});
}

TEST_P(HttpWatching, ABrokenStreamIsUnknown) {
  server
      ->then(cut_after(200, R"({"type":"ADDED","object":{"a":1}})"
                            "\n{\"type\""))
      .then(answer(200, "{\"type\":\"ADDED\",\"object\":{\"a\":"))
      .then(answer(200, "garbage\n"))
      .then(answer(200, "{\"type\":\"SURPRISE\",\"object\":{}}\n"))
      .then(lose());

  for (int i = 0; i < 5; ++i) {
    const auto told = watch(from("7"));
    ASSERT_TRUE(run_until([&] { return told->end.has_value(); }));
    ASSERT_TRUE(told->end->has_value()) << i;
    EXPECT_EQ((*told->end)->fate, Fate::Unknown) << i;
    EXPECT_EQ(told->ends, 1);
    EXPECT_EQ(told->events.size(), i == 0 ? 1U : 0U);
  }
}

TEST_P(HttpWatching, AnIdleWatchLivesOnlyAsLongAsThePeerGivesSignsOfLife) {
  server->then(stream());
  const auto told = watch(from("7"));
  ASSERT_TRUE(open());
  settle();

  for (int i = 0; i < 300 && !told->end; ++i) {
    clock.advance(1s);
    for (int tick = 0; tick < 5; ++tick) loop.tick(1ms);
  }

  // Pings show an HTTP/2 peer to be alive; over HTTP/1.1 only events could.
  EXPECT_EQ(told->end.has_value(), !http2());
  if (told->end) {
    EXPECT_EQ((*told->end)->fate, Fate::Unknown);
    EXPECT_TRUE((*told->end)->status.message.contains("no sign of life"));
  }
}

TEST_P(HttpWatching, AFrozenPeerIsNoticed) {
  Forwarder wire{loop, server->port()};
  connect(wire.port());
  server->then(stream());
  const auto told = watch(from("7"));
  ASSERT_TRUE(open());
  settle();
  wire.freeze();
  const auto begin = clock.monotonic();

  ASSERT_TRUE(run_until([&] { return told->end.has_value(); }, 1s));

  EXPECT_EQ((*told->end)->fate, Fate::Unknown);
  EXPECT_LT(clock.monotonic() - begin, http2() ? 70s : 120s);
  EXPECT_TRUE(run_until([&] { return client->connections() == 0; }, {}));
}

TEST_P(HttpWatching, AServerThatForgetsToEndItIsLeft) {
  auto call = from("7");
  call.timeout = 20s;
  server->then(stream());
  const auto told = watch(call);
  ASSERT_TRUE(open());

  ASSERT_TRUE(run_until([&] { return told->end.has_value(); }, 1s));

  EXPECT_FALSE(*told->end);
}

TEST_P(HttpWatching, CancellingSilencesItAtOnceAlsoFromInsideAnEvent) {
  server->then(stream());
  int events = 0;
  std::unique_ptr<Watching> watching;
  watching = client->watch(from("7"), {.on_event =
                                           [&](const WatchEvent&) {
                                             ++events;
                                             watching.reset();
                                           },
                                       .on_end = [&](std::optional<CallError>) { events += 100; }});
  ASSERT_TRUE(open());

  say("{\"type\":\"ADDED\",\"object\":{}}\n{\"type\":\"ADDED\",\"object\":{}}\n");

  ASSERT_TRUE(run_until([&] { return !server->held.back()->is_open(); }, {}));
  EXPECT_EQ(events, 1);
}

TEST_P(HttpWatching, NobodyIsCalledAfterTheClientsEndAlsoFromInsideAnEvent) {
  server->then(stream());
  int events = 0;
  const auto watching =
      client->watch(from("7"), {.on_event =
                                    [&](const WatchEvent&) {
                                      ++events;
                                      client.reset();
                                    },
                                .on_end = [&](std::optional<CallError>) { events += 100; }});
  ASSERT_TRUE(open());

  say("{\"type\":\"ADDED\",\"object\":{}}\n{\"type\":\"ADDED\",\"object\":{}}\n");

  ASSERT_TRUE(run_until([&] { return events > 0; }, {}));
  clock.advance(1h);
  settle();
  EXPECT_EQ(events, 1);
}

TEST_P(HttpWatching, ManyWatchesAndACallBesideThem) {
  server->always(stream());
  std::vector<std::shared_ptr<Told>> all;
  for (int i = 0; i < 60; ++i) all.push_back(watch(from("7")));
  ASSERT_TRUE(open(60));
  server->always(answer(200, "{}"));

  EXPECT_TRUE(call(get()));

  EXPECT_EQ(client->connections(), http2() ? 1U : 61U);
}

TEST_P(HttpWatching, WatchesLeaveConnectionsToCalls) {
  limits.http1_connections = 4;
  limits.http1_kept_for_calls = 1;
  connect(server->port());
  server->always(stream());
  std::vector<std::shared_ptr<Told>> all;
  for (int i = 0; i < 6; ++i) all.push_back(watch(from("7")));
  ASSERT_TRUE(open(http2() ? 6 : 3));
  settle();
  server->always(answer(200, "{}"));

  EXPECT_TRUE(call(get()));

  EXPECT_EQ(server->held.size(), http2() ? 7U : 4U) << "the other watches wait";
}

TEST_P(HttpWatching, AnExpiredTokenIsRefreshedOnce) {
  server->then(status(401, "Unauthorized")).then(stream());
  const auto told = watch(from("7"));

  ASSERT_TRUE(open(2));

  EXPECT_EQ(*server->requests.at(1).headers.find("authorization"), "Bearer t2");
  EXPECT_FALSE(told->end);
}

TEST_P(HttpWatching, AStreamingListThatIsRefusedBecomesPagesAndAWatch) {
  auto call = from("");
  call.streaming = Streaming::FromEmpty;
  call.collection.resource = pods();
  const auto page = [](std::string name, std::string token) {
    return answer(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9",)"
                       R"("continue":")" +
                           token + R"("},"items":[{"metadata":{"name":")" + name + R"("}}]})");
  };
  server->then(status(422, "Invalid")).then(page("a", "next")).then(page("b", "")).then(stream());

  const auto told = watch(call);
  ASSERT_TRUE(open(4));
  say("{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\"}}\n");

  ASSERT_TRUE(run_until([&] { return told->events.size() == 4; }, {}));
  EXPECT_EQ(told->events[0], R"(A:{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})");
  EXPECT_TRUE(told->events[2].starts_with(R"(B!:{"apiVersion":"v1","kind":"Pod")"));
  EXPECT_EQ(told->events[3], R"(A:{"kind":"Pod"})");
  EXPECT_TRUE(server->requests[0].target.contains("sendInitialEvents=true"));
  EXPECT_EQ(server->requests[1].target, "/api/v1/namespaces/n/pods?limit=500");
  EXPECT_EQ(server->requests[2].target, "/api/v1/namespaces/n/pods?limit=500&continue=next");
  EXPECT_TRUE(server->requests[3].target.contains("resourceVersion=9"));
  EXPECT_FALSE(server->requests[3].target.contains("sendInitialEvents"));

  const auto again = watch(call);
  ASSERT_TRUE(open(5));
  EXPECT_TRUE(server->requests[4].target.contains("limit=500")) << "it is not asked for twice";
}

TEST_P(HttpWatching, APageHasItsItemsCutAndNamed) {
  server->then(answer(
      200,
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"12","continue":"c"},)"
      R"("items":[{"metadata":{"name":"a","managedFields":[{}]},"spec":{}},)"
      R"({"metadata":{"name":"b"}}]})"));
  ListCall call;
  call.collection = {.resource = pods(), .selector = {.labels = "a in (b,c)"}};
  call.shape = std::make_shared<const json::Shape>(
      json::Shape::all().without({"metadata", "managedFields"}));

  const auto page = list(call);

  ASSERT_TRUE(page) << page.error().status.message;
  EXPECT_EQ(page->resource_version, "12");
  EXPECT_EQ(page->continue_token, "c");
  EXPECT_GT(page->wire_bytes, 100U);
  ASSERT_EQ(page->items.size(), 2U);
  EXPECT_EQ(json::to_text(page->items[0]),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{}})");
  EXPECT_EQ(server->requests[0].target,
            "/api/v1/pods?labelSelector=a%20in%20%28b%2Cc%29&limit=500");
}

TEST_P(HttpWatching, AListThatIsNoneIsAnError) {
  server->then(answer(200, "{}"))
      .then(answer(200, "[]"))
      .then(answer(200, R"({"items":[)"))
      .then(status(410, "Expired"));

  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(list({.collection = {.resource = pods()}}).error().fate, Fate::Unknown);
  }
  EXPECT_EQ(list({.collection = {.resource = pods()}}).error().status.code, 410);
}

TEST_P(HttpWatching, KindsAreFoundThroughDiscovery) {
  server
      ->then(answer(200, R"({"kind":"APIGroup","name":"g","preferredVersion":{"version":"v2"},)"
                         R"("versions":[{"version":"v2"},{"version":"v1"}]})"))
      .then(answer(200, R"({"resources":[{"name":"as/scale","kind":"Thing"}]})"))
      .then(answer(200, R"({"resources":[{"name":"things","kind":"Thing","namespaced":true}]})"))
      .then(status(404, "NotFound"));
  std::optional<std::expected<Resource, CallError>> found;

  client->resolve({"g", "", "Thing"}, [&](auto resource) { found = std::move(resource); });
  ASSERT_TRUE(run_until([&] { return found.has_value(); }));
  ASSERT_TRUE(*found);
  EXPECT_EQ(**found, (Resource{
                         {"g", "v1", "Thing"},
                         "things", Scope::Namespaced
  }));

  found.reset();
  client->resolve({"g", "v9", "Thing"}, [&](auto resource) { found = std::move(resource); });
  ASSERT_TRUE(run_until([&] { return found.has_value(); }));
  EXPECT_TRUE(found->error().not_found());
  EXPECT_EQ(found->error().status.message, "no matches for kind \"Thing\" in version \"g/v9\"");
}

}  // namespace
}  // namespace fixpoint::client
