// SPDX-License-Identifier: Apache-2.0
//
// Calls over HTTP under every fault: what is sent, what is sent again, and what a caller may
// conclude when something went wrong.
#include "client/http/scripted_server.h"
#include "net/gzip.h"

#include <algorithm>
#include <optional>

namespace fixpoint::client {
namespace {

using namespace std::chrono_literals;

// Of a client that trusts another authority than the server's.
net::TlsContextRef foreign_tls(net::HttpVersions versions) {
  return *net::make_client_tls(
      {.ca_pem = net::Certificates::get().foreign_authority.certificate_pem, .versions = versions});
}

class HttpCall : public ClientFixture {};
INSTANTIATE_TEST_SUITE_P(Over, HttpCall, both_versions(), version_name);

TEST_P(HttpCall, SendsTheRequestAndReadsTheAnswer) {
  server->then(answer(200, R"({"kind":"Widget","spec":{"size":3}})"));

  const auto reply = call(get());

  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body.get("spec", "size").as_int(), 3);
  const auto& request = server->requests.at(0);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/apis/demo.example/v1/namespaces/n/widgets/a");
  EXPECT_EQ(*request.headers.find("authorization"), "Bearer t1");
  EXPECT_EQ(*request.headers.find("accept"), "application/json");
  EXPECT_EQ(listener.codes, std::vector{200});
}

TEST_P(HttpCall, ARefusalCarriesTheServersStatus) {
  server->then(answer(
      409,
      R"({"kind":"Status","message":"exists","reason":"AlreadyExists","code":409,)"
      R"("details":{"name":"a","kind":"widgets","causes":[{"reason":"R","message":"m","field":"f"}]}})"));

  const auto reply = call(create());

  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().fate, Fate::Refused);
  EXPECT_TRUE(reply.error().is("AlreadyExists"));
  EXPECT_TRUE(reply.error().conflict());
  EXPECT_EQ(reply.error().status.details->causes.at(0).field, "f");
}

TEST_P(HttpCall, AWriteWhoseAnswerIsLostIsSentOnceAndUnknown) {
  server->then(lose()).then(answer(201, "{}"));

  const auto reply = call(create());

  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().fate, Fate::Unknown);
  EXPECT_EQ(reply.error().status.code, 0);
  EXPECT_EQ(server->requests.size(), 1U);
}

TEST_P(HttpCall, AReadWhoseAnswerIsLostIsTriedAgain) {
  server->then(lose())
      .then(cut_after(200, R"({"kind":)"))
      .then(answer(200, R"({"kind":"Widget"})"));

  const auto reply = call(get());

  ASSERT_TRUE(reply) << reply.error().status.message;
  EXPECT_EQ(server->requests.size(), 3U);
  EXPECT_EQ(listener.retries, 2);
}

TEST_P(HttpCall, AWriteCutInMidAnswerIsUnknownUnlessTheServerHadSaidNo) {
  server->then(cut_after(201, R"({"kind":)")).then(cut_after(409, R"({"kind":"Sta)"));

  const auto made = call(create());
  const auto refused = call(create());

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().fate, Fate::Unknown);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fate, Fate::Refused);
  EXPECT_TRUE(refused.error().conflict());
  EXPECT_EQ(server->requests.size(), 2U);
}

TEST_P(HttpCall, AWriteTurnedAwayAtTheDoorIsTriedAgainWhenTheServerSaysWhen) {
  server
      ->then(status(429, "TooManyRequests",
                    {
                        {"retry-after", "1"}
  }))
      .then(status(503, "ServiceUnavailable", {{"retry-after", "1"}}))
      .then(answer(201, R"({"kind":"Widget"})"));
  const auto begin = clock.monotonic();

  const auto reply = call(create());

  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->code, 201);
  EXPECT_GE(clock.monotonic() - begin, 2s);
}

TEST_P(HttpCall, AWriteRefusedWithoutATimeIsNotTriedAgain) {
  server->then(status(429, "TooManyRequests")).then(status(503, "ServiceUnavailable"));

  const auto shed = call(create());
  const auto unavailable = call(create());

  EXPECT_EQ(shed.error().fate, Fate::Refused);
  EXPECT_EQ(unavailable.error().fate, Fate::Unknown) << "a balancer may have lost its server";
  EXPECT_EQ(server->requests.size(), 2U);
}

