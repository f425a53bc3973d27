// SPDX-License-Identifier: Apache-2.0
#include "net/websocket.h"

#include <utility>

namespace fixpoint::net {
namespace {

using WebSocketEvent = WebSocketDecoder::Event;

class WebSocketTunnel final : public UpgradedStream {
 public:
  explicit WebSocketTunnel(std::shared_ptr<WebSocket> socket) : socket_(std::move(socket)) {}
  ~WebSocketTunnel() override { finish(); }

  using UpgradedStream::write;
  void write(Chunk chunk) override {
    if (chunk) socket_->send(WebSocket::Form::Binary, *chunk);
  }
  void finish() override { socket_->close(); }
  void cut() override { socket_->close(); }
  void pause() override { socket_->pause(); }
  void resume() override { socket_->resume(); }
  std::size_t backlog_bytes() const override { return socket_->backlog_bytes(); }
  bool is_open() const override { return socket_->is_open(); }

 private:
  std::shared_ptr<WebSocket> socket_;
};

}  // namespace

WebSocket::WebSocket(Handlers handlers)
    : handlers_(std::make_shared<const Handlers>(std::move(handlers))) {}

bool WebSocket::is_asked_for(const Headers& request) {
  return request.has_token("upgrade", "websocket") && request.has_token("connection", "upgrade");
}

Result<std::shared_ptr<WebSocket>> WebSocket::accept(const Headers& request, Exchange& exchange,
                                                     std::string_view subprotocol, Headers headers,
                                                     Handlers handlers) {
  const auto* version = request.find("sec-websocket-version");
  if (version == nullptr || *version != "13") {
    return fail(ErrorKind::Invalid, "missing or bad WebSocket Version");
  }
  const auto* key = request.find("sec-websocket-key");
  if (key == nullptr || key->empty()) return fail(ErrorKind::Invalid, "missing WebSocket Key");
  headers.set("sec-websocket-accept", websocket_accept(*key));
  if (!subprotocol.empty()) headers.set("sec-websocket-protocol", std::string(subprotocol));

  std::shared_ptr<WebSocket> socket(new WebSocket(std::move(handlers)));
  UpgradeHandlers below;
  below.received = [socket](std::string_view bytes) { socket->received(bytes); };
  below.drained = [socket] {
    const auto keep = socket->handlers_;
    if (keep && keep->drained) keep->drained();
  };
  below.ended = [socket] { socket->ended(); };
  socket->stream_ = exchange.upgrade("websocket", headers, std::move(below));
  if (!socket->stream_) {
    return fail(ErrorKind::Invalid, "this connection cannot be upgraded");
  }
  return socket;
}

void WebSocket::send(Form form, std::string_view message) {
  if (!handlers_) return;
  const auto opcode = form == Form::Text ? WebSocketOpcode::Text : WebSocketOpcode::Binary;
  stream_->write(websocket_frame(opcode, message));
}

void WebSocket::close(std::uint16_t code) {
  if (!std::exchange(handlers_, nullptr)) return;
  stream_->write(websocket_frame(WebSocketOpcode::Close, websocket_close_payload(code)));
  stream_->finish();
}

void WebSocket::ended() {
  const auto handlers = std::exchange(handlers_, nullptr);
  if (handlers && handlers->ended) handlers->ended();
}

void WebSocket::received(std::string_view bytes) {
  const auto self = shared_from_this();
  while (const auto handlers = handlers_) {
    switch (decoder_.next(bytes)) {
      case WebSocketEvent::NeedMore: return;
      case WebSocketEvent::Pong: break;
      case WebSocketEvent::Ping:
        stream_->write(websocket_frame(WebSocketOpcode::Pong, decoder_.payload()));
        break;
      case WebSocketEvent::Data:
        if (handlers->received) {
          handlers->received({.bytes = decoder_.payload(),
                              .begins = decoder_.begins_message(),
                              .ends = decoder_.ends_message(),
                              .text = decoder_.is_text()});
        }
        break;
      case WebSocketEvent::Close:
      case WebSocketEvent::Fault: {
        const bool fault = !decoder_.fault().empty();
        close(fault ? kWebSocketProtocolError : kWebSocketNormal);
        if (handlers->ended) handlers->ended();
        return;
      }
    }
  }
}

Result<UpgradedStreamRef> open_websocket_tunnel(const Headers& request, Exchange& exchange,
                                                std::string_view subprotocol, Headers headers,
                                                UpgradeHandlers handlers) {
  WebSocket::Handlers above;
  above.received = [received = std::move(handlers.received)](const WebSocketPiece& piece) {
    if (received && !piece.bytes.empty()) received(piece.bytes);
  };
  above.drained = std::move(handlers.drained);
  above.ended = std::move(handlers.ended);
  FP_TRY(socket,
         WebSocket::accept(request, exchange, subprotocol, std::move(headers), std::move(above)));
  return std::make_shared<WebSocketTunnel>(std::move(socket));
}

}  // namespace fixpoint::net
