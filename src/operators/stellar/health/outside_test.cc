// SPDX-License-Identifier: Apache-2.0
//
// The probes against peers that misbehave on real sockets. The deadlines are short and nothing
// waits for anything else: a peer that never answers is known by its deadline alone.
#include "operators/stellar/health/outside.h"

#include "base/error.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fixpoint::operators::stellar {
namespace {

using testing::HasSubstr;

constexpr Duration kShort = std::chrono::milliseconds(300);
constexpr Duration kLong = std::chrono::seconds(60);

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string http(std::string_view body, std::string_view status = "200 OK") {
  return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
}

// Accepts one connection after the other, reads the request's head and does as it is told; a
// connection stays open until the peer closes it.
class Peer {
 public:
  explicit Peer(std::function<void(int fd)> behave) : behave_(std::move(behave)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    FP_CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    FP_CHECK(::listen(listener_, 16) == 0);
    FP_CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Peer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  Address address() const { return {.host = "127.0.0.1", .port = port_}; }
  // Of the last one whose answer came.
  std::string request() const {
    const std::lock_guard lock(mutex_);
    return request_;
  }

 private:
  void serve() {
    while (true) {
      const int fd = ::accept(listener_, nullptr, nullptr);
      if (fd < 0) return;
      std::string head;
      char buffer[4096];
      while (head.find("\r\n\r\n") == std::string::npos) {
        const auto got = ::recv(fd, buffer, sizeof buffer, 0);
        if (got <= 0) break;
        head.append(buffer, static_cast<std::size_t>(got));
      }
      {
        const std::lock_guard lock(mutex_);
        request_ = head;
      }
      behave_(fd);
      while (::recv(fd, buffer, sizeof buffer, 0) > 0) {
      }
      ::close(fd);
    }
  }

  std::function<void(int)> behave_;
  mutable std::mutex mutex_;  // guards request_
  std::string request_;
  int listener_ = -1;
  std::int64_t port_ = 0;
  std::thread thread_;
};

Health ask(runtime::Probe probe, Duration deadline) {
  probe.deadline = deadline;
  const auto answer = make_outside()->probe(probe);
  EXPECT_TRUE(answer.has_value()) << answer.error().message;
  return answer ? Health::from_json(*answer) : Health{};
}

Health core_of(const Peer& peer, Duration deadline) {
  return ask(core_info_probe(peer.address(), ""), deadline);
}

TEST(StellarProbes, AskEachProgramItsQuestion) {
  Peer core([](int fd) {
    send_all(fd, http(R"({"info":{"state":"Synced!","ledger":{"num":7,"age":2}}})"));
  });
  EXPECT_EQ(core_of(core, kLong).ledger, 7);
  EXPECT_THAT(core.request(), HasSubstr("GET /info HTTP/1.1"));

  Peer rpc([](int fd) {
    send_all(fd,
             http(R"({"jsonrpc":"2.0","id":1,"result":{"status":"healthy","latestLedger":3}})"));
  });
  EXPECT_TRUE(ask(rpc_health_probe(rpc.address()), kLong).healthy());
  EXPECT_THAT(rpc.request(), HasSubstr("POST / HTTP/1.1"));

  Peer archive([](int fd) { send_all(fd, http(R"({"version":1,"currentLedger":1023})")); });
  const auto url = fmt::format("http://127.0.0.1:{}/prd/core/", archive.address().port);
  const auto health = ask(archive_probe(url, 1100, ""), kLong);
  EXPECT_TRUE(health.healthy());
  EXPECT_EQ(health.lag, 77);
  EXPECT_THAT(archive.request(),
              HasSubstr("GET /prd/core/.well-known/stellar-history.json HTTP/1.1"));

  Peer horizon([](int fd) {
    send_all(fd, http(R"({"database_connected":true,"core_up":true,"core_synced":false})",
                      "503 Service Unavailable"));
  });
  EXPECT_EQ(ask(horizon_health_probe(horizon.address()), kLong).reason, "Syncing");
  EXPECT_THAT(horizon.request(), HasSubstr("GET /health HTTP/1.1"));
}

TEST(StellarProbes, AskAnArchiveOnceInAWhileWhereTheyMayRemember) {
  std::atomic<int> asked = 0;
  Peer archive([&](int fd) {
    ++asked;
    send_all(fd, http(R"({"version":1,"currentLedger":1023})"));
  });
  const auto url = fmt::format("http://127.0.0.1:{}", archive.address().port);
  const auto outside = make_outside();
  const auto lag_at = [&](std::int64_t ledger, Duration remembered) {
    auto probe = archive_probe(url, ledger, "", remembered);
    probe.deadline = kLong;
    const auto answer = outside->probe(probe).value();
    return Health::from_json(answer).lag;
  };

  EXPECT_EQ(lag_at(1100, kArchiveRemembered), 77);
  EXPECT_EQ(lag_at(1800, kArchiveRemembered), 77) << "as it was when it was read";
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(lag_at(1101, Duration{}), 78) << "before the first pod it is read each time";
  EXPECT_EQ(asked, 2);
}

TEST(StellarProbes, KnowNothingOfAPeerThatNeverAnswers) {
  const Peer silent([](int) {});
  const auto begin = std::chrono::steady_clock::now();

  const auto health = core_of(silent, kShort);

  EXPECT_EQ(health.verdict, Verdict::Unknown);
  EXPECT_EQ(health.reason, "NoAnswer");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, kShort);
}

TEST(StellarProbes, KnowNothingOfAPeerThatTricklesPastTheDeadline) {
  const Peer slow(
      [](int fd) { send_all(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"info\":"); });
  EXPECT_EQ(core_of(slow, kShort).verdict, Verdict::Unknown);
}

TEST(StellarProbes, KnowNothingFromHalfABody) {
  const Peer half([](int fd) {
    send_all(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"info\":{}}");
    ::shutdown(fd, SHUT_WR);
  });
  EXPECT_EQ(core_of(half, kLong).verdict, Verdict::Unknown);
}

TEST(StellarProbes, KnowNothingFromGarbage) {
  const Peer noise([](int fd) {
    send_all(fd, std::string_view("\x16\x03\x01\x00\xff garbage\r\n\r\n", 17));
    ::shutdown(fd, SHUT_WR);
  });
  EXPECT_EQ(core_of(noise, kLong).verdict, Verdict::Unknown);
}

TEST(StellarProbes, HoldNoMoreOfAnAnswerThanTheyMust) {
  const Peer large([](int fd) { send_all(fd, http(std::string(10U << 20U, ' '))); });
  const auto health = core_of(large, kLong);
  EXPECT_EQ(health.verdict, Verdict::Unknown);
  EXPECT_THAT(health.message, HasSubstr("too large"));
}

TEST(StellarProbes, DoNotGoElsewhere) {
  std::atomic<int> visits = 0;
  Peer elsewhere([&](int fd) {
    ++visits;
    send_all(fd, http("{}"));
  });
  const Peer redirecting([&](int fd) {
    send_all(fd, fmt::format("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{}/info\r\n"
                             "Content-Length: 0\r\n\r\n",
                             elsewhere.address().port));
  });
  EXPECT_EQ(core_of(redirecting, kLong).reason, "Redirected");
  EXPECT_EQ(visits, 0);
}

TEST(StellarProbes, CallAPlaceWhereNobodyListensUnreachable) {
  Address nobody;
  {
    const Peer gone([](int) {});
    nobody = gone.address();
  }
  const auto health = ask(core_info_probe(nobody, ""), kLong);
  EXPECT_EQ(health.verdict, Verdict::Unhealthy);
  EXPECT_EQ(health.reason, "Unreachable");
}

TEST(StellarProbes, RefuseWhatTheyDoNotKnow) {
  const auto outside = make_outside();
  EXPECT_EQ(outside->probe({.name = "pulse", .arguments = {}}).error().kind, ErrorKind::Invalid);
  EXPECT_EQ(outside->probe(archive_probe("ftp://x", std::nullopt, "")).error().kind,
            ErrorKind::Invalid);
  EXPECT_EQ(outside->perform({.name = "restart", .arguments = {}}).error().kind,
            ErrorKind::Invalid);
}

}  // namespace
}  // namespace fixpoint::operators::stellar