TEST_P(HttpCall, AStormOf429EndsWithTheDeadlineAndWithoutSpinning) {
  server->then(answer(200, "{}"));
  ASSERT_TRUE(call(get()));
  server->always(status(429, "TooManyRequests",
                        {
                            {"retry-after", "1"}
  }));

  // Waits are of a second and up to a third more: the third always ends beyond this, and the second
  // never near it, where an attempt would be under way.
  auto impatient = create();
  impatient.deadline = 2900ms;

  const auto reply = call(std::move(impatient));

  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().fate, Fate::Refused);
  EXPECT_EQ(reply.error().status.code, 429);
  EXPECT_EQ(reply.error().retry_after, Duration{1s});
  EXPECT_EQ(server->requests.size(), 1U + 3U);
}

TEST_P(HttpCall, ATimeoutInsideTheServerLeavesAWriteUnknownAndARetriedRead) {
  server->then(status(504, "Timeout")).then(status(504, "Timeout")).then(answer(200, "{}"));

  const auto written = call(create());
  const auto read = call(get());

  EXPECT_EQ(written.error().fate, Fate::Unknown);
  EXPECT_TRUE(read);
}

TEST_P(HttpCall, NoAnswerWithinTheDeadlineIsUnknownAndTheNextCallWorks) {
  server->then([](const net::Request&, const ExchangeRef&) {}).then(answer(200, "{}"));
  auto slow = create();
  slow.deadline = 3s;

  const auto reply = call(std::move(slow));

  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().fate, Fate::Unknown);
  EXPECT_TRUE(reply.error().status.message.contains("no answer within 3000 ms"));
  EXPECT_TRUE(call(get()));
  EXPECT_EQ(server->requests.size(), 2U);
}

TEST_P(HttpCall, WithoutAServerNothingIsSent) {
  server.reset();
  auto impatient = create();
  impatient.deadline = 5s;

  const auto reply = call(std::move(impatient));

  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().fate, Fate::NotSent);
  EXPECT_TRUE(reply.error().status.message.contains("connect to 127.0.0.1"))
      << reply.error().status.message;
}

TEST_P(HttpCall, SurvivesARestartOfTheServer) {
  server->always(answer(200, "{}"));
  ASSERT_TRUE(call(get()));
  const auto port = server->port();
  server.reset();
  std::optional<Reply> during;
  client->call(create(), [&](Reply reply) { during = std::move(reply); });
  settle();
  server = std::make_unique<ScriptedServer>(loop, port);
  server->always(answer(200, "{}"));

  ASSERT_TRUE(run_until([&] { return during.has_value(); }));
  EXPECT_TRUE(call(get()));
  EXPECT_LE(server->requests.size(), 2U);
}

TEST_P(HttpCall, AServerThatClosesInGoodOrderLosesNothing) {
  server->always(answer(200, "{}"));
  ASSERT_TRUE(call(get()));
  const auto port = server->port();
  bool closed = false;
  server->server().shutdown(10s, [&] { closed = true; });
  ASSERT_TRUE(run_until([&] { return closed; }));
  server.reset();
  server = std::make_unique<ScriptedServer>(loop, port);
  server->always(answer(201, R"({"kind":"Widget"})"));

  const auto reply = call(create());

  ASSERT_TRUE(reply) << reply.error().status.message;
  EXPECT_EQ(server->requests.size(), 1U);
}

TEST_P(HttpCall, AnAnswerThatIsNoJsonIsUnknown) {
  server->then(answer(201, R"({"kind":"Widget",)"))
      .then(answer(502, "<html>bad gateway</html>",
                   {
                       {"content-type", "text/html"}
  }))
      .then(answer(403, "<html>go away</html>", {{"content-type", "text/html"}}));

  EXPECT_EQ(call(create()).error().fate, Fate::Unknown);
  EXPECT_EQ(call(create()).error().fate, Fate::Unknown);
  const auto forbidden = call(create());
  EXPECT_EQ(forbidden.error().fate, Fate::Refused);
  EXPECT_EQ(forbidden.error().status.reason, "Forbidden");
  EXPECT_TRUE(forbidden.error().status.message.contains("go away"));
}

