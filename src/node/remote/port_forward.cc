// SPDX-License-Identifier: Apache-2.0
#include "node/remote/port_forward.h"

#include "net/websocket.h"
#include "node/remote/command_session.h"
#include "node/remote/port_channels.h"
#include "node/remote/port_link.h"
#include "node/remote/spdy_upgrade.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

constexpr std::array<std::string_view, 1> kForwardProtocols{"portforward.k8s.io"};
constexpr std::string_view kTunnelled = "SPDY/3.1+portforward.k8s.io";

std::optional<std::uint16_t> parse_port(const net::Headers& headers) {
  const auto* text = headers.find("port");
  if (text == nullptr) return std::nullopt;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), port);
  if (error != std::errc{} || end != text->data() + text->size() || port == 0) return std::nullopt;
  return port;
}

bool tunnels_spdy(const net::Headers& request) {
  const auto asked = header_list(request, "sec-websocket-protocol");
  return std::ranges::find(asked, kTunnelled) != asked.end();
}

class ForwardSession : public std::enable_shared_from_this<ForwardSession> {
 public:
  ForwardSession(net::Loop& loop, ForwardCall call) : loop_(loop), call_(std::move(call)) {}

  void start() {
    if (net::WebSocket::is_asked_for(call_.ask.request)) return start_tunnelled();
    const auto protocol = choose_spdy_protocol(call_.ask, kForwardProtocols);
    if (!protocol.empty()) session_ = upgrade_to_spdy(call_.ask, protocol, handlers());
  }

 private:
  // One forwarded connection.
  struct Pair {
    net::SpdyStreamId data = 0;
    net::SpdyStreamId error = 0;
    std::uint16_t port = 0;
    std::unique_ptr<PortLink> link;
    net::TimerId timer;  // until both streams are there
    bool client_done = false;
    bool pod_done = false;
    bool holds_client = false;
  };

  void start_tunnelled() {
    session_ = std::make_shared<net::SpdySession>(handlers());
    auto tunnel = net::open_websocket_tunnel(call_.ask.request, *call_.ask.exchange, kTunnelled,
                                             call_.ask.answer, session_->below());
    if (!tunnel) {
      session_.reset();
      return answer_in_words(call_.ask, 400, tunnel.error().message);
    }
    session_->use(*std::move(tunnel));
  }

  net::SpdySession::Handlers handlers() {
    const auto self = shared_from_this();
    net::SpdySession::Handlers out;
    out.opened = [self](net::SpdyStreamId id, const net::Headers& headers) {
      return self->opened(id, headers);
    };
    out.received = [self](net::SpdyStreamId id, std::string_view bytes) {
      self->received(id, bytes);
    };
    out.finished = [self](net::SpdyStreamId id) { self->client_finished(id); };
    out.reset = [self](net::SpdyStreamId id) { self->client_reset(id); };
    out.drained = [self] {
      for (auto& [name, pair] : self->pairs_) {
        if (pair.link) pair.link->resume();
      }
    };
    out.ended = [self] { self->clear(); };
    return out;
  }

  bool opened(net::SpdyStreamId id, const net::Headers& headers) {
    const auto port = parse_port(headers);
    const auto* type = headers.find("streamtype");
    if (!port || type == nullptr || (*type != "data" && *type != "error")) return false;
    const auto* given = headers.find("requestid");
    // Clients that name no request open its two streams one after the other.
    const std::string name =
        given != nullptr ? *given : std::to_string(*type == "error" ? id : id - 2);
    auto& pair = pairs_[name];
    auto& place = *type == "data" ? pair.data : pair.error;
    if (place != 0) return false;
    place = id;
    pair.port = *port;
    by_stream_[id] = name;
    if (pair.data == 0 || pair.error == 0) {
      pair.timer = loop_.after(kStreamCreationTime,
                               [this, name] { forget(name, "timed out waiting for streams"); });
    } else {
      loop_.cancel(pair.timer);
      connect(name, pair);
    }
    return true;
  }

