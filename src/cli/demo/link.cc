// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/link.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fixpoint::cli::demo {
namespace {

// What one read takes; also all that is ever held of one direction.
constexpr std::size_t kPieceBytes = 64 * 1024;
// Of an answer on a slow line: far longer than what the demo needs to notice a change.
constexpr auto kLate = std::chrono::milliseconds(150);

}  // namespace

// One connection. Each end reads only once the other has passed on what it was given, so nothing
// piles up.
class Link::Pipe {
 public:
  Pipe(Link& link, net::Fd near, net::Fd far)
      : link_(link), near_(*this, std::move(near)), far_(*this, std::move(far)) {
    near_.other = &far_;
    far_.other = &near_;
    link_.loop_.watch(near_.fd.get(), EPOLLIN, near_);
    link_.loop_.watch(far_.fd.get(), EPOLLIN, far_);
  }
  ~Pipe() { close(); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool closed() const { return !near_.fd; }
  void close() {
    if (closed()) return;
    link_.loop_.cancel(late_);
    link_.loop_.unwatch(near_.fd.get(), near_);
    link_.loop_.unwatch(far_.fd.get(), far_);
    near_.fd.reset();
    far_.fd.reset();
  }

 private:
  struct End final : net::Pollable {
    End(Pipe& owner, net::Fd descriptor) : pipe(owner), fd(std::move(descriptor)) {}
    void ready(std::uint32_t events) override { pipe.ready(*this, events); }

    Pipe& pipe;
    net::Fd fd;
    End* other = nullptr;
    std::string to_send;
    bool held = false;  // not yet: the line is slow
  };

  void ready(End& end, std::uint32_t events) {
    if ((events & EPOLLOUT) != 0 && !send(end)) return close();
    if ((events & EPOLLIN) != 0 && !receive(end)) return close();
    // Both directions are gone, and nothing of it is wanted any more.
    if ((events & (EPOLLERR | EPOLLHUP)) != 0 && (events & (EPOLLIN | EPOLLOUT)) == 0) {
      return close();
    }
    listen(near_);
    listen(far_);
  }
  bool receive(End& end) {
    if (!end.other->to_send.empty()) return true;
    std::array<char, kPieceBytes> piece;
    const auto size = ::read(end.fd.get(), piece.data(), piece.size());
    if (size == 0) return false;
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    end.other->to_send.assign(piece.data(), static_cast<std::size_t>(size));
    if (&end == &far_ && link_.state_ == State::Slow) hold();
    return true;
  }
  void hold() {
    near_.held = true;
    late_ = link_.loop_.after(kLate, [this] {
      near_.held = false;
      listen(near_);
    });
  }
  static bool send(End& end) {
    if (end.held || end.to_send.empty()) return true;
    const auto size = ::send(end.fd.get(), end.to_send.data(), end.to_send.size(), MSG_NOSIGNAL);
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    end.to_send.erase(0, static_cast<std::size_t>(size));
    return true;
  }
  void listen(End& end) {
    const bool reads = end.other->to_send.empty();
    const bool writes = !end.to_send.empty() && !end.held;
    link_.loop_.change(end.fd.get(), (reads ? EPOLLIN : 0U) | (writes ? EPOLLOUT : 0U), end);
  }

  Link& link_;
  End near_;  // the operator's
  End far_;   // the server's
  net::TimerId late_;
};

Result<std::unique_ptr<Link>> Link::open(net::Loop& loop, std::uint16_t server_port) {
  FP_TRY(listener, net::listen_on({"127.0.0.1", 0}));
  FP_TRY(port, net::local_port(listener));
  return std::unique_ptr<Link>(new Link(loop, std::move(listener), port, server_port));
}

Link::Link(net::Loop& loop, net::Fd listener, std::uint16_t port, std::uint16_t server_port)
    : loop_(loop), listener_(std::move(listener)), port_(port), server_port_(server_port) {
  loop_.watch(listener_.get(), EPOLLIN, *this);
}

Link::~Link() {
  loop_.unwatch(listener_.get(), *this);
}

void Link::set(State state) {
  state_ = state;
  if (state != State::Cut) return;
  for (const auto& pipe : pipes_) {
    if (!pipe->closed()) ++broken_;
    pipe->close();
  }
}

void Link::ready(std::uint32_t /*events*/) {
  std::erase_if(pipes_, [](const auto& pipe) { return pipe->closed(); });
  net::Fd near{::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
  if (!near) return;  // it went away again before we came
  if (state_ == State::Cut) {
    ++broken_;
    return;
  }
  auto far = net::start_connecting({"127.0.0.1", server_port_});
  if (!far) return;  // the operator sees its connection end, as if the server had refused it
  net::tune(near.get());
  net::tune(far->get());
  pipes_.push_back(std::make_unique<Pipe>(*this, std::move(near), *std::move(far)));
}

}  // namespace fixpoint::cli::demo
