// SPDX-License-Identifier: Apache-2.0
//
// For this folder's tests: an API server whose every answer is scripted, and a wire to it that can
// be cut or frozen at any byte. All of it runs in one loop under a clock that only tests move.
#pragma once

#include "base/clock.h"
#include "client/http_client.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "net/loopback_fixture.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace fixpoint::client {

using ExchangeRef = std::shared_ptr<net::Exchange>;
using Step = std::function<void(const net::Request&, const ExchangeRef&)>;

// What a step of a script answers.
inline Step answer(int code, std::string body, net::Headers headers = {}) {
  return [=](const net::Request&, const ExchangeRef& exchange) {
    auto all = headers;
    if (!all.contains("content-type")) all.add("content-type", "application/json");
    exchange->respond(code, all, body);
  };
}
inline Step status(int code, std::string_view reason, net::Headers headers = {}) {
  return answer(
      code,
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":")" +
          std::string{reason} + R"(","code":)" + std::to_string(code) + "}",
      std::move(headers));
}
// The connection breaks (HTTP/1.1) or the stream is reset (HTTP/2) without an answer.
inline Step lose() {
  return [](const net::Request&, const ExchangeRef& exchange) { exchange->abort(); };
}
// The head and some of the body, then a cut.
inline Step cut_after(int code, std::string part) {
  return [=](const net::Request&, const ExchangeRef& exchange) {
    exchange->start(code, {
                              {"content-type", "application/json"}
    });
    exchange->write(net::make_chunk(part));
    exchange->on_drain([exchange] {
      if (exchange->backlog_bytes() == 0) exchange->abort();
    });
  };
}

class ScriptedServer {
 public:
  ScriptedServer(net::Loop& loop, std::uint16_t port = 0, net::TlsContextRef tls = nullptr) {
    net::ServerOptions options;
    options.port = port;
    options.tls = tls ? std::move(tls) : net::server_tls();
    options.idle_timeout = std::chrono::hours(10);
    server_ =
        *net::Server::listen(loop, options, [this](net::Request&& request, ExchangeRef exchange) {
          requests.push_back(request);
          auto step = always_;
          if (!steps_.empty()) {
            step = std::move(steps_.front());
            steps_.pop_front();
          }
          held.push_back(exchange);
          if (step) step(requests.back(), exchange);
        });
  }

  // Steps are taken in order, then `always`; without any the request waits for ever.
  ScriptedServer& then(Step step) {
    steps_.push_back(std::move(step));
    return *this;
  }
  void always(Step step) { always_ = std::move(step); }
  std::uint16_t port() const { return server_->port(); }
  std::size_t connections() const { return server_->connection_count(); }
  net::Server& server() { return *server_; }

  std::vector<net::Request> requests;
  std::vector<ExchangeRef> held;

 private:
  std::deque<Step> steps_;
  Step always_;
  std::unique_ptr<net::Server> server_;
};

// Carries bytes between one client and a port, until it is told to stop or to break.
class Forwarder final : public net::Pollable {
 public:
  Forwarder(net::Loop& loop, std::uint16_t target) : loop_(loop), target_(target) {
    listener_ = *net::listen_on({.host = "127.0.0.1", .port = 0});
    loop_.watch(listener_.get(), EPOLLIN, *this);
  }
  ~Forwarder() override { loop_.unwatch(listener_.get(), *this); }

  std::uint16_t port() const { return *net::local_port(listener_); }
  // Nothing moves any more, and nobody is told.
  void freeze() { frozen_ = true; }
  // A reset after so many more bytes to the client.
  void reset_after(std::size_t bytes) { left_ = bytes; }

  void ready(std::uint32_t) override {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    auto server = *net::start_connecting({.host = "127.0.0.1", .port = target_});
    pairs_.push_back(std::make_unique<Pair>(*this, net::Fd{fd}, std::move(server)));
  }

 private:
  struct Pair;
  struct Half final : net::Pollable {
    Half(Pair& p, net::Fd socket, bool client)
        : pair(p), fd(std::move(socket)), from_client(client) {
      pair.owner.loop_.watch(fd.get(), EPOLLIN, *this);
    }
    ~Half() override { close(); }
    void close() {
      if (fd) pair.owner.loop_.unwatch(fd.get(), *this);
      fd.reset();
    }
    void ready(std::uint32_t) override { pair.moved(*this); }
    Pair& pair;
    net::Fd fd;
    bool from_client;
  };
  struct Pair {
    Pair(Forwarder& forwarder, net::Fd client_fd, net::Fd server_fd)
        : owner(forwarder),
          client(*this, std::move(client_fd), true),
          server(*this, std::move(server_fd), false) {}
    void moved(Half& half) {
      if (owner.frozen_) return owner.loop_.change(half.fd.get(), 0, half);
      char buffer[16384];
      const auto count = recv(half.fd.get(), buffer, sizeof buffer, 0);
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return close();
      auto& to = half.from_client ? server : client;
      auto size = static_cast<std::size_t>(count);
      if (!half.from_client && owner.left_) {
        size = std::min(size, *owner.left_);
        *owner.left_ -= size;
      }
      if (to.fd) {
        EXPECT_EQ(::send(to.fd.get(), buffer, size, MSG_NOSIGNAL), std::ptrdiff_t(size));
      }
      if (owner.left_ && *owner.left_ == 0) {
        owner.left_.reset();
        const linger now{.l_onoff = 1, .l_linger = 0};
        setsockopt(client.fd.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close();
      }
    }
    void close() {
      client.close();
      server.close();
    }
    Forwarder& owner;
    Half client;
    Half server;
  };

