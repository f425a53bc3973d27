// SPDX-License-Identifier: Apache-2.0
#include "front/watch_socket.h"

#include "net/websocket.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace fixpoint::front {
namespace {

class WatchSocket final : public net::Exchange, public std::enable_shared_from_this<WatchSocket> {
 public:
  explicit WatchSocket(net::Loop& loop) : loop_(loop) {}
  ~WatchSocket() override { end(); }

  Result<void> accept(const net::Headers& request, net::Exchange& exchange) {
    net::WebSocket::Handlers handlers;
    handlers.drained = [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->drain();
    };
    handlers.ended = [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->lost();
    };
    const auto* protocol = request.find("sec-websocket-protocol");
    FP_TRY(socket, net::WebSocket::accept(request, exchange, protocol == nullptr ? "" : *protocol,
                                          {}, std::move(handlers)));
    socket_ = std::move(socket);
    return {};
  }

  // Too late for either: the client was answered with 101.
  void respond(int, net::Headers, net::Chunk) override { end(); }
  void start(int, net::Headers, net::StreamKind) override {}

  void write(net::Chunk chunk) override {
    if (!socket_ || !chunk) return;
    for (std::string_view rest = *chunk; !rest.empty();) {
      const auto line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
      socket_->send(net::WebSocket::Form::Text, line);
      rest.remove_prefix(line.size());
    }
  }
  void end() override {
    if (const auto socket = std::exchange(socket_, nullptr)) socket->close();
  }
  void abort() override { end(); }

  std::size_t backlog_bytes() const override { return socket_ ? socket_->backlog_bytes() : 0; }
  bool is_open() const override { return socket_ && socket_->is_open(); }
  void on_drain(std::function<void()> callback) override {
    on_drain_ = std::move(callback);
    loop_.post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->drain();
    });
  }
  void on_closed(std::function<void()> callback) override {
    if (!is_open()) return callback();
    on_closed_ = std::move(callback);
  }

 private:
  void drain() {
    if (!socket_ || !on_drain_) return;
    const auto callback = on_drain_;  // which may be the end of this
    callback();
  }
  void lost() {
    if (!std::exchange(socket_, nullptr)) return;
    if (const auto callback = std::exchange(on_closed_, nullptr)) callback();
  }

  net::Loop& loop_;
  std::shared_ptr<net::WebSocket> socket_;  // null: it is over
  std::function<void()> on_drain_;
  std::function<void()> on_closed_;
};

// An absolute URI, or a path.
bool names_a_place(std::string_view origin) {
  if (origin.starts_with('/')) return true;
  const auto colon = origin.find(':');
  return colon != std::string_view::npos && colon > 0;
}

}  // namespace

int refusal_of_socket(const net::Headers& request) {
  const auto* origin = request.find("origin");
  if (origin == nullptr || !names_a_place(*origin)) return 403;
  // Which of several it would be is nobody's to choose here.
  const auto* protocol = request.find("sec-websocket-protocol");
  if (protocol != nullptr && protocol->contains(',')) return 400;
  return 0;
}

Result<std::shared_ptr<net::Exchange>> open_watch_socket(net::Loop& loop,
                                                         const net::Headers& request,
                                                         net::Exchange& exchange) {
  auto socket = std::make_shared<WatchSocket>(loop);
  FP_TRY_VOID(socket->accept(request, exchange));
  return socket;
}

}  // namespace fixpoint::front
