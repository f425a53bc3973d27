// SPDX-License-Identifier: Apache-2.0
#include "node/remote/port_channels.h"

#include "net/websocket.h"
#include "node/remote/channel_messages.h"
#include "node/remote/command_session.h"
#include "node/remote/port_link.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

using Coding = ChannelMessages::Coding;

// A channel is a byte, and a port takes two of them.
constexpr std::size_t kPortsMax = 128;

std::optional<Coding> agreed_coding(const std::vector<std::string>& asked, std::string& protocol) {
  if (asked.empty()) return Coding::Raw;
  for (const auto& name : asked) {
    protocol = name;
    if (name == "v4.channel.k8s.io") return Coding::Raw;
    if (name == "v4.base64.channel.k8s.io") return Coding::Base64;
  }
  return std::nullopt;
}

class PortChannels : public std::enable_shared_from_this<PortChannels> {
 public:
  PortChannels(net::Loop& loop, ForwardCall call, Coding coding)
      : loop_(loop), call_(std::move(call)), messages_(coding) {}

  // The error is for the client.
  Result<void> start(std::string_view protocol) {
    net::WebSocket::Handlers handlers;
    handlers.received = [self = shared_from_this()](const net::WebSocketPiece& piece) {
      self->received(piece);
    };
    handlers.drained = [self = shared_from_this()] {
      for (auto& pair : self->pairs_) {
        if (pair.link) pair.link->resume();
      }
    };
    handlers.ended = [self = shared_from_this()] { self->clear(); };
    FP_TRY(socket, net::WebSocket::accept(call_.ask.request, *call_.ask.exchange, protocol,
                                          call_.ask.answer, std::move(handlers)));
    socket_ = std::move(socket);
    pairs_.resize(call_.ports.size());
    open_ = pairs_.size();
    for (std::size_t i = 0; i < pairs_.size(); ++i) connect(i);
    return {};
  }

 private:
  struct Pair {
    std::unique_ptr<PortLink> link;  // null: it is over
    bool holds_client = false;
  };
  static std::uint8_t data_channel(std::size_t i) { return static_cast<std::uint8_t>(2 * i); }
  static std::uint8_t error_channel(std::size_t i) { return static_cast<std::uint8_t>(2 * i + 1); }

  void connect(std::size_t i) {
    const std::uint16_t port = call_.ports[i];
    const std::array name{static_cast<char>(port & 0xffU), static_cast<char>(port >> 8U)};
    for (const auto channel : {data_channel(i), error_channel(i)}) {
      messages_.send(*socket_, channel, {name.data(), name.size()});
    }
    PortLink::Handlers handlers;
    handlers.received = [this, i](std::string_view bytes) {
      messages_.send(*socket_, data_channel(i), bytes);
      if (socket_->backlog_bytes() >= kStreamBacklogMax) pairs_[i].link->pause();
    };
    handlers.ended = [this, i] { end_later(i, {}); };
    handlers.drained = [this, i] { allow_client(pairs_[i]); };
    handlers.failed = [this, i](std::string why) { end_later(i, std::move(why)); };
    pairs_[i].link = std::make_unique<PortLink>(
        loop_, net::Endpoint{.host = call_.address, .port = port}, std::move(handlers));
  }

  void received(const net::WebSocketPiece& given) {
    const auto piece = messages_.read(given);
    if (!piece) {
      socket_->close(net::kWebSocketProtocolError);
      return clear();
    }
    if (!*piece || (*piece)->channel % 2 != 0) return;
    const std::size_t i = (*piece)->channel / 2;
    // Of a connection that is over, or was never asked for: nobody wants it.
    if (i >= pairs_.size() || !pairs_[i].link) return;
    auto& pair = pairs_[i];
    pair.link->write((*piece)->bytes);
    if (pair.link->backlog_bytes() < kStreamBacklogMax) return;
    if (std::exchange(pair.holds_client, true)) return;
    if (holding_++ == 0) socket_->pause();
  }

  void allow_client(Pair& pair) {
    if (!std::exchange(pair.holds_client, false)) return;
    if (--holding_ == 0) socket_->resume();
  }

  // Its own link is what calls.
  void end_later(std::size_t i, std::string why) {
    loop_.post([weak = weak_from_this(), i, why = std::move(why)] {
      if (const auto self = weak.lock()) self->end(i, why);
    });
  }

  void end(std::size_t i, const std::string& why) {
    auto& pair = pairs_[i];
    if (!std::exchange(pair.link, nullptr)) return;
    allow_client(pair);
    if (!why.empty()) {
      messages_.send(*socket_, error_channel(i),
                     fmt::format("error forwarding port {} to pod {}, uid {}: {}", call_.ports[i],
                                 call_.pod, call_.uid, why));
    }
    if (--open_ == 0) socket_->close();
  }

  // In a turn of its own: what it destroys may be what calls.
  void clear() {
    loop_.post([self = shared_from_this()] {
      for (auto& pair : self->pairs_) pair.link.reset();
    });
  }

  net::Loop& loop_;
  ForwardCall call_;
  ChannelMessages messages_;
  std::shared_ptr<net::WebSocket> socket_;
  std::vector<Pair> pairs_;  // of call_.ports
  std::size_t open_ = 0;
  std::size_t holding_ = 0;  // pairs that cannot take more from the client
};

// What a kubelet says of them; nothing where they will do.
std::string trouble_with(const std::vector<std::uint16_t>& ports) {
  if (ports.empty()) return "query parameter \"port\" is required";
  if (std::ranges::find(ports, 0) != ports.end()) return "port \"0\" must be > 0";
  if (ports.size() > kPortsMax) return fmt::format("at most {} ports at a time", kPortsMax);
  return {};
}

}  // namespace

void serve_port_channels(net::Loop& loop, ForwardCall call) {
  const auto ask = call.ask;
  if (const auto trouble = trouble_with(call.ports); !trouble.empty()) {
    return answer_in_words(ask, 400, trouble);
  }
  std::string protocol;
  const auto coding = agreed_coding(header_list(ask.request, "sec-websocket-protocol"), protocol);
  if (!coding) {
    return answer_in_words(ask, 403, "none of the requested protocols is supported");
  }
  const auto session = std::make_shared<PortChannels>(loop, std::move(call), *coding);
  if (auto ok = session->start(protocol); !ok) answer_in_words(ask, 400, ok.error().message);
}

}  // namespace fixpoint::node
