// SPDX-License-Identifier: Apache-2.0
//
// ServerSession: the protocol side of one accepted connection, without any I/O; and SessionHost,
// what a session may ask of whoever carries its bytes. The server's connection is one host, a
// fuzzer's loop over a byte string is another.
//
// A session lives as long as one of its exchanges is held, perhaps longer than its host: `detach`
// tells it that the connection is gone, and it must not touch the host afterwards.
#pragma once

#include "net/loop.h"
#include "net/server.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace fixpoint::net {

class SessionHost {
 public:
  virtual const ServerOptions& options() const = 0;
  virtual std::shared_ptr<const Peer> peer() const = 0;
  virtual MonotonicInstant now() const = 0;
  virtual void handle(Request&& request, std::shared_ptr<Exchange> exchange) = 0;
  virtual void output_ready() = 0;
  // No further request is taken: send what is queued, then close.
  virtual void finish() = 0;
  // Close now, losing what is queued.
  virtual void cut() = 0;
  virtual void pause_input() = 0;
  virtual void resume_input() = 0;
  virtual void later(Task task) = 0;
  // Accounts for request bodies in memory, over all connections. False: no room.
  virtual bool reserve_body(std::size_t bytes) = 0;
  virtual void release_body(std::size_t bytes) = 0;
  virtual const std::string& date() = 0;

 protected:
  ~SessionHost() = default;
};

class ServerSession {
 public:
  virtual ~ServerSession() = default;
  virtual void received(std::string_view bytes) = 0;
  virtual std::size_t pull(std::span<char> into) = 0;
  virtual void flushed() = 0;
  virtual void peer_ended() = 0;
  virtual void detach() = 0;
  virtual void shutdown() = 0;
  // When `overdue` wants to be called if nothing happens before; none while only we are to act.
  virtual std::optional<MonotonicInstant> deadline() const = 0;
  virtual void overdue() = 0;
  // A peer that takes no byte for long is no reason to cut: it speaks another protocol, whose
  // users may pause.
  virtual bool is_patient() const { return false; }
};

std::shared_ptr<ServerSession> make_http1_session(SessionHost& host);
std::shared_ptr<ServerSession> make_http2_session(SessionHost& host);

// Shared by both protocols.
ErrorPage error_page(const ServerOptions& options, int status, const std::string& message);
// Headers that belong to the connection, which an application must not set.
bool is_connection_header(std::string_view name);
// False for the statuses whose answers end with their head.
bool may_have_body(int status);

// The callbacks of an exchange, each called as its contract says.
class ExchangeCallbacks {
 public:
  std::function<void()> drain;
  std::function<void()> closed;

  // Calls `closed` if it is there, once.
  void fire_closed() {
    drain = nullptr;
    if (auto callback = std::exchange(closed, nullptr)) callback();
  }
  void forget() {
    drain = nullptr;
    closed = nullptr;
  }
};

}  // namespace fixpoint::net
