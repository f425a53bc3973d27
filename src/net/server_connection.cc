// SPDX-License-Identifier: Apache-2.0
#include "net/server_connection.h"

#include <algorithm>

namespace fixpoint::net {
namespace {

// What an HTTP/2 client with prior knowledge begins with; no HTTP/1 request can look like it.
constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

void keep_earlier(std::optional<MonotonicInstant>& best, std::optional<MonotonicInstant> other) {
  if (other && (!best || *other < *best)) best = other;
}

}  // namespace

ServerConnection::ServerConnection(Loop& loop, ConnectionOwner& owner, Wire::Parts parts,
                                   std::string address)
    : loop_(loop),
      owner_(owner),
      wire_(loop, *this, std::move(parts)),
      peer_(std::make_shared<Peer>()) {
  peer_->address = std::move(address);
}

void ServerConnection::start() {
  opening_deadline_ = loop_.now() + options().handshake_timeout;
  wire_.start();
  rearm();
}

void ServerConnection::wire_opened() {
  const auto* tls = wire_.tls();
  if (tls == nullptr) {
    opening_deadline_ = loop_.now() + options().header_timeout;
    return;
  }
  tls->describe(*peer_);
  use(tls->negotiated_http2() ? make_http2_session(*this) : make_http1_session(*this));
}

void ServerConnection::use(std::shared_ptr<ServerSession> session) {
  opening_deadline_.reset();
  session_ = std::move(session);
  output_ready();  // HTTP/2 speaks first
  rearm();
}

void ServerConnection::wire_received(std::string_view bytes) {
  if (!session_) {
    sniff(bytes);
  } else {
    session_->received(bytes);
  }
  rearm();
}

void ServerConnection::sniff(std::string_view bytes) {
  sniffed_.append(bytes);
  const auto compared = std::min(sniffed_.size(), kHttp2Preface.size());
  const bool may_be_http2 =
      kHttp2Preface.starts_with(std::string_view(sniffed_).substr(0, compared));
  if (may_be_http2 && compared < kHttp2Preface.size()) return;
  use(may_be_http2 ? make_http2_session(*this) : make_http1_session(*this));
  const auto first = std::exchange(sniffed_, {});
  session_->received(first);
}

std::size_t ServerConnection::wire_pull(std::span<char> into) {
  return session_ ? session_->pull(into) : 0;
}

void ServerConnection::wire_flushed() {
  if (session_) session_->flushed();
  if (wire_.is_finished() && peer_ended_) return cut();
  if (wire_.is_finished() && !linger_deadline_) {
    linger_deadline_ = loop_.now() + options().linger_timeout;
  }
  rearm();
}

void ServerConnection::wire_ended() {
  if (std::exchange(peer_ended_, true)) return;  // TLS and TCP each have an end
  if (!session_ || wire_.is_finished()) return cut();
  session_->peer_ended();
  rearm();
}

// Why a client's connection broke is of no use to anybody here; that it did, the session learns.
void ServerConnection::wire_failed(Error) {
  cut();
}

void ServerConnection::handle(Request&& request, std::shared_ptr<Exchange> exchange) {
  owner_.handler(std::move(request), std::move(exchange));
}

bool ServerConnection::reserve_body(std::size_t bytes) {
  if (owner_.arriving_body_bytes + bytes > options().arriving_body_bytes_max) return false;
  owner_.arriving_body_bytes += bytes;
  return true;
}

void ServerConnection::finish() {
  wire_.finish();
}

void ServerConnection::shutdown() {
  if (!session_) return cut();
  session_->shutdown();
  output_ready();
}

void ServerConnection::cut() {
  const auto self = shared_from_this();
  wire_.close();
  loop_.cancel(timer_);
  if (session_) session_->detach();
  owner_.closed(self);
}

std::optional<MonotonicInstant> ServerConnection::next_deadline() const {
  auto next = opening_deadline_;
  keep_earlier(next, linger_deadline_);
  if (session_) keep_earlier(next, session_->deadline());
  keep_earlier(next, write_deadline());
  return next;
}

std::optional<MonotonicInstant> ServerConnection::write_deadline() const {
  const auto since = wire_.blocked_since();
  if (!since || (session_ && session_->is_patient())) return std::nullopt;
  return *since + options().write_timeout;
}

// Deadlines mostly move later, with every request; the timer follows only when it fires.
void ServerConnection::rearm() {
  if (!wire_.is_open()) return;
  const auto next = next_deadline();
  if (!next || (timer_ && timer_.due <= *next)) return;
  loop_.cancel(timer_);
  timer_ = loop_.after(*next - loop_.clock().monotonic(), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->timer_fired();
  });
}

void ServerConnection::timer_fired() {
  timer_ = {};
  const auto due = [this](std::optional<MonotonicInstant> at) { return at && *at <= loop_.now(); };
  if (due(opening_deadline_) || due(linger_deadline_) || due(write_deadline())) return cut();
  if (session_ && due(session_->deadline())) session_->overdue();
  rearm();
}

}  // namespace fixpoint::net
