// SPDX-License-Identifier: Apache-2.0
#include "net/websocket.h"
#include "node/remote/channel_messages.h"
#include "node/remote/channels.h"

#include <array>
#include <chrono>
#include <optional>
#include <utility>

namespace fixpoint::node {
namespace {

struct Protocol {
  std::string_view name;
  ChannelMessages::Coding coding = ChannelMessages::Coding::Raw;
  bool has_status = false;  // says how it ended as a Status, also a success
  bool has_close = false;   // the input can end before the connection
};
constexpr std::array kWebSocketProtocols{
    Protocol{.name = "v5.channel.k8s.io", .has_status = true, .has_close = true},
    Protocol{.name = "v4.channel.k8s.io", .has_status = true},
    Protocol{.name = "v4.base64.channel.k8s.io",
             .coding = ChannelMessages::Coding::Base64,
             .has_status = true},
    Protocol{.name = "channel.k8s.io"},
    Protocol{.name = "base64.channel.k8s.io", .coding = ChannelMessages::Coding::Base64},
};

constexpr std::uint8_t kIn = 0;
constexpr std::uint8_t kOut = 1;
constexpr std::uint8_t kErr = 2;
constexpr std::uint8_t kStatus = 3;
constexpr std::uint8_t kResize = 4;
constexpr std::uint8_t kClose = 255;
// Two numbers with their names.
constexpr std::size_t kSizeBytesMax = 256;
// kubectl before 1.34 listens before it has made its streams, and throws away what it is told then.
// A client that has said something has made them.
constexpr Duration kStreamsAreMadeWithin = std::chrono::milliseconds(10);

// The first of the client's that is known here; an empty name when it asks for none.
std::optional<Protocol> choose(const std::vector<std::string>& asked) {
  if (asked.empty()) return Protocol{};
  for (const auto& name : asked) {
    for (const auto& protocol : kWebSocketProtocols) {
      if (protocol.name == name) return protocol;
    }
  }
  return std::nullopt;
}

class WebSocketChannels final : public Channels,
                                public std::enable_shared_from_this<WebSocketChannels> {
 public:
  WebSocketChannels(Protocol protocol, StreamSet set, Handlers handlers)
      : protocol_(protocol),
        set_(set),
        messages_(protocol.coding),
        handlers_(std::make_shared<const Handlers>(std::move(handlers))) {}

  // The error is for the client.
  Result<void> accept(net::Loop& loop, const StreamAsk& ask) {
    net::WebSocket::Handlers below;
    below.received = [self = shared_from_this()](const net::WebSocketPiece& piece) {
      self->received(piece);
    };
    below.drained = [self = shared_from_this()] {
      if (const auto handlers = self->handlers_) handlers->drained();
    };
    below.ended = [self = shared_from_this()] {
      if (const auto handlers = std::exchange(self->handlers_, nullptr)) handlers->gone();
    };
    FP_TRY(socket, net::WebSocket::accept(ask.request, *ask.exchange, protocol_.name, ask.answer,
                                          std::move(below)));
    socket_ = std::move(socket);
    loop.after(kStreamsAreMadeWithin, [self = shared_from_this()] { self->open(); });
    return {};
  }

  void write(Output output, std::string_view bytes) override {
    if (!handlers_ || !(output == Output::Out ? set_.out : set_.err)) return;
    send(output == Output::Out ? kOut : kErr, bytes);
  }
  void end(const Outcome& outcome) override {
    if (!std::exchange(handlers_, nullptr)) return;
    const std::string words = protocol_.has_status ? outcome.to_status() : outcome.to_words();
    if (!words.empty()) send(kStatus, words);
    socket_->close();
  }
  void pause() override { socket_->pause(); }
  void resume() override { socket_->resume(); }
  std::size_t backlog_bytes() const override { return socket_->backlog_bytes(); }

 private:
  void send(std::uint8_t channel, std::string_view bytes) {
    messages_.send(*socket_, channel, bytes);
  }

  void open() {
    const auto handlers = handlers_;
    if (!handlers || std::exchange(opened_, true)) return;
    // An empty message tells the client that it is connected.
    send(set_.out ? kOut : set_.err ? kErr : kStatus, {});
    handlers->opened();
  }

  void received(const net::WebSocketPiece& given) {
    open();
    const auto piece = messages_.read(given);
    if (!piece) {
      socket_->close(net::kWebSocketProtocolError);
      if (const auto handlers = std::exchange(handlers_, nullptr)) handlers->gone();
    } else if (*piece) {
      take(**piece);
    }
  }

  void take(const ChannelMessages::Piece& piece) {
    const auto handlers = handlers_;
    if (!handlers) return;
    const bool closes = piece.channel == kClose && protocol_.has_close;
    if (piece.channel == kIn && set_.in && !input_ended_) {
      if (!piece.bytes.empty()) handlers->input(piece.bytes);
    } else if (piece.channel == kResize || closes) {
      if (piece.begins) held_.clear();
      held_.append(piece.bytes.substr(0, kSizeBytesMax - std::min(held_.size(), kSizeBytesMax)));
      if (piece.ends) on_message(piece.channel, *handlers);
    }
  }

  void on_message(std::uint8_t channel, const Handlers& handlers) {
    if (channel == kResize) {
      TerminalSize size;
      if (parse_size(held_, size)) handlers.resized(size);
    } else if (held_ == std::string_view("\0", 1) && !std::exchange(input_ended_, true)) {
      handlers.input_ended();
    }
  }

  Protocol protocol_;
  StreamSet set_;
  ChannelMessages messages_;
  std::shared_ptr<const Handlers> handlers_;  // shared with the call that may end this
  std::shared_ptr<net::WebSocket> socket_;
  std::string held_;  // of a message that is read whole
  bool opened_ = false;
  bool input_ended_ = false;
};

}  // namespace

std::shared_ptr<Channels> open_websocket_channels(net::Loop& loop, const StreamAsk& ask,
                                                  StreamSet set, Channels::Handlers handlers) {
  const auto protocol = choose(header_list(ask.request, "sec-websocket-protocol"));
  if (!protocol) {
    answer_in_words(ask, 403, "none of the requested protocols is supported");
    return nullptr;
  }
  auto channels = std::make_shared<WebSocketChannels>(*protocol, set, std::move(handlers));
  if (auto ok = channels->accept(loop, ask); !ok) {
    answer_in_words(ask, 400, ok.error().message);
    return nullptr;
  }
  return channels;
}

}  // namespace fixpoint::node
