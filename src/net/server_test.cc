// SPDX-License-Identifier: Apache-2.0
//
// Server and client over real loopback sockets: what must hold for HTTP/1.1 and HTTP/2, with TLS
// and without, alike.
#include "net/server.h"

#include "net/loopback_fixture.h"

#include <algorithm>

namespace fixpoint::net {
namespace {

using namespace std::chrono_literals;

struct Transport {
  const char* name;
  bool tls;
  bool http2;
};

class ServerTest : public testing::TestWithParam<Transport> {
 protected:
  void serve(Handler handler) { serve({}, std::move(handler)); }
  void serve(ServerOptions options, Handler handler) {
    if (GetParam().tls) options.tls = server_tls();
    server = *Server::listen(loop, std::move(options), std::move(handler));
  }

  std::shared_ptr<Connection> connect() {
    const auto versions = GetParam().http2 ? HttpVersions::OnlyHttp2 : HttpVersions::OnlyHttp1;
    ClientOptions options;
    options.host = "127.0.0.1";
    options.port = server->port();
    options.plain_version = versions;
    if (GetParam().tls) options.tls = client_tls(versions);
    return Connection::open(loop, options);
  }

  bool wait(const std::function<bool()>& until) { return loop.run_until(until, kPatience); }

  AnswerRef fetch(Connection& connection, ClientRequest request) {
    auto answer = send(connection, std::move(request));
    EXPECT_TRUE(wait([&] { return answer->end.has_value(); }));
    return answer;
  }

