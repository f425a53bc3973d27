// SPDX-License-Identifier: Apache-2.0
#include "net/transport/wire.h"

#include "net/transport/buffers.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>

namespace fixpoint::net {
namespace {

// How much one connection may read or write before the others have their turn: 512 KiB.
constexpr int kRoundsPerTurn = 8;
// One TLS record: proxies are few, and what they forward is unsealed once more.
constexpr std::size_t kFromProxyBytes = 16 * 1024;
// Edges, so that a socket that is left alone costs nothing.
constexpr std::uint32_t kAllButBytes = EPOLLOUT | EPOLLRDHUP | EPOLLET;
// A drained pending buffer larger than this gives its memory back.
constexpr std::size_t kPendingKeptBytes = 4096;

Error connection_error(int code) {
  return {ErrorKind::Unavailable, std::string("connection: ") + std::strerror(code)};
}

}  // namespace

Wire::Wire(Loop& loop, WireUser& user, Parts parts)
    : loop_(loop), user_(user), parts_(std::move(parts)) {
  if (parts_.proxy_tls) from_proxy_.resize(kFromProxyBytes);
}

Wire::~Wire() {
  close();
}

void Wire::start() {
  loop_.watch(parts_.fd.get(), EPOLLIN | kAllButBytes, *this);
  if (!parts_.connecting_to) connected();
}

void Wire::connected() {
  parts_.connecting_to.reset();
  if (!parts_.proxy_tls || shake_hands(*parts_.proxy_tls)) greet();
}

// Whoever answered the connect can be spoken with.
void Wire::greet() {
  if (!parts_.tunnel) return begin();
  send_bytes(parts_.tunnel->greeting());
}

void Wire::pass_tunnel(std::string_view bytes) {
  std::string to_proxy;
  auto free = parts_.tunnel->received(bytes, to_proxy);
  if (!free) return fail_with(std::move(free).error());
  if (!to_proxy.empty()) send_bytes(to_proxy);
  if (!is_open() || !*free) return;
  parts_.tunnel.reset();
  begin();
}

// The way to the server is free.
void Wire::begin() {
  if (!parts_.tls || shake_hands(*parts_.tls)) opened();
}

void Wire::opened() {
  open_ = true;
  user_.wire_opened();
}

void Wire::ready(std::uint32_t events) {
  const auto guard = user_.wire_guard();
  if (parts_.connecting_to) {
    if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) == 0) return;
    if (auto outcome = connect_outcome(parts_.fd, *parts_.connecting_to); !outcome) {
      return fail_with(std::move(outcome).error());
    }
    connected();
  }
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) hangup_ = true;
  if (is_open() && (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
    readable_ = true;
    read_some();
    if (patient_ && !looking_ && !readable_ && arrivals_.woken(loop_.now())) look_by_itself();
  }
  if (is_open() && (events & EPOLLOUT) != 0 && blocked_since_) flush();
}

void Wire::resume() {
  if (!paused_) return;
  paused_ = false;
  if (readable_) {
    loop_.post_end_of_tick([this, guard = user_.wire_guard()] { read_some(); });
  }
}

void Wire::read_some() {
  for (int round = 0; round < kRoundsPerTurn; ++round) {
    if (!is_open() || paused_ || !readable_) return;
    if (!read_once()) return;
  }
  if (is_open() && readable_ && !paused_) {
    loop_.post_end_of_tick([this, guard = user_.wire_guard()] { read_some(); });
  }
}

void Wire::set_patient(bool patient) {
  if (std::exchange(patient_, patient) && !patient) be_woken();
}

void Wire::look_by_itself() {
  if (!is_open()) return;
  looking_ = true;
  loop_.change(parts_.fd.get(), kAllButBytes, *this);
  look_later();
}

void Wire::look_later() {
  look_timer_ = loop_.after(kLookInterval, [this] {
    const auto guard = user_.wire_guard();
    look_timer_ = {};
    look();
  });
}

void Wire::look() {
  found_ = false;
  readable_ = true;
  read_some();
  if (!looking_) return;
  // More than one turn could read: what comes so fast is not to wait.
  if (readable_ || !arrivals_.looked(found_)) return be_woken();
  look_later();
}

// Bytes that are there already wake the wire at once.
void Wire::be_woken() {
  arrivals_.start_over();
  if (!std::exchange(looking_, false)) return;
  loop_.cancel(look_timer_);
  if (is_open()) loop_.change(parts_.fd.get(), EPOLLIN | kAllButBytes, *this);
}

bool Wire::read_once() {
  auto& buffer = loop_.buffers().received;
  const auto count = recv(parts_.fd.get(), buffer.data(), buffer.size(), 0);
  if (count > 0) {
    const auto size = static_cast<std::size_t>(count);
    found_ = true;
    // A short read emptied the socket, and the next arrival is a new edge. Not so after a hang-up:
    // no further edge comes, and the end must be read.
    if (size < buffer.size() && !hangup_) readable_ = false;
    open_up({buffer.data(), size});
    return true;
  }
  if (count < 0 && errno == EINTR) return true;
  readable_ = false;
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (count < 0) {
    fail_with(connection_error(errno));
  } else if (!open_) {
    fail_with(
        {ErrorKind::Unavailable, std::string("the peer closed the connection during the ") +
                                     (parts_.tunnel ? "talk with the proxy" : "TLS handshake")});
  } else {
    user_.wire_ended();
  }
  return false;
}

// Takes bytes off the socket and hands them to the user, decrypted.
void Wire::open_up(std::string_view bytes) {
  if (!parts_.proxy_tls) return open_inner(bytes);
  auto& tls = *parts_.proxy_tls;
  tls.feed(bytes);
  if (tls.state() == TlsSession::State::Handshaking) {
    if (!shake_hands(tls)) return;
    greet();
  }
  unseal(tls, from_proxy_, &Wire::open_inner);
}