  net::Loop& loop_;
  std::uint16_t target_;
  net::Fd listener_;
  std::vector<std::unique_ptr<Pair>> pairs_;
  bool frozen_ = false;
  std::optional<std::size_t> left_;
};

// Notes what a client says about itself.
class NotingListener final : public Listener {
 public:
  void warned(std::string_view warning) override { warnings.emplace_back(warning); }
  void exchanged(const Exchange& exchange) override { codes.push_back(exchange.code); }
  void retried(const Exchange&) override { ++retries; }

  std::vector<std::string> warnings;
  std::vector<int> codes;
  int retries = 0;
};

// Tokens that can be refreshed: "t1", "t2", …
class CountingAccess final : public AccessSource {
 public:
  explicit CountingAccess(net::TlsContextRef tls) : tls_(std::move(tls)) {}
  void get(Done done) override {
    done(std::make_shared<const Access>(
        Access{.authorization = "Bearer t" + std::to_string(generation), .tls = tls_}));
  }
  bool reject(const AccessRef&) override {
    ++generation;
    return true;
  }
  void use(net::TlsContextRef tls) { tls_ = std::move(tls); }

  int generation = 1;

 private:
  net::TlsContextRef tls_;
};

inline Resource widgets() {
  return {
      .kind = {"demo.example", "v1", "Widget"},
        .plural = "widgets"
  };
}
inline Resource pods() {
  return {
      .kind = {"", "v1", "Pod"},
        .plural = "pods"
  };
}

// A loop, a clock, a server and a client of it.
class ClientFixture : public testing::TestWithParam<net::HttpVersions> {
 protected:
  void connect(std::uint16_t port) { connect({.host = "127.0.0.1", .port = port}); }
  void connect(ServerAddress address) {
    HttpClientOptions options;
    options.server = std::move(address);
    auto source = std::make_unique<CountingAccess>(net::client_tls(GetParam()));
    access = source.get();
    options.access = std::move(source);
    options.requests.listener = &listener;
    options.requests.gzip = gzip;
    options.requests.in_flight_max = in_flight_max;
    options.requests.deadline_max = deadline_max;
    options.limits = limits;
    client = std::make_unique<HttpClient>(loop, std::move(options));
  }
  void SetUp() override { connect(server->port()); }
  void TearDown() override { client.reset(); }
  bool http2() const { return GetParam() == net::HttpVersions::OnlyHttp2; }

  // Real I/O, virtual time: the clock moves a little whenever nothing else does.
  bool run_until(const std::function<bool()>& done) { return run_until(done, pace); }
  bool run_until(const std::function<bool()>& done, Duration step) {
    constexpr int kIdleTicks = 4;
    const auto limit = std::chrono::steady_clock::now() + net::kPatience;
    int idle = 0;
    while (!done()) {
      if (std::chrono::steady_clock::now() > limit) return false;
      // On a crowded machine a byte takes its time from one socket to the other.
      idle = loop.tick(std::chrono::milliseconds(1)) ? 0 : idle + 1;
      if (idle < kIdleTicks) continue;
      idle = 0;
      clock.advance(step);
    }
    return true;
  }
  // Lets sockets settle without moving the clock.
  void settle() {
    for (int i = 0; i < 20; ++i) loop.tick(std::chrono::milliseconds(1));
  }

  Reply call(Call what) {
    std::optional<Reply> reply;
    client->call(std::move(what), [&](Reply got) { reply = std::move(got); });
    EXPECT_FALSE(reply.has_value()) << "answered from inside the call";
    EXPECT_TRUE(run_until([&] { return reply.has_value(); }));
    return reply ? *std::move(reply) : Reply{};
  }
  PageReply list(ListCall what) {
    std::optional<PageReply> reply;
    client->list(std::move(what), [&](PageReply got) { reply = std::move(got); });
    EXPECT_TRUE(run_until([&] { return reply.has_value(); }));
    return reply ? *std::move(reply) : PageReply{};
  }

  static Call get(std::string name = "a") {
    return {
        .verb = Verb::Get, .resource = widgets(), .key = {"n", std::move(name)}
    };
  }
  static Call create() {
    return {
        .verb = Verb::Create,
        .resource = widgets(),
        .key = {"n", ""},
        .body = *json::parse(R"({"metadata":{"name":"a"}})")
    };
  }

  Duration pace = std::chrono::milliseconds(50);
  VirtualClock clock;
  net::Loop loop{clock};
  NotingListener listener;
  bool gzip = false;
  std::size_t in_flight_max = 0;
  Duration deadline_max = Duration::max();
  PoolLimits limits;
  std::unique_ptr<ScriptedServer> server = std::make_unique<ScriptedServer>(loop);
  CountingAccess* access = nullptr;
  std::unique_ptr<HttpClient> client;
};

inline std::string version_name(const testing::TestParamInfo<net::HttpVersions>& parameter) {
  return parameter.param == net::HttpVersions::OnlyHttp2 ? "Http2" : "Http1";
}
inline auto both_versions() {
  return testing::Values(net::HttpVersions::OnlyHttp1, net::HttpVersions::OnlyHttp2);
}

}  // namespace fixpoint::client