  void connect(const std::string& name, Pair& pair) {
    PortLink::Handlers handlers;
    handlers.received = [this, name](std::string_view bytes) {
      auto& one = pairs_.at(name);
      session_->write(one.data, bytes);
      if (session_->backlog_bytes() >= kStreamBacklogMax) one.link->pause();
    };
    handlers.ended = [this, name] {
      auto& one = pairs_.at(name);
      one.pod_done = true;
      session_->finish(one.data);
      if (one.client_done) forget_later(name);
    };
    handlers.drained = [this, name] { let_client_go_on(pairs_.at(name)); };
    handlers.failed = [this, name](const std::string& why) { forget(name, why); };
    pair.link = std::make_unique<PortLink>(
        loop_, net::Endpoint{.host = call_.address, .port = pair.port}, std::move(handlers));
  }

  Pair* pair_of(net::SpdyStreamId id) {
    const auto found = by_stream_.find(id);
    return found == by_stream_.end() ? nullptr : &pairs_.at(found->second);
  }

  void received(net::SpdyStreamId id, std::string_view bytes) {
    auto* pair = pair_of(id);
    if (pair == nullptr || id != pair->data || !pair->link) return;
    pair->link->write(bytes);
    if (pair->link->backlog_bytes() < kStreamBacklogMax) return;
    if (std::exchange(pair->holds_client, true)) return;
    if (holding_++ == 0) session_->pause();
  }

  void let_client_go_on(Pair& pair) {
    if (!std::exchange(pair.holds_client, false)) return;
    if (--holding_ == 0) session_->resume();
  }

  void client_finished(net::SpdyStreamId id) {
    auto* pair = pair_of(id);
    if (pair == nullptr || id != pair->data) return;
    pair->client_done = true;
    if (pair->link) pair->link->finish();
    if (pair->pod_done) forget_later(by_stream_.at(id));
  }

  void client_reset(net::SpdyStreamId id) {
    const auto found = by_stream_.find(id);
    if (found != by_stream_.end()) forget(std::string(found->second), {});
  }

  // Its own link may be what calls.
  void forget_later(const std::string& name) {
    loop_.post([weak = weak_from_this(), name] {
      if (const auto self = weak.lock()) self->forget(name, {});
    });
  }

  void forget(const std::string& name, const std::string& why) {
    const auto found = pairs_.find(name);
    if (found == pairs_.end()) return;
    auto node = pairs_.extract(found);
    auto& pair = node.mapped();
    loop_.cancel(pair.timer);
    let_client_go_on(pair);
    for (const auto id : {pair.data, pair.error}) by_stream_.erase(id);
    if (!why.empty()) {
      session_->write(pair.error, fmt::format("error forwarding port {} to pod {}, uid {}: {}",
                                              pair.port, call_.pod, call_.uid, why));
      session_->finish(pair.error);
      session_->reset(pair.data);
      return;
    }
    session_->finish(pair.data);
    session_->finish(pair.error);
  }

  // In a turn of its own: what it destroys may be what calls.
  void clear() {
    loop_.post([self = shared_from_this()] {
      for (auto& [name, pair] : self->pairs_) self->loop_.cancel(pair.timer);
      self->pairs_.clear();
      self->by_stream_.clear();
    });
  }

  net::Loop& loop_;
  ForwardCall call_;
  std::shared_ptr<net::SpdySession> session_;
  std::map<std::string, Pair> pairs_;
  std::map<net::SpdyStreamId, std::string> by_stream_;
  std::size_t holding_ = 0;  // pairs that cannot take more from the client
};

}  // namespace

void serve_port_forward(net::Loop& loop, ForwardCall call) {
  if (net::WebSocket::is_asked_for(call.ask.request) && !tunnels_spdy(call.ask.request)) {
    return serve_port_channels(loop, std::move(call));
  }
  std::make_shared<ForwardSession>(loop, std::move(call))->start();
}

}  // namespace fixpoint::node