void Wire::open_inner(std::string_view bytes) {
  if (parts_.tunnel) return pass_tunnel(bytes);
  if (!parts_.tls) return user_.wire_received(bytes);
  auto& tls = *parts_.tls;
  tls.feed(bytes);
  if (tls.state() == TlsSession::State::Handshaking) {
    if (!shake_hands(tls)) return;
    opened();
  }
  unseal(tls, loop_.buffers().opened, &Wire::deliver);
}

void Wire::unseal(TlsSession& tls, std::span<char> into, Unsealed take) {
  auto& sealed = loop_.buffers().sealed;
  while (is_open()) {
    sealed.clear();
    auto count = tls.read(into, sealed);
    if (!sealed.empty() && !send_sealed(tls, sealed) && !is_open()) return;
    if (!count) return fail_with(std::move(count).error());
    if (*count == 0) break;
    (this->*take)({into.data(), *count});
  }
  if (!is_open() || tls.state() != TlsSession::State::Ended) return;
  if (open_) return user_.wire_ended();
  fail_with({ErrorKind::Unavailable, "the proxy ended the connection before it was through"});
}

// True once the handshake is done.
bool Wire::shake_hands(TlsSession& tls) {
  auto& sealed = loop_.buffers().sealed;
  sealed.clear();
  auto state = tls.handshake(sealed);
  if (!sealed.empty()) send_sealed(tls, sealed);  // an alert too: it tells the peer why
  if (!is_open()) return false;
  if (!state) {
    fail_with(std::move(state).error());
    return false;
  }
  return *state == TlsSession::State::Open;
}

void Wire::schedule_flush() {
  if (flush_scheduled_ || blocked_since_ || !open_ || !is_open()) return;
  flush_scheduled_ = true;
  loop_.post_end_of_tick([this, guard = user_.wire_guard()] {
    flush_scheduled_ = false;
    flush();
  });
}

void Wire::flush() {
  if (!is_open() || !send_pending()) return;
  if (!open_) return;  // the handshake's bytes are out; the user has nothing to say yet
  auto& buffer = loop_.buffers().pulled;
  int round = 0;
  for (; round < kRoundsPerTurn; ++round) {
    const auto count = user_.wire_pull(buffer);
    if (count == 0) break;
    if (!send_pulled({buffer.data(), count})) break;
  }
  if (!is_open()) return;
  if (round == kRoundsPerTurn) schedule_flush();
  if (round < kRoundsPerTurn && !blocked_since_ && finishing_) say_goodbye();
  user_.wire_flushed();
}

bool Wire::send_pulled(std::string_view plain) {
  if (!parts_.tls) return send_bytes(plain);
  auto& sealed = loop_.buffers().sealed;
  sealed.clear();
  if (auto outcome = parts_.tls->write(plain, sealed); !outcome) {
    fail_with(std::move(outcome).error());
    return false;
  }
  return send_bytes(sealed);
}

// What a session sealed: the outer one's goes as it is.
bool Wire::send_sealed(const TlsSession& tls, std::string_view bytes) {
  return &tls == parts_.proxy_tls.get() ? send_raw(bytes) : send_bytes(bytes);
}

// False when the kernel did not take everything; the rest waits in pending_.
bool Wire::send_bytes(std::string_view bytes) {
  if (!parts_.proxy_tls) return send_raw(bytes);
  std::string sealed;
  if (auto outcome = parts_.proxy_tls->write(bytes, sealed); !outcome) {
    fail_with(std::move(outcome).error());
    return false;
  }
  return send_raw(sealed);
}

bool Wire::send_raw(std::string_view bytes) {
  while (pending_.empty() && !bytes.empty()) {
    const auto count = send(parts_.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      fail_with(connection_error(errno));
      return false;
    }
  }
  if (bytes.empty()) return true;
  pending_.append(bytes);
  if (!blocked_since_) blocked_since_ = loop_.now();
  return false;
}

bool Wire::send_pending() {
  if (!pending_.empty()) {
    const auto waiting = std::move(pending_);
    pending_.clear();
    const auto before = blocked_since_;
    blocked_since_.reset();
    if (!send_raw(waiting)) {
      // No byte moved: the peer has been stuck since before.
      if (pending_.size() == waiting.size()) blocked_since_ = before;
      return false;
    }
    if (pending_.capacity() > kPendingKeptBytes) pending_.shrink_to_fit();
  }
  blocked_since_.reset();
  return true;
}

void Wire::finish() {
  if (finishing_ || !is_open()) return;
  finishing_ = true;
  schedule_flush();
}

void Wire::say_goodbye() {
  if (finished_) return;
  finished_ = true;
  if (parts_.tls) {
    auto& sealed = loop_.buffers().sealed;
    sealed.clear();
    parts_.tls->close(sealed);
    if (!send_bytes(sealed)) return;  // a full socket: the peer sees the end without the farewell
  }
  if (parts_.proxy_tls) {
    std::string sealed;
    parts_.proxy_tls->close(sealed);
    if (!send_raw(sealed)) return;
  }
  shutdown(parts_.fd.get(), SHUT_WR);
}

void Wire::close() {
  if (!is_open()) return;
  loop_.cancel(look_timer_);
  looking_ = false;
  loop_.unwatch(parts_.fd.get(), *this);
  parts_.fd.reset();
  blocked_since_.reset();
}

void Wire::fail_with(Error error) {
  if (!is_open()) return;
  close();
  user_.wire_failed(std::move(error));
}

}  // namespace fixpoint::net