TEST_P(HttpCall, AnExpiredTokenIsRefreshedOnce) {
  server->then(status(401, "Unauthorized")).then(answer(201, "{}"));

  EXPECT_TRUE(call(create()));
  EXPECT_EQ(*server->requests.at(1).headers.find("authorization"), "Bearer t2");
  server->always(status(401, "Unauthorized"));
  const auto refused = call(create());

  EXPECT_EQ(refused.error().status.code, 401);
  EXPECT_EQ(server->requests.size(), 4U);
}

TEST_P(HttpCall, WarningsAreToldOnceAndComeWithEveryAnswer) {
  const net::Headers warning{
      {"warning", R"(299 - "it is \"old\"", 299 - "second")"}
  };
  server->always(answer(200, "{}", warning));

  ASSERT_TRUE(call(get()));
  const auto reply = call(get());

  EXPECT_EQ(reply->warnings, (std::vector<std::string>{R"(it is "old")", "second"}));
  EXPECT_EQ(listener.warnings, reply->warnings);
}

TEST_P(HttpCall, ReadsLogsAsTextAndActsAsOthers) {
  server->then(answer(200, "line\n",
                      {
                          {"content-type", "text/plain"}
  }));

  const auto reply = call({
      .verb = Verb::Get,
      .resource = pods(),
      .key = {"n",                     "p"               },
      .subresource = "log",
      .as_user = "jane",
      .as_groups = {"a",                     "b"               },
      .query = {{"container", "main c"}, {"tailLines", "1"}}
  });

  EXPECT_EQ(reply->text, "line\n");
  EXPECT_TRUE(reply->body.is_null());
  const auto& request = server->requests.at(0);
  EXPECT_EQ(request.target, "/api/v1/namespaces/n/pods/p/log?container=main%20c&tailLines=1");
  EXPECT_EQ(*request.headers.find("impersonate-user"), "jane");
  EXPECT_TRUE(std::ranges::count(request.headers, net::Header{"impersonate-group", "b"}) == 1);
}

TEST_P(HttpCall, ManyCallsShareOneConnectionOnlyOverHttp2) {
  int answered = 0;
  for (int i = 0; i < 10; ++i) client->call(get(), [&](Reply) { ++answered; });
  ASSERT_TRUE(run_until([&] { return server->requests.size() == 10; }, {}));

  EXPECT_EQ(server->connections(), http2() ? 1U : 10U);
  for (const auto& exchange : server->held) exchange->respond(200, {}, "");
  ASSERT_TRUE(run_until([&] { return answered == 10; }, {}));
}

TEST_P(HttpCall, AFrozenConnectionIsGivenUp) {
  if (!http2()) GTEST_SKIP() << "over HTTP/1.1 the deadline itself takes the connection";
  Forwarder wire{loop, server->port()};
  connect(wire.port());
  server->always(answer(200, "{}"));
  ASSERT_TRUE(call(get()));
  wire.freeze();
  auto slow = get();
  slow.deadline = 5s;
  EXPECT_EQ(call(std::move(slow)).error().fate, Fate::Unknown);

  ASSERT_TRUE(run_until([&] { return client->connections() == 0; }, 100ms));
}

TEST_P(HttpCall, AResetInsideTheBodyIsNotTakenForAnAnswer) {
  Forwarder wire{loop, server->port()};
  connect(wire.port());
  server->always(answer(200, R"({"kind":"Widget"})"));
  ASSERT_TRUE(call(get()));
  const std::string large = R"({"data":")" + std::string(100'000, 'x') + "\"}";
  server->then(answer(200, large)).then(answer(200, R"({"kind":"again"})"));
  wire.reset_after(50'000);

  const auto reply = call(get());

  ASSERT_TRUE(reply) << reply.error().status.message;
  EXPECT_EQ(reply->body.get("kind").as_string(), "again");
}

TEST_P(HttpCall, NamesAreLookedUpBesideTheLoopAndTheirAddressesTriedInTurn) {
  // In this spelling it is a name like any other; it may well have an address nobody listens on.
  connect({.host = "LocalHost", .port = server->port(), .server_name = "api.example"});
  server->then(answer(200, "{}"));

  const auto reply = call(get());

  ASSERT_TRUE(reply) << reply.error().status.message;
  const auto& request = server->requests.at(0);
  if (!http2()) {
    EXPECT_EQ(*request.headers.find("host"), "LocalHost:" + std::to_string(server->port()));
  }
}

