// SPDX-License-Identifier: Apache-2.0
#include "net/server.h"

#include "net/loop.h"
#include "net/server_connection.h"

#include <cerrno>
#include <unordered_set>
#include <vector>

#include <sys/epoll.h>
#include <sys/socket.h>

namespace fixpoint::net {
namespace {

// New connections taken per tick, so that a rush of them does not stop the ones being served.
constexpr int kAcceptsPerTick = 64;
// With no descriptor left, accepting is tried again after this instead of spinning.
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

}  // namespace

class Server::Impl final : public Pollable,
                           public ConnectionOwner,
                           public std::enable_shared_from_this<Server::Impl> {
 public:
  Impl(Loop& loop, Fd listener, std::uint16_t port)
      : loop_(loop), listener_(std::move(listener)), port_(port) {
    loop_.watch(listener_.get(), EPOLLIN, *this);
  }

  std::uint16_t port() const { return port_; }
  std::size_t connection_count() const { return connections_.size(); }

  void ready(std::uint32_t) override {
    for (int i = 0; i < kAcceptsPerTick && listener_; ++i) {
      if (!accept_one()) return;
    }
  }

  void closed(const std::shared_ptr<WireUser>& connection) override {
    connections_.erase(std::static_pointer_cast<ServerConnection>(connection));
    if (shutting_down_ && connections_.empty()) finish_shutdown();
  }
  bool shutting_down() const override { return shutting_down_; }

  const std::string& date() override {
    const auto second =
        std::chrono::floor<std::chrono::seconds>(loop_.clock().wall().time_since_epoch()).count();
    if (second != date_second_) {
      date_ = http_date(second);
      date_second_ = second;
    }
    return date_;
  }

  void shutdown(Duration grace, std::function<void()> done) {
    if (shutting_down_) return;
    shutting_down_ = true;
    done_ = std::move(done);
    stop_listening();
    grace_timer_ = loop_.after(grace, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->cut_all();
    });
    for (const auto& connection : snapshot()) connection->shutdown();
    if (connections_.empty()) finish_shutdown();
  }

  void close_everything() {
    done_ = nullptr;
    shutting_down_ = true;
    stop_listening();
    cut_all();
    loop_.cancel(grace_timer_);
  }

 private:
  std::vector<std::shared_ptr<ServerConnection>> snapshot() const {
    return {connections_.begin(), connections_.end()};
  }

  void cut_all() {
    for (const auto& connection : snapshot()) connection->cut();
  }

  void stop_listening() {
    loop_.cancel(pause_timer_);
    if (!listener_) return;
    if (!paused_) loop_.unwatch(listener_.get(), *this);
    listener_.reset();
  }

  void finish_shutdown() {
    loop_.cancel(grace_timer_);
    // Later, so that the owner may destroy the server in it.
    if (done_) loop_.post_end_of_tick(std::exchange(done_, nullptr));
  }

  // False when there is none to accept now.
  bool accept_one() {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    auto* address = reinterpret_cast<sockaddr*>(&storage);
    Fd fd{accept4(listener_.get(), address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (!fd) return accept_failed(errno);
    // A client turned away at once can try elsewhere; one left in the kernel's queue only waits.
    if (connections_.size() >= options.connections_max) return true;
    tune(fd.get());
    Wire::Parts parts;
    parts.fd = std::move(fd);
    if (options.tls) parts.tls = std::make_unique<TlsSession>(options.tls, "");
    auto connection =
        std::make_shared<ServerConnection>(loop_, *this, std::move(parts), format_address(address));
    connections_.insert(connection);
    connection->start();
    return true;
  }

  bool accept_failed(int code) {
    if (code == EINTR || code == ECONNABORTED) return true;
    if (code == EAGAIN || code == EWOULDBLOCK) return false;
    paused_ = true;
    loop_.unwatch(listener_.get(), *this);
    pause_timer_ = loop_.after(kAcceptPause, [this] {
      paused_ = false;
      loop_.watch(listener_.get(), EPOLLIN, *this);
    });
    return false;
  }

  Loop& loop_;
  Fd listener_;
  std::uint16_t port_;
  std::unordered_set<std::shared_ptr<ServerConnection>> connections_;
  bool paused_ = false;
  bool shutting_down_ = false;
  std::function<void()> done_;
  TimerId grace_timer_;
  TimerId pause_timer_;
  std::string date_;
  std::int64_t date_second_ = -1;
};

Result<std::unique_ptr<Server>> Server::listen(Loop& loop, ServerOptions options, Handler handler) {
  FP_TRY(listener, listen_on({.host = options.address, .port = options.port}));
  FP_TRY(bound, local_port(listener));
  auto impl = std::make_shared<Impl>(loop, std::move(listener), bound);
  impl->options = std::move(options);
  impl->handler = std::move(handler);
  return std::make_unique<Server>(std::move(impl));
}

Server::Server(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() {
  impl_->close_everything();
}
std::uint16_t Server::port() const {
  return impl_->port();
}
std::size_t Server::connection_count() const {
  return impl_->connection_count();
}
void Server::shutdown(Duration grace, std::function<void()> done) {
  impl_->shutdown(grace, std::move(done));
}

}  // namespace fixpoint::net
