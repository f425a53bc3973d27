// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/meddler.h"

#include "net/certificate.h"
#include "net/loop.h"
#include "net/server.h"

#include <chrono>
#include <fstream>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace fixpoint {
namespace {

using ExchangeRef = std::shared_ptr<net::Exchange>;
using What = Meddler::Deed::What;

// Written whole or not at all: the operator reads it at any time.
void write_file(const std::filesystem::path& path, const std::string& text) {
  auto half = path;
  half += ".new";
  std::ofstream(half) << text;
  std::filesystem::rename(half, path);
}

constexpr int kListenTries = 600;
constexpr auto kListenPause = std::chrono::milliseconds(50);

struct Identity {
  std::string authority_pem;
  net::TlsContextRef tls;
};

Identity make_identity() {
  const auto now = net::system_clock().wall();
  const auto from = now - std::chrono::hours(1);
  const auto until = now + std::chrono::hours(1);
  const auto authority = *net::make_certificate_authority(
      {.common_name = "meddler authority", .not_before = from, .not_after = until});
  const auto server = *net::issue_certificate(authority, {.common_name = "meddler",
                                                          .organizations = {},
                                                          .dns_names = {},
                                                          .ip_addresses = {"127.0.0.1"},
                                                          .not_before = from,
                                                          .not_after = until,
                                                          .use = net::CertificateUse::Server});
  return {.authority_pem = authority.certificate_pem,
          .tls = *net::make_server_tls({.certificate_pem = server.certificate_pem,
                                        .private_key_pem = server.private_key_pem,
                                        .client_ca_pem = {}})};
}

bool belongs_to_one_connection(std::string_view name) {
  for (const auto* own : {"host", "connection", "content-length", "transfer-encoding", "date"}) {
    if (net::equals_ignoring_case(name, own)) return true;
  }
  return false;
}

net::Headers handed_on(const net::Headers& headers) {
  net::Headers kept;
  for (const auto& [name, value] : headers) {
    if (!belongs_to_one_connection(name)) kept.add(name, value);
  }
  return kept;
}

}  // namespace

// Everything but `mutex`, `script` and `log` belongs to the loop's thread.
struct Meddler::State {
  void listen() {
    auto listening = try_to_listen();
    // Between two servers on one port, somebody else's connection may start from it.
    for (int tries = 1; !listening && tries < kListenTries; ++tries) {
      std::this_thread::sleep_for(kListenPause);
      listening = try_to_listen();
    }
    FP_CHECK(listening.has_value());
    server = *std::move(listening);
    port = server->port();
  }
  Result<std::unique_ptr<net::Server>> try_to_listen() {
    net::ServerOptions options;
    options.port = port;
    options.tls = identity.tls;
    return net::Server::listen(
        loop, std::move(options),
        [this](net::Request&& request, const ExchangeRef& exchange) { meet(request, exchange); });
  }

  void meet(const net::Request& request, const ExchangeRef& exchange) {
    Seen seen{.method = request.method,
              .path = std::string{request.path()},
              .query = std::string{request.query()},
              .token = {}};
    if (const auto* authorization = request.headers.find("authorization")) {
      seen.token = authorization->substr(std::string_view{"Bearer "}.size());
    }
    Deed deed;
    std::size_t at = 0;
    {
      const std::scoped_lock lock(mutex);
      if (script) deed = script(seen);
      at = log.size();
      log.push_back({.seen = std::move(seen), .deed = deed.what});
    }
    switch (deed.what) {
      case What::Abort: return exchange->abort();
      case What::Answer: return exchange->respond(deed.code, deed.headers, deed.body);
      case What::Stall: stalled.push_back(exchange); return;
      case What::Delay:
        loop.after(deed.delay,
                   [this, request, exchange, deed, at] { hand_on(request, exchange, deed, at); });
        return;
      default: return hand_on(request, exchange, deed, at);
    }
  }

