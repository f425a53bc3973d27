// SPDX-License-Identifier: Apache-2.0
//
// For this folder's tests: a server and clients on loopback sockets in one loop, with certificates
// made once, and a raw peer that can misbehave in ways the client cannot.
#pragma once

#include "net/certificate.h"
#include "net/client.h"
#include "net/loop.h"
#include "net/server.h"
#include "net/transport/socket.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace fixpoint::net {

// Real time after which a test that waits for something has failed.
inline constexpr auto kPatience = std::chrono::seconds(60);

struct Certificates {
  KeyPair authority;
  KeyPair server;
  KeyPair client;
  KeyPair foreign_authority;
  KeyPair foreign_client;

  static const Certificates& get() {
    static const Certificates made = make();
    return made;
  }

 private:
  static Certificates make() {
    const auto now = system_clock().wall();
    const auto from = now - std::chrono::hours(1);
    const auto until = now + std::chrono::hours(1);
    Certificates c;
    c.authority = *make_certificate_authority(
        {.common_name = "test authority", .not_before = from, .not_after = until});
    c.foreign_authority = *make_certificate_authority(
        {.common_name = "test authority", .not_before = from, .not_after = until});
    c.server = *issue_certificate(c.authority, {.common_name = "server",
                                                .organizations = {},
                                                .dns_names = {"api.example"},
                                                .ip_addresses = {"127.0.0.1"},
                                                .not_before = from,
                                                .not_after = until,
                                                .use = CertificateUse::Server});
    const CertificateRequest client{
        .common_name = "alice",
        .organizations = {"system:masters", "dev"},
        .dns_names = {},
        .ip_addresses = {},
        .not_before = from,
        .not_after = until,
        .use = CertificateUse::Client
    };
    c.client = *issue_certificate(c.authority, client);
    c.foreign_client = *issue_certificate(c.foreign_authority, client);
    return c;
  }
};

inline TlsContextRef server_tls() {
  const auto& c = Certificates::get();
  static const auto context = *make_server_tls({.certificate_pem = c.server.certificate_pem,
                                                .private_key_pem = c.server.private_key_pem,
                                                .client_ca_pem = c.authority.certificate_pem});
  return context;
}

inline TlsContextRef client_tls(HttpVersions versions) {
  return *make_client_tls({.ca_pem = Certificates::get().authority.certificate_pem,
                           .certificate_pem = {},
                           .private_key_pem = {},
                           .check = PeerCheck::Verify,
                           .versions = versions});
}

// What came back for one request.
struct Answer {
  int status = 0;
  Headers headers;
  std::string body;
  std::optional<Result<void>> end;
  int ends = 0;
  RequestId id = 0;

  bool complete() const { return end && end->has_value(); }
  bool failed() const { return end && !end->has_value(); }
};
using AnswerRef = std::shared_ptr<Answer>;

inline AnswerRef send(Connection& connection, ClientRequest request) {
  auto answer = std::make_shared<Answer>();
  ResponseHandlers handlers;
  handlers.on_headers = [answer](int status, const Headers& headers) {
    answer->status = status;
    answer->headers = headers;
  };
  handlers.on_body = [answer](std::string_view bytes) { answer->body.append(bytes); };
  handlers.on_end = [answer](Result<void> end) {
    answer->end = std::move(end);
    ++answer->ends;
  };
  answer->id = connection.send(std::move(request), std::move(handlers));
  return answer;
}

// A socket of a peer with no manners: sends exactly what it is told to.
class RawPeer final : public Pollable {
 public:
  RawPeer(Loop& loop, std::uint16_t port) : loop_(loop) {
    fd_ = *start_connecting({.host = "127.0.0.1", .port = port});
    loop_.watch(fd_.get(), EPOLLIN | EPOLLRDHUP, *this);
  }
  ~RawPeer() override { leave(); }

  void say(std::string_view bytes) {
    while (!bytes.empty() && fd_) {
      const auto count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
      if (count < 0 && errno != EAGAIN) return;
      loop_.tick({});
    }
  }
  // Bytes the kernel took now; 0 when its buffers are full.
  std::size_t try_say(std::string_view bytes) {
    const auto count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  void stop_sending() { ::shutdown(fd_.get(), SHUT_WR); }
  void leave() {
    if (fd_) loop_.unwatch(fd_.get(), *this);
    fd_.reset();
  }
  bool hears(std::string_view text) {
    return loop_.run_until([&] { return heard.find(text) != std::string::npos; }, kPatience);
  }
  bool is_cut() {
    return loop_.run_until([&] { return ended; }, kPatience);
  }
  void ready(std::uint32_t) override {
    if (ignore_end) return loop_.change(fd_.get(), 0, *this);
    char buffer[65536];
    const auto count = recv(fd_.get(), buffer, sizeof buffer, 0);
    if (count > 0) {
      heard.append(buffer, static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EAGAIN) {
      ended = true;
      leave();
    }
  }

  std::string heard;
  bool ended = false;
  bool ignore_end = false;  // keeps its socket open whatever the server does

 private:
  Loop& loop_;
  Fd fd_;
};

}  // namespace fixpoint::net
