// SPDX-License-Identifier: Apache-2.0
//
// ServerConnection: an accepted socket, the wire on it, and the session that speaks its protocol.
// It keeps the clock for the session: one lazily moved timer, none while nothing is awaited.
#pragma once

#include "net/protocol/server_session.h"
#include "net/transport/wire.h"

#include <memory>
#include <optional>
#include <string>

namespace fixpoint::net {

// What all connections of a server share.
class ConnectionOwner {
 public:
  ServerOptions options;
  Handler handler;
  std::size_t arriving_body_bytes = 0;

  virtual void closed(const std::shared_ptr<WireUser>& connection) = 0;
  virtual bool shutting_down() const = 0;
  virtual const std::string& date() = 0;

 protected:
  ~ConnectionOwner() = default;
};

class ServerConnection final : public WireUser,
                               public SessionHost,
                               public std::enable_shared_from_this<ServerConnection> {
 public:
  ServerConnection(Loop& loop, ConnectionOwner& owner, Wire::Parts parts, std::string address);

  void start();
  void shutdown();
  void cut() override;

  void wire_opened() override;
  void wire_received(std::string_view bytes) override;
  std::size_t wire_pull(std::span<char> into) override;
  void wire_flushed() override;
  void wire_ended() override;
  void wire_failed(Error error) override;
  std::shared_ptr<WireUser> wire_guard() override { return shared_from_this(); }

  const ServerOptions& options() const override { return owner_.options; }
  std::shared_ptr<const Peer> peer() const override { return peer_; }
  MonotonicInstant now() const override { return loop_.now(); }
  void handle(Request&& request, std::shared_ptr<Exchange> exchange) override;
  void output_ready() override { wire_.schedule_flush(); }
  void finish() override;
  void pause_input() override { wire_.pause(); }
  void resume_input() override { wire_.resume(); }
  void later(Task task) override { loop_.post_end_of_tick(std::move(task)); }
  bool reserve_body(std::size_t bytes) override;
  void release_body(std::size_t bytes) override { owner_.arriving_body_bytes -= bytes; }
  const std::string& date() override { return owner_.date(); }

 private:
  void sniff(std::string_view bytes);
  void use(std::shared_ptr<ServerSession> session);
  std::optional<MonotonicInstant> next_deadline() const;
  std::optional<MonotonicInstant> write_deadline() const;
  void rearm();
  void timer_fired();

  Loop& loop_;
  ConnectionOwner& owner_;
  Wire wire_;
  std::shared_ptr<Peer> peer_;
  std::shared_ptr<ServerSession> session_;  // none until the protocol is known
  std::string sniffed_;                     // first bytes of a plain connection
  std::optional<MonotonicInstant> opening_deadline_;
  std::optional<MonotonicInstant> linger_deadline_;
  TimerId timer_;
  bool peer_ended_ = false;
};

}  // namespace fixpoint::net
