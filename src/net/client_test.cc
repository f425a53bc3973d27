// SPDX-License-Identifier: Apache-2.0
//
// What a client must know to decide what may be sent again, and ways to a server through a proxy.
#include "net/client.h"

#include "net/loopback_fixture.h"
#include "net/transport/arrivals.h"
#include "net/transport/tls_session.h"

#include <functional>
#include <utility>

namespace fixpoint::net {
namespace {

struct Sent {
  bool unsent = false;
  std::optional<Result<void>> end;
};

std::shared_ptr<Sent> send_noting(Connection& connection, ClientRequest request) {
  auto sent = std::make_shared<Sent>();
  ResponseHandlers handlers;
  handlers.on_unsent = [sent] { sent->unsent = true; };
  handlers.on_end = [sent](Result<void> end) { sent->end = std::move(end); };
  connection.send(std::move(request), std::move(handlers));
  return sent;
}

class ClientTest : public testing::TestWithParam<HttpVersions> {
 protected:
  void serve(Handler handler) {
    ServerOptions options;
    options.tls = server_tls();
    server = *Server::listen(loop, std::move(options), std::move(handler));
  }
  ClientOptions options() const {
    ClientOptions made;
    made.host = "127.0.0.1";
    made.port = server->port();
    made.tls = client_tls(GetParam());
    return made;
  }
  bool wait(const std::function<bool()>& until) { return loop.run_until(until, kPatience); }

  Loop loop;
  std::unique_ptr<Server> server;
};

INSTANTIATE_TEST_SUITE_P(Over, ClientTest,
                         testing::Values(HttpVersions::OnlyHttp1, HttpVersions::OnlyHttp2),
                         [](const auto& parameter) {
                           return parameter.param == HttpVersions::OnlyHttp1 ? "Http1" : "Http2";
                         });

TEST_P(ClientTest, ARequestThatNeverLeftIsKnownToBeUnsent) {
  serve([](Request&&, std::shared_ptr<Exchange>) {});
  const auto nobody = options();
  server.reset();
  const auto connection = Connection::open(loop, nobody);

  const auto sent = send_noting(*connection, {});

  ASSERT_TRUE(wait([&] { return sent->end.has_value(); }));
  EXPECT_FALSE(sent->end->has_value());
  EXPECT_TRUE(sent->unsent);
}

TEST_P(ClientTest, ARequestTheServerSawIsNotUnsent) {
  serve([](Request&&, std::shared_ptr<Exchange> exchange) { exchange->abort(); });
  const auto connection = Connection::open(loop, options());

  const auto sent = send_noting(*connection, {.method = "POST", .target = "/", .body = "x"});

  ASSERT_TRUE(wait([&] { return sent->end.has_value(); }));
  EXPECT_FALSE(sent->end->has_value());
  EXPECT_FALSE(sent->unsent);
}

TEST_P(ClientTest, ADeadlineBeforeTheConnectionStandsLeavesTheRequestUnsent) {
  // A listener that never answers the handshake.
  const auto fd = *listen_on({.host = "127.0.0.1", .port = 0});
  ClientOptions silent;
  silent.host = "127.0.0.1";
  silent.port = *local_port(fd);
  silent.tls = client_tls(GetParam());
  const auto connection = Connection::open(loop, silent);

  const auto sent = send_noting(*connection, {.timeout = std::chrono::milliseconds(1)});

  ASSERT_TRUE(wait([&] { return sent->end.has_value(); }));
  EXPECT_TRUE(sent->unsent);
}

TEST_P(ClientTest, OnlyHttp2HasAPingThatALivingServerAnswers) {
  serve([](Request&&, std::shared_ptr<Exchange> exchange) { exchange->respond(200, {}, "ok"); });
  const auto connection = Connection::open(loop, options());
  const auto answer = send(*connection, {});
  ASSERT_TRUE(wait([&] { return answer->complete(); }));
  loop.tick(std::chrono::milliseconds(20));
  const auto before = connection->last_received();

  connection->ping();

  const auto answered = loop.run_until(
      [&] { return connection->last_received() > before; },
      GetParam() == HttpVersions::OnlyHttp2 ? Duration{kPatience} : std::chrono::milliseconds(30));
  EXPECT_EQ(answered, GetParam() == HttpVersions::OnlyHttp2);
}

// Forwards bytes to a port after `greet` has had its say with the client.
class ProxyServer final : public Pollable {
 public:
  using Greet = std::function<std::optional<std::string>(std::string& heard, bool& free)>;
  ProxyServer(Loop& loop, std::uint16_t target, Greet greet, TlsContextRef tls = nullptr)
      : loop_(loop), target_(target), greet_(std::move(greet)), tls_(std::move(tls)) {
    listener_ = *listen_on({.host = "127.0.0.1", .port = 0});
    loop_.watch(listener_.get(), EPOLLIN, *this);
  }
  ~ProxyServer() override { loop_.unwatch(listener_.get(), *this); }
  std::uint16_t port() const { return *local_port(listener_); }

