// SPDX-License-Identifier: Apache-2.0
//
// WebSocket: the server's side of one, on a connection that was upgraded to it.
//
// Messages arrive in pieces and leave whole. Pings are answered, a close is answered with one, and
// a peer that breaks the protocol is told so and cut. Everything belongs to the loop's thread.
#pragma once

#include "base/error.h"
#include "net/protocol/websocket_frames.h"
#include "net/server.h"
#include "net/upgrade.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fixpoint::net {

struct WebSocketPiece {
  std::string_view bytes;
  bool begins = false;  // the first of its message
  bool ends = false;    // the last
  bool text = false;
};

class WebSocket : public std::enable_shared_from_this<WebSocket> {
 public:
  // Never called from inside `accept`, nor after close().
  struct Handlers {
    std::function<void(const WebSocketPiece&)> received;
    std::function<void()> drained;
    std::function<void()> ended;  // once: closed by the peer, gone, or cut
  };

  static bool is_asked_for(const Headers& request);
  // Answers the request, which asks for one. Invalid says what it lacks; nothing was answered then.
  // `subprotocol` empty: none is named.
  static Result<std::shared_ptr<WebSocket>> accept(const Headers& request, Exchange& exchange,
                                                   std::string_view subprotocol, Headers headers,
                                                   Handlers handlers);

  enum class Form : std::uint8_t { Binary, Text };
  void send(Form form, std::string_view message);
  // Says goodbye after what is queued.
  void close(std::uint16_t code = kWebSocketNormal);

  void pause() { stream_->pause(); }
  void resume() { stream_->resume(); }
  std::size_t backlog_bytes() const { return stream_->backlog_bytes(); }
  bool is_open() const { return stream_->is_open(); }

 private:
  explicit WebSocket(Handlers handlers);
  void received(std::string_view bytes);
  void ended();

  std::shared_ptr<const Handlers> handlers_;  // shared with the call that may end this
  UpgradedStreamRef stream_;
  WebSocketDecoder decoder_{WebSocketDecoder::From::Client};
};

// Bytes tunnelled through a WebSocket's binary messages, as if there were none.
Result<UpgradedStreamRef> open_websocket_tunnel(const Headers& request, Exchange& exchange,
                                                std::string_view subprotocol, Headers headers,
                                                UpgradeHandlers handlers);

}  // namespace fixpoint::net