  VirtualClock clock;
  Loop loop{clock};
  std::unique_ptr<Server> server;
};

INSTANTIATE_TEST_SUITE_P(Over, ServerTest,
                         testing::Values(Transport{"PlainHttp1", false, false},
                                         Transport{"TlsHttp1", true, false},
                                         Transport{"PlainHttp2", false, true},
                                         Transport{"TlsHttp2", true, true}),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST_P(ServerTest, DeliversTheRequestAndTheAnswer) {
  Request seen;
  serve([&](Request&& request, std::shared_ptr<Exchange> exchange) {
    seen = std::move(request);
    exchange->respond(201,
                      {
                          {"Content-Type", "text/plain"},
                          {"x-a",          "1"         },
                          {"x-a",          "2"         }
    },
                      "hello");
  });
  const auto connection = connect();

  const auto answer = fetch(*connection, {.method = "POST",
                                          .target = "/a%20b?c=d",
                                          .headers = {{"X-Tag", "v"}},
                                          .body = "body",
                                          .timeout = {}});

  EXPECT_EQ(connection->speaks_http2(), GetParam().http2);
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/a%20b?c=d");
  EXPECT_EQ(seen.path(), "/a%20b");
  EXPECT_EQ(seen.query(), "c=d");
  EXPECT_EQ(seen.body, "body");
  EXPECT_EQ(*seen.headers.find("x-tag"), "v");
  EXPECT_EQ(*seen.headers.find("host"), "127.0.0.1:" + std::to_string(server->port()));
  EXPECT_EQ(seen.peer->tls, GetParam().tls);
  EXPECT_TRUE(seen.peer->address.starts_with("127.0.0.1:"));
  EXPECT_EQ(answer->status, 201);
  EXPECT_EQ(answer->body, "hello");
  EXPECT_EQ(*answer->headers.find("content-type"), "text/plain");
  EXPECT_EQ(*answer->headers.find("content-length"), "5");
  EXPECT_EQ(*answer->headers.find("date"), "Thu, 01 Jan 2026 00:00:00 GMT");
  EXPECT_EQ(std::ranges::count(answer->headers, std::string("x-a"), &Header::name), 2);
  EXPECT_TRUE(answer->complete());
}

TEST_P(ServerTest, AnswersManyRequestsOfOneConnectionLater) {
  std::vector<std::pair<std::string, std::shared_ptr<Exchange>>> held;
  serve([&](Request&& request, std::shared_ptr<Exchange> exchange) {
    held.emplace_back(request.target, std::move(exchange));
  });
  const auto connection = connect();
  std::vector<AnswerRef> answers;
  for (int i = 0; i < 50; ++i) {
    answers.push_back(send(*connection, {.target = "/" + std::to_string(i)}));
  }

  // HTTP/2 hands them over all at once and takes the answers in any order.
  const std::size_t at_once = GetParam().http2 ? 50 : 1;
  const auto all_ended = [&] {
    return std::ranges::all_of(answers, [](const AnswerRef& a) { return a->end.has_value(); });
  };
  while (!all_ended()) {
    ASSERT_TRUE(wait([&] { return held.size() == at_once || all_ended(); }));
    std::ranges::reverse(held);
    for (auto& [target, exchange] : std::exchange(held, {})) exchange->respond(200, {}, target);
  }

  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(answers[static_cast<std::size_t>(i)]->body, "/" + std::to_string(i));
  }
  EXPECT_EQ(server->connection_count(), 1U);
}

TEST_P(ServerTest, StreamsSharedChunksToManyWatchersWithoutCopyingThem) {
  std::vector<std::shared_ptr<Exchange>> watchers;
  serve([&](Request&&, std::shared_ptr<Exchange> exchange) {
    exchange->start(200, {
                             {"content-type", "application/json"}
    });
    watchers.push_back(std::move(exchange));
  });
  std::vector<std::shared_ptr<Connection>> connections;
  std::vector<AnswerRef> answers;
  for (int i = 0; i < 5; ++i) {
    connections.push_back(connect());
    answers.push_back(send(*connections.back(), {.target = "/watch"}));
  }
  ASSERT_TRUE(wait([&] {
    return std::ranges::all_of(answers, [](const AnswerRef& a) { return a->status == 200; });
  }));

  const auto event = make_chunk("event\n");
  for (const auto& watcher : watchers) watcher->write(event);
  EXPECT_EQ(event.use_count(), 6);  // ours and one in each queue
  EXPECT_GE(watchers[0]->backlog_bytes(), event->size());
  ASSERT_TRUE(wait([&] {
    return std::ranges::all_of(answers, [](const AnswerRef& a) { return a->body == "event\n"; });
  }));
  EXPECT_EQ(watchers[0]->backlog_bytes(), 0U);
  for (const auto& watcher : watchers) watcher->end();

  ASSERT_TRUE(wait([&] {
    return std::ranges::all_of(answers, [](const AnswerRef& a) { return a->complete(); });
  }));
  EXPECT_EQ(event.use_count(), 1);
}

TEST_P(ServerTest, StreamsALargeListWithABoundedBacklog) {
  const auto page = make_chunk(std::string(100'000, 'x'));
  constexpr std::size_t kPages = 100;
  std::size_t written = 0;
  std::size_t worst = 0;
  serve([&](Request&&, std::shared_ptr<Exchange> exchange) {
    exchange->start(200, {}, StreamKind::Finite);
    exchange->on_drain([&, raw = exchange.get(), exchange] {
      for (; written < kPages && raw->backlog_bytes() < kDrainBytes; ++written) raw->write(page);
      worst = std::max(worst, raw->backlog_bytes());
      if (written == kPages) raw->end();
    });
  });
  const auto connection = connect();

  const auto answer = fetch(*connection, {.target = "/list"});

  EXPECT_TRUE(answer->complete());
  EXPECT_EQ(answer->body.size(), kPages * page->size());
  EXPECT_LE(worst, kDrainBytes + page->size() + 100);
  EXPECT_EQ(page.use_count(), 1);
}

TEST_P(ServerTest, TakesBodiesUpToTheBoundAndRefusesLargerOnes) {
  ServerOptions options;
  options.body_bytes_max = 100'000;
  serve(options, [&](Request&& request, std::shared_ptr<Exchange> exchange) {
    exchange->respond(200, {}, std::to_string(request.body.size()));
  });
  const auto connection = connect();

  const auto fits = fetch(*connection, {.method = "PUT", .body = std::string(100'000, 'x')});
  const auto too_large = fetch(*connection, {.method = "PUT", .body = std::string(100'001, 'x')});

  EXPECT_EQ(fits->body, "100000");
  EXPECT_EQ(too_large->status, 413);
  EXPECT_EQ(too_large->body, "limit is 100000\n");
}

TEST_P(ServerTest, LimitsTheTargetTheHeaderAndTheHeaders) {
  ServerOptions options;
  options.target_bytes_max = 1000;
  options.header_bytes_max = 4000;
  options.header_count_max = 20;
  serve(options,
        [&](Request&&, std::shared_ptr<Exchange> exchange) { exchange->respond(200, {}, ""); });
  Headers many;
  for (int i = 0; i < 30; ++i) many.add("x", "y");

  EXPECT_EQ(fetch(*connect(), {.target = "/" + std::string(999, 'x')})->status, 200);
  EXPECT_EQ(fetch(*connect(), {.target = "/" + std::string(1000, 'x')})->status, 414);
  EXPECT_EQ(fetch(*connect(), {.headers = {{"x", std::string(4000, 'x')}}})->status, 431);
  EXPECT_EQ(fetch(*connect(), {.headers = many})->status, 431);
}

TEST_P(ServerTest, LimitsTheBodiesThatArriveAtTheSameTime) {
  ServerOptions options;
  options.arriving_body_bytes_max = 50'000;
  serve(options,
        [&](Request&&, std::shared_ptr<Exchange> exchange) { exchange->respond(200, {}, ""); });

  EXPECT_EQ(fetch(*connect(), {.method = "PUT", .body = std::string(60'000, 'x')})->status, 503);
  // The room is given back.
  EXPECT_EQ(fetch(*connect(), {.method = "PUT", .body = std::string(40'000, 'x')})->status, 200);
  EXPECT_EQ(fetch(*connect(), {.method = "PUT", .body = std::string(40'000, 'x')})->status, 200);
}

TEST_P(ServerTest, ShapesItsOwnErrorsAsTold) {
  ServerOptions options;
  options.body_bytes_max = 10;
  options.error_pages = [](int status, const std::string& message) {
    return ErrorPage{{{"content-type", "application/json"}},
                     std::to_string(status) + " " + message};
  };
  serve(options, [](Request&&, std::shared_ptr<Exchange>) {});

  const auto answer = fetch(*connect(), {.method = "PUT", .body = "0123456789x"});

  EXPECT_EQ(answer->body, "413 limit is 10");
  EXPECT_EQ(*answer->headers.find("content-type"), "application/json");
}

TEST_P(ServerTest, SendsNoBodyWhereThereMustBeNone) {
  serve([&](Request&& request, std::shared_ptr<Exchange> exchange) {
    if (request.target == "/stream") {
      exchange->start(200, {});
      exchange->write(make_chunk("event"));
      exchange->end();
    } else {
      exchange->respond(request.target == "/304" ? 304 : 200, {}, "hello");
    }
  });
  const auto connection = connect();

  const auto head = fetch(*connection, {.method = "HEAD"});
  const auto stream = fetch(*connection, {.method = "HEAD", .target = "/stream"});
  const auto unmodified = fetch(*connection, {.target = "/304"});
  const auto after = fetch(*connection, {});

  EXPECT_EQ(*head->headers.find("content-length"), "5");
  EXPECT_TRUE(head->complete() && stream->complete() && unmodified->complete());
  EXPECT_EQ(head->body + stream->body + unmodified->body, "");
  EXPECT_EQ(after->body, "hello");
}

TEST_P(ServerTest, TellsAWatchExactlyOnceThatItsPeerLeft) {
  int closed = 0;
  std::shared_ptr<Exchange> watch;
  serve([&](Request&&, std::shared_ptr<Exchange> exchange) {
    exchange->start(200, {});
    exchange->on_closed([&] { ++closed; });
    watch = std::move(exchange);
  });
  const auto connection = connect();
  const auto answer = send(*connection, {});
  ASSERT_TRUE(wait([&] { return answer->status == 200; }));

  connection->cancel(answer->id);
  ASSERT_TRUE(wait([&] { return closed > 0; }));

  EXPECT_FALSE(watch->is_open());
  watch->write(make_chunk("nobody listens"));
  watch->end();
  connection->close();
  loop.tick({});
  EXPECT_EQ(closed, 1);
  EXPECT_EQ(answer->ends, 0);  // cancelled: nobody is told
}

TEST_P(ServerTest, DoesNotTellAWatchThatEndedItselfThatItsPeerLeft) {
  int closed = 0;
  serve([&](Request&&, std::shared_ptr<Exchange> exchange) {
    exchange->on_closed([&] { ++closed; });
    exchange->start(200, {});
    exchange->end();
  });
  const auto connection = connect();
  EXPECT_TRUE(fetch(*connection, {})->complete());

  connection->close();
  ASSERT_TRUE(wait([&] { return server->connection_count() == 0; }));

  EXPECT_EQ(closed, 0);
}

TEST_P(ServerTest, AnswersForAHandlerThatDropsTheExchange) {
  serve([&](Request&&, std::shared_ptr<Exchange>) {});
  const auto connection = connect();

  EXPECT_EQ(fetch(*connection, {})->status, 500);
  EXPECT_EQ(fetch(*connection, {})->status, 500);
}

TEST_P(ServerTest, LetsTheClientSeeThatAnAbortedAnswerIsIncomplete) {
  serve([&](Request&& request, std::shared_ptr<Exchange> exchange) {
    exchange->start(200, {});
    exchange->write(make_chunk("half"));
    if (request.target == "/abort") exchange->abort();
  });

  EXPECT_TRUE(fetch(*connect(), {.target = "/abort"})->failed());
  EXPECT_TRUE(fetch(*connect(), {.target = "/dropped"})->failed());
}

TEST_P(ServerTest, CutsAPeerThatDoesNotReadItsWatch) {
  int closed = 0;
  std::shared_ptr<Exchange> watch;
  ServerOptions options;
  options.backlog_bytes_max = 1024 * 1024;
  serve(options, [&](Request&&, std::shared_ptr<Exchange> exchange) {
    exchange->start(200, {});
    exchange->on_closed([&] { ++closed; });
    watch = std::move(exchange);
  });
  const auto connection = connect();
  const auto answer = send(*connection, {});
  ASSERT_TRUE(wait([&] { return answer->status == 200; }));

  connection->pause();
  const auto event = make_chunk(std::string(64 * 1024, 'x'));
  std::size_t worst = 0;
  for (int i = 0; i < 10'000 && watch->is_open(); ++i) {
    watch->write(event);
    worst = std::max(worst, watch->backlog_bytes());
    loop.tick({});
  }
  ASSERT_TRUE(wait([&] { return closed > 0 || !watch->is_open(); }));
  connection->resume();

  ASSERT_TRUE(wait([&] { return answer->failed() && closed > 0; }));
  EXPECT_EQ(closed, 1);
  EXPECT_LE(worst, options.backlog_bytes_max + event->size() + 100);
  EXPECT_EQ(event.use_count(), 1);
}

TEST_P(ServerTest, CutsAPeerThatTakesNothingForTooLong) {
  int closed = 0;
  std::shared_ptr<Exchange> watch;
  serve([&](Request&&, std::shared_ptr<Exchange> exchange) {
    exchange->start(200, {});
    exchange->on_closed([&] { ++closed; });
    watch = std::move(exchange);
  });
  const auto connection = connect();
  const auto answer = send(*connection, {});
  ASSERT_TRUE(wait([&] { return answer->status == 200; }));
  connection->pause();
  while (watch->backlog_bytes() < 3'000'000) {
    watch->write(make_chunk(std::string(100'000, 'x')));
    loop.tick({});
  }

  clock.advance(59s);
  loop.tick({});
  loop.tick({});
  EXPECT_EQ(closed, 0);
  clock.advance(2s);
  loop.tick({});

  ASSERT_TRUE(wait([&] { return closed == 1; }));
}

TEST_P(ServerTest, EndsAConnectionThatIsIdleTooLongButNotAQuietWatch) {
  std::shared_ptr<Exchange> watch;
  serve([&](Request&& request, std::shared_ptr<Exchange> exchange) {
    if (request.target != "/watch") return exchange->respond(200, {}, "ok");
    exchange->start(200, {});
    watch = std::move(exchange);
  });
  const auto idle = connect();
  const auto watching = connect();
  EXPECT_EQ(fetch(*idle, {})->status, 200);
  const auto events = send(*watching, {.target = "/watch"});
  ASSERT_TRUE(wait([&] { return events->status == 200; }));

  clock.advance(179s);
  loop.tick({});
  EXPECT_EQ(server->connection_count(), 2U);
  clock.advance(2s);
  ASSERT_TRUE(wait([&] { return server->connection_count() == 1 && !idle->is_open(); }));

  clock.advance(24h);
  loop.tick({});
  watch->write(make_chunk("still here"));
  ASSERT_TRUE(wait([&] { return events->body == "still here"; }));
}

TEST_P(ServerTest, ShutsDownGracefully) {
  std::shared_ptr<Exchange> slow;
  std::shared_ptr<Exchange> list;
  int closed = 0;
  serve([&](Request&& request, std::shared_ptr<Exchange> exchange) {
    if (request.target == "/slow") slow = std::move(exchange);
    if (request.target == "/idle") exchange->respond(200, {}, "");
    if (request.target == "/list") {
      exchange->start(200, {}, StreamKind::Finite);
      list = exchange;
    }
    if (request.target == "/watch") {
      exchange->start(200, {});
      exchange->write(make_chunk("event"));
      // As an API server does: the exchange lives until it is told that it is over.
      exchange->on_closed([&closed, exchange] { ++closed; });
    }
  });
  std::vector<std::shared_ptr<Connection>> connections{connect(), connect(), connect(), connect()};
  const auto idle_answer = fetch(*connections[0], {.target = "/idle"});
  const auto watch_answer = send(*connections[1], {.target = "/watch"});
  const auto slow_answer = send(*connections[2], {.target = "/slow"});
  const auto list_answer = send(*connections[3], {.target = "/list"});
  ASSERT_TRUE(
      wait([&] { return watch_answer->status == 200 && slow && list_answer->status == 200; }));

  bool done = false;
  server->shutdown(10s, [&] { done = true; });
  ASSERT_TRUE(wait([&] { return watch_answer->end.has_value(); }));
  EXPECT_TRUE(watch_answer->complete());
  EXPECT_EQ(watch_answer->body, "event");
  EXPECT_EQ(closed, 1);
  EXPECT_FALSE(done);
  slow->respond(200, {}, "late but whole");
  list->write(make_chunk("the rest"));
  list->end();
  ASSERT_TRUE(wait([&] { return done; }));

  EXPECT_EQ(slow_answer->body, "late but whole");
  EXPECT_EQ(list_answer->body, "the rest");
  EXPECT_TRUE(slow_answer->complete() && list_answer->complete());
  EXPECT_EQ(server->connection_count(), 0U);
  EXPECT_TRUE(fetch(*connect(), {})->failed());
}

TEST_P(ServerTest, CutsWhatIsLeftAfterTheGraceOfAShutdown) {
  std::shared_ptr<Exchange> stuck;
  int closed = 0;
  serve([&](Request&&, std::shared_ptr<Exchange> exchange) {
    exchange->on_closed([&] { ++closed; });
    stuck = std::move(exchange);
  });
  const auto connection = connect();
  const auto answer = send(*connection, {});
  ASSERT_TRUE(wait([&] { return stuck != nullptr; }));

  bool done = false;
  server->shutdown(1s, [&] { done = true; });
  loop.tick({});
  EXPECT_FALSE(done);
  clock.advance(1s);
  ASSERT_TRUE(wait([&] { return done && answer->failed(); }));

  EXPECT_EQ(closed, 1);
}

TEST_P(ServerTest, MayBeDestroyedWithWorkInFlight) {
  std::vector<std::shared_ptr<Exchange>> held;
  int closed = 0;
  serve([&](Request&&, std::shared_ptr<Exchange> exchange) {
    exchange->on_closed([&] { ++closed; });
    held.push_back(std::move(exchange));
  });
  const auto connection = connect();
  const auto answer = send(*connection, {});
  ASSERT_TRUE(wait([&] { return !held.empty(); }));

  server.reset();
  held[0]->respond(200, {}, "too late");

  EXPECT_EQ(closed, 1);
  ASSERT_TRUE(wait([&] { return answer->failed(); }));
}

}  // namespace
}  // namespace fixpoint::net