  void ready(std::uint32_t) override {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    auto session = tls_ ? std::make_unique<TlsSession>(tls_, "") : nullptr;
    client_ = std::make_unique<Half>(
        loop_, Fd{fd},
        [this](std::string_view bytes) {
          if (server_) return server_->say(bytes);
          heard.append(bytes);
          bool free = false;
          const auto reply = greet_(heard, free);
          if (reply) client_->say(*reply);
          if (free) open();
        },
        std::move(session));
  }

  std::string heard;

 private:
  class Half final : public Pollable {
   public:
    Half(Loop& loop, Fd fd, std::function<void(std::string_view)> got,
         std::unique_ptr<TlsSession> tls = nullptr)
        : loop_(loop), fd_(std::move(fd)), got_(std::move(got)), tls_(std::move(tls)) {
      loop_.watch(fd_.get(), EPOLLIN, *this);
    }
    ~Half() override { loop_.unwatch(fd_.get(), *this); }
    void say(std::string_view bytes) {
      if (!tls_) return send_all(bytes);
      std::string sealed;
      ASSERT_TRUE(tls_->write(bytes, sealed));
      send_all(sealed);
    }
    void ready(std::uint32_t) override {
      char buffer[65536];
      const auto count = recv(fd_.get(), buffer, sizeof buffer, 0);
      if (count <= 0) return loop_.change(fd_.get(), 0, *this);
      const std::string_view bytes{buffer, static_cast<std::size_t>(count)};
      if (!tls_) return got_(bytes);
      tls_->feed(bytes);
      unseal();
    }

   private:
    void unseal() {
      std::string sealed;
      if (tls_->state() == TlsSession::State::Handshaking) {
        const auto state = tls_->handshake(sealed);
        send_all(std::exchange(sealed, {}));
        if (!state || *state != TlsSession::State::Open) return;
      }
      char plain[16384];
      while (const auto count = tls_->read(plain, sealed).value_or(0)) got_({plain, count});
    }
    void send_all(std::string_view bytes) {
      ASSERT_EQ(::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(bytes.size()));
    }

    Loop& loop_;
    Fd fd_;
    std::function<void(std::string_view)> got_;
    std::unique_ptr<TlsSession> tls_;
  };

  void open() {
    auto fd = *start_connecting({.host = "127.0.0.1", .port = target_});
    server_ = std::make_unique<Half>(loop_, std::move(fd),
                                     [this](std::string_view bytes) { client_->say(bytes); });
  }