TEST_P(HttpCall, RotatedCertificatesAreUsedForNewRequests) {
  server->always(answer(200, "{}"));
  ASSERT_TRUE(call(get()));
  access->use(*net::make_client_tls(
      {.ca_pem = net::Certificates::get().authority.certificate_pem, .versions = GetParam()}));

  ASSERT_TRUE(call(get()));

  EXPECT_EQ(client->connections(), 2U);
}

// Begun in the middle of a rotation, with what others have replaced since: their connections are of
// no use to it, but it is not to wait for the old authority until its deadline.
TEST_P(HttpCall, ACallWithOldCertificatesIsTriedAgainWithTheNew) {
  server->always(answer(200, "{}"));
  ASSERT_TRUE(call(get()));
  std::optional<Reply> reply;
  access->use(foreign_tls(GetParam()));
  client->call(get(), [&](Reply got) { reply = std::move(got); });
  settle();
  access->use(net::client_tls(GetParam()));
  ASSERT_TRUE(call(get("other")));

  const auto begin = clock.monotonic();
  ASSERT_TRUE(run_until([&] { return reply.has_value(); }));

  EXPECT_TRUE(*reply) << reply->error().status.message;
  EXPECT_LT(clock.monotonic() - begin, 5s);
}

TEST_P(HttpCall, AServerOfAnotherAuthorityIsNotTalkedTo) {
  access->use(foreign_tls(GetParam()));
  auto impatient = create();
  impatient.deadline = 5s;

  const auto reply = call(std::move(impatient));

  EXPECT_EQ(reply.error().fate, Fate::NotSent);
  EXPECT_TRUE(reply.error().status.message.contains("certificate")) << reply.error().status.message;
  EXPECT_TRUE(server->requests.empty());
}

TEST_P(HttpCall, NobodyIsCalledAfterTheEnd) {
  bool called = false;
  client->call(get(), [&](Reply) { called = true; });
  settle();

  client.reset();
  run_until([&] { return clock.monotonic().time_since_epoch() > 40s; }, 1s);

  EXPECT_FALSE(called);
}

TEST_P(HttpCall, TheClientMayEndInsideAnAnswer) {
  server->then(answer(200, "{}"));
  bool called = false;
  client->call(get(), [&](Reply) {
    client.reset();
    called = true;
  });

  EXPECT_TRUE(run_until([&] { return called; }));
}

class PackedCall : public ClientFixture {
 protected:
  PackedCall() { gzip = true; }
};
INSTANTIATE_TEST_SUITE_P(Over, PackedCall, both_versions(), version_name);

TEST_P(PackedCall, UnpacksWhatTheServerPacked) {
  server->then(answer(200, *net::gzip(R"({"kind":"Widget"})"),
                      {
                          {"content-encoding", "gzip"}
  }));

  const auto reply = call(get());

  EXPECT_EQ(reply->body.get("kind").as_string(), "Widget");
  EXPECT_EQ(*server->requests.at(0).headers.find("accept-encoding"), "gzip");
}

class LimitedCall : public ClientFixture {
 protected:
  LimitedCall() {
    in_flight_max = 2;
    deadline_max = 10s;
  }
};
INSTANTIATE_TEST_SUITE_P(Over, LimitedCall, both_versions(), version_name);

TEST_P(LimitedCall, NoCallWaitsLongerThanTheClientAllows) {
  server->then([](const net::Request&, const ExchangeRef&) {});
  auto patient = create();
  patient.deadline = 1h;

  const auto reply = call(std::move(patient));

  ASSERT_FALSE(reply);
  EXPECT_TRUE(reply.error().status.message.contains("no answer within 10000 ms"));
}

TEST_P(LimitedCall, CallersTakeTurnsWhenThereIsALimit) {
  std::string order;
  const auto ask = [&](const std::string& who) {
    auto one = create();
    one.field_manager = who;
    client->call(std::move(one), [&, who](Reply) { order += who; });
  };
  for (int i = 0; i < 4; ++i) ask("a");
  ask("b");
  settle();
  EXPECT_EQ(server->requests.size(), 2U);

  for (std::size_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(run_until([&] { return server->held.size() > i; }, {}));
    server->held[i]->respond(201, {}, "");
    ASSERT_TRUE(run_until([&] { return order.size() > i; }, {}));
  }
  EXPECT_EQ(order, "aaaba");
}

}  // namespace
}  // namespace fixpoint::client