  void hand_on(const net::Request& request, const ExchangeRef& exchange, const Deed& deed,
               std::size_t at) {
    if (!up || !up->is_open()) up = net::Connection::open(loop, upstream.client());
    net::ClientRequest sent;
    sent.method = request.method;
    sent.target = request.target;
    sent.headers = handed_on(request.headers);
    sent.headers.set("authorization", "Bearer " + upstream.token);
    sent.body = request.body;
    const bool silent = deed.what == What::LoseAnswer || deed.what == What::Garble;
    auto left = std::make_shared<std::size_t>(deed.what == What::Cut ? deed.bytes : SIZE_MAX);
    net::ResponseHandlers handlers;
    handlers.on_headers = [this, exchange, silent, at](int code, const net::Headers& headers) {
      {
        const std::scoped_lock lock(mutex);
        log[at].code = code;
      }
      if (!silent) exchange->start(code, handed_on(headers));
    };
    handlers.on_body = [exchange, silent, left](std::string_view bytes) {
      if (silent || *left == 0) return;
      const auto part = bytes.substr(0, *left);
      exchange->write(net::make_chunk(std::string{part}));
      if (*left != SIZE_MAX) *left -= part.size();
      if (*left == 0) cut_when_sent(exchange);
    };
    handlers.on_end = [exchange, left, what = deed.what](const Result<void>& outcome) {
      if (*left == 0) return;  // it breaks off as soon as what was let through is out
      if (what == What::Garble) {
        return exchange->respond(200,
                                 {
                                     {"content-type", "application/json"}
        },
                                 R"({"kind": \x00)");
      }
      if (!outcome || what == What::LoseAnswer) return exchange->abort();
      exchange->end();
    };
    const auto id = up->send(std::move(sent), std::move(handlers));
    exchange->on_closed([id, connection = std::weak_ptr(up)] {
      if (const auto open = connection.lock()) open->cancel(id);
    });
  }
  static void cut_when_sent(const ExchangeRef& exchange) {
    exchange->on_drain([exchange] {
      if (exchange->backlog_bytes() == 0) exchange->abort();
    });
  }

  // Runs a task on the loop's thread and waits for it.
  void do_there(std::function<void()> task) {
    std::promise<void> done;
    loop.post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }
  void break_everything() {
    stalled.clear();
    server.reset();
    up.reset();
    listen();
  }

  net::Loop loop;
  Identity identity = make_identity();
  ClusterAccess upstream;
  std::uint16_t port = 0;
  std::unique_ptr<net::Server> server;
  std::shared_ptr<net::Connection> up;
  std::vector<ExchangeRef> stalled;
  std::mutex mutex;  // guards the next two
  Script script;
  std::vector<Entry> log;
  std::thread thread;
};

Result<std::unique_ptr<Meddler>> Meddler::start(const ClusterAccess& upstream,
                                                const std::filesystem::path& directory) {
  std::unique_ptr<Meddler> meddler{new Meddler};
  meddler->directory_ = directory;
  std::filesystem::create_directories(directory);
  meddler->state_ = std::make_unique<State>();
  auto& state = *meddler->state_;
  state.upstream = upstream;
  state.listen();
  write_file(directory / "ca.pem", state.identity.authority_pem);
  meddler->write_token("first");
  write_file(
      meddler->kubeconfig(),
      fmt::format("apiVersion: v1\nkind: Config\ncurrent-context: it\n"
                  "clusters: [{{name: it, cluster: {{server: 'https://127.0.0.1:{}', "
                  "certificate-authority: '{}'}}}}]\n"
                  "users: [{{name: it, user: {{tokenFile: '{}'}}}}]\n"
                  "contexts: [{{name: it, context: {{cluster: it, user: it}}}}]\n",
                  state.port, (directory / "ca.pem").string(), (directory / "token").string()));
  state.thread = std::thread([&state] { state.loop.run(); });
  return meddler;
}

Meddler::~Meddler() {
  state_->do_there([this] {
    state_->stalled.clear();
    state_->server.reset();
    state_->up.reset();
  });
  state_->loop.stop();
  state_->thread.join();
}

void Meddler::play(Script script) {
  const std::scoped_lock lock(state_->mutex);
  state_->script = std::move(script);
}

void Meddler::cut_connections() {
  state_->do_there([this] { state_->break_everything(); });
}

void Meddler::redirect(const ClusterAccess& upstream) {
  state_->do_there([&] {
    state_->upstream = upstream;
    state_->break_everything();
  });
}

void Meddler::rotate_certificates() {
  state_->do_there([this] {
    state_->identity = make_identity();
    state_->break_everything();
  });
  write_file(directory_ / "ca.pem", state_->identity.authority_pem);
}

void Meddler::write_token(const std::string& token) const {
  write_file(directory_ / "token", token);
}

std::vector<Meddler::Entry> Meddler::log() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->log;
}

std::size_t Meddler::count() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->log.size();
}

}  // namespace fixpoint