  Loop& loop_;
  std::uint16_t target_;
  Greet greet_;
  TlsContextRef tls_;  // none: plain
  Fd listener_;
  std::unique_ptr<Half> client_;
  std::unique_ptr<Half> server_;
};

TEST_P(ClientTest, GoesThroughAnHttpProxyWithTlsToTheServerInside) {
  serve([](Request&&, std::shared_ptr<Exchange> exchange) { exchange->respond(200, {}, "ok"); });
  ProxyServer proxy{loop, server->port(), [](std::string& heard, bool& free) {
                      free = heard.ends_with("\r\n\r\n");
                      return free ? std::optional<std::string>{"HTTP/1.1 200 fine\r\nx: y\r\n\r\n"}
                                  : std::nullopt;
                    }};
  auto through = options();
  through.host = "api.example";  // only the proxy can resolve this
  through.proxy = Proxy{.host = "127.0.0.1", .port = proxy.port(), .user = "u", .password = "p"};
  const auto connection = Connection::open(loop, through);

  const auto answer = send(*connection, {});

  ASSERT_TRUE(wait([&] { return answer->end.has_value(); }));
  EXPECT_EQ(answer->body, "ok");
  EXPECT_TRUE(proxy.heard.starts_with("CONNECT api.example:" + std::to_string(server->port())));
  EXPECT_NE(proxy.heard.find("proxy-authorization: Basic dTpw\r\n"), std::string::npos);
}

TEST_P(ClientTest, GoesThroughAnHttpsProxyWithTlsInsideOfTls) {
  const std::string large(60'000, 'x');
  serve([&](Request&& request, std::shared_ptr<Exchange> exchange) {
    EXPECT_EQ(request.body, large);
    exchange->respond(200, {}, large);
  });
  ProxyServer proxy{loop, server->port(),
                    [](std::string& heard, bool& free) {
                      free = heard.ends_with("\r\n\r\n");
                      return free ? std::optional<std::string>{"HTTP/1.1 200 fine\r\n\r\n"}
                                  : std::nullopt;
                    },
                    server_tls()};
  auto through = options();
  through.proxy = Proxy{.kind = Proxy::Kind::HttpsConnect,
                        .host = "127.0.0.1",
                        .port = proxy.port(),
                        .user = {},
                        .password = {},
                        .server_name = "api.example"};
  const auto connection = Connection::open(loop, through);

  const auto answer = send(*connection, {.method = "POST", .body = large});

  ASSERT_TRUE(wait([&] { return answer->end.has_value(); }));
  EXPECT_EQ(answer->body, large);
  EXPECT_TRUE(proxy.heard.starts_with("CONNECT 127.0.0.1:"));
}

TEST_P(ClientTest, AnHttpsProxyOfAnotherNameIsToldNothing) {
  serve([](Request&&, std::shared_ptr<Exchange>) {});
  ProxyServer proxy{loop, server->port(),
                    [](std::string&, bool&) { return std::optional<std::string>{}; }, server_tls()};
  auto through = options();
  through.proxy = Proxy{.kind = Proxy::Kind::HttpsConnect,
                        .host = "127.0.0.1",
                        .port = proxy.port(),
                        .user = "u",
                        .password = "p4ss",
                        .server_name = "other.example"};
  const auto connection = Connection::open(loop, through);

  const auto answer = send(*connection, {});

  ASSERT_TRUE(wait([&] { return answer->end.has_value(); }));
  ASSERT_TRUE(answer->failed());
  EXPECT_NE(answer->end->error().message.find("hostname mismatch"), std::string::npos)
      << answer->end->error().message;
  EXPECT_EQ(proxy.heard, "");
}

TEST_P(ClientTest, SaysWhatAProxyRefused) {
  serve([](Request&&, std::shared_ptr<Exchange>) {});
  ProxyServer proxy{loop, server->port(), [](std::string&, bool&) {
                      return std::optional<std::string>{"HTTP/1.1 407 Who are you\r\n\r\n"};
                    }};
  auto through = options();
  through.proxy = Proxy{.host = "127.0.0.1", .port = proxy.port(), .user = "u", .password = "p4ss"};
  const auto connection = Connection::open(loop, through);

  const auto answer = send(*connection, {});

  ASSERT_TRUE(wait([&] { return answer->end.has_value(); }));
  ASSERT_TRUE(answer->failed());
  EXPECT_NE(answer->end->error().message.find("407 Who are you"), std::string::npos);
  EXPECT_EQ(answer->end->error().message.find("p4ss"), std::string::npos);
}

TEST_P(ClientTest, GoesThroughASocksProxyWithAPassword) {
  serve([](Request&&, std::shared_ptr<Exchange> exchange) { exchange->respond(200, {}, "ok"); });
  int stage = 0;
  ProxyServer proxy{
      loop, server->port(), [&](std::string& heard, bool& free) {
        free = stage == 2;
        const std::string replies[] = {
            {"\x05\x02",                                 2 },
            {"\x01\x00",                                 2 },
            {"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50", 10}
        };
        if (stage == 0) {
          EXPECT_EQ(heard, (std::string{"\x05\x01\x02", 3}));
        }
        if (stage == 1) {
          EXPECT_EQ(heard, "\x01\x01u\x01p");
        }
        if (stage == 2) {
          EXPECT_TRUE(heard.contains("api.example"));
        }
        heard.clear();
        return std::optional{replies[stage++]};
      }};
  auto through = options();
  through.host = "api.example";
  through.proxy = Proxy{.kind = Proxy::Kind::Socks5,
                        .host = "127.0.0.1",
                        .port = proxy.port(),
                        .user = "u",
                        .password = "p"};
  const auto connection = Connection::open(loop, through);

  const auto answer = send(*connection, {});

  ASSERT_TRUE(wait([&] { return answer->end.has_value(); }));
  EXPECT_EQ(answer->body, "ok");
}

// A server that goes on answering, and a client that has been given much of it on a patient
// connection; time stands still between the pieces.
class PatientClientTest : public ClientTest {
 protected:
  // As many as it takes until a wire looks by itself.
  static constexpr std::size_t kMany = 16;

  void SetUp() override {
    ServerOptions serving;
    serving.tls = server_tls();
    server = *Server::listen(calm, std::move(serving),
                             [this](Request&&, std::shared_ptr<Exchange> exchange) {
                               news = std::move(exchange);
                               news->start(200, {});
                             });
    connection = Connection::open(calm, options());
    heard = send(*connection, {});
    ASSERT_TRUE(wait_for([&] { return heard->status == 200; }));
    connection->set_patient(true);
    for (std::size_t piece = 1; piece <= kMany; ++piece) {
      say();
      ASSERT_TRUE(hears(piece));
    }
  }
  void TearDown() override {
    connection.reset();
    news.reset();
    server.reset();
  }
  void say() {
    clock.advance(std::chrono::milliseconds(5));
    news->write(make_chunk("x"));
    for (int i = 0; i < 10; ++i) calm.tick({});
  }
  bool wait_for(const std::function<bool()>& fact) { return calm.run_until(fact, kPatience); }
  bool hears(std::size_t pieces) {
    return wait_for([&] { return heard->body.size() == pieces; });
  }

  VirtualClock clock;
  Loop calm{clock};
  std::shared_ptr<Exchange> news;
  std::shared_ptr<Connection> connection;
  AnswerRef heard;
};

INSTANTIATE_TEST_SUITE_P(Over, PatientClientTest,
                         testing::Values(HttpVersions::OnlyHttp1, HttpVersions::OnlyHttp2),
                         [](const auto& parameter) {
                           return parameter.param == HttpVersions::OnlyHttp1 ? "Http1" : "Http2";
                         });

TEST_P(PatientClientTest, SeveralPiecesOfNewsShareAWakeUp) {
  for (int i = 0; i < 3; ++i) say();
  EXPECT_EQ(heard->body.size(), kMany);

  clock.advance(kLookInterval);

  EXPECT_TRUE(hears(kMany + 3));
}

TEST_P(PatientClientTest, WhoeverWaitsForAnAnswerIsWokenAtOnce) {
  say();

  connection->set_patient(false);

  EXPECT_TRUE(hears(kMany + 1));
}

TEST_P(PatientClientTest, OnceThereIsNoMoreNewsTheNextIsSeenAtOnce) {
  for (int look = 0; look < 10; ++look) {
    clock.advance(kLookInterval);
    calm.tick({});
  }

  say();

  EXPECT_TRUE(hears(kMany + 1));
}

TEST_P(PatientClientTest, TheEndOfTheConnectionIsSeenAtOnce) {
  news.reset();
  server.reset();

  EXPECT_TRUE(wait_for([&] { return heard->end.has_value(); }));
}

}  // namespace
}  // namespace fixpoint::net
