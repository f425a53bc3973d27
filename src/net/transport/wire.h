// SPDX-License-Identifier: Apache-2.0
//
// Wire: one TCP connection, with or without TLS, as a pipe of plain bytes.
//
// Output is pulled, not pushed: at the end of a tick the wire asks its user for bytes as long as
// the kernel takes them. So nothing is encrypted or copied for a peer that does not read, and many
// small answers leave in few records. Reading goes through the loop's one buffer.
// Callbacks come from the loop only, and never after `close`.
#pragma once

#include "net/loop.h"
#include "net/transport/arrivals.h"
#include "net/transport/socket.h"
#include "net/transport/tls_session.h"
#include "net/transport/tunnel.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::net {

class WireUser {
 public:
  virtual ~WireUser() = default;
  virtual void wire_opened() = 0;  // connected, and TLS agreed upon
  virtual void wire_received(std::string_view bytes) = 0;
  // Copies up to `into.size()` bytes to send; 0 when there are none now.
  virtual std::size_t wire_pull(std::span<char> into) = 0;
  virtual void wire_flushed() = 0;            // after a round of pulling: queues may have drained
  virtual void wire_ended() = 0;              // the peer sends nothing more
  virtual void wire_failed(Error error) = 0;  // the wire closed itself
  virtual std::shared_ptr<WireUser> wire_guard() = 0;  // keeps user and wire alive in a callback
};

class Wire final : public Pollable {
 public:
  struct Parts {
    Fd fd;
    std::unique_ptr<TlsSession> tls;        // none: plain
    std::optional<Endpoint> connecting_to;  // set while the connect is undecided
    std::unique_ptr<Tunnel> tunnel;         // through a proxy: until it says go
    std::unique_ptr<TlsSession> proxy_tls;  // around everything else: with the proxy
  };
  Wire(Loop& loop, WireUser& user, Parts parts);
  ~Wire() override;

  void start();
  void schedule_flush();
  // Stops reading; up to one buffer may still be delivered. Undone by `resume`.
  void pause() { paused_ = true; }
  void resume();
  // True while nobody waits for an answer: see Connection::set_patient.
  void set_patient(bool patient);
  // Sends what is left, says goodbye and closes the sending half.
  void finish();
  void close();

  bool is_open() const { return static_cast<bool>(parts_.fd); }
  // The goodbye is said: only the peer's end is awaited.
  bool is_finished() const { return finished_; }
  // Since when the peer has not taken a byte that is waiting for it.
  std::optional<MonotonicInstant> blocked_since() const { return blocked_since_; }
  const TlsSession* tls() const { return parts_.tls.get(); }

  void ready(std::uint32_t events) override;

 private:
  void connected();
  void greet();
  void begin();
  void opened();
  void pass_tunnel(std::string_view bytes);
  void read_some();
  bool read_once();
  void look_by_itself();
  void look_later();
  void look();
  void be_woken();
  void open_up(std::string_view bytes);
  void open_inner(std::string_view bytes);
  using Unsealed = void (Wire::*)(std::string_view);
  void unseal(TlsSession& tls, std::span<char> into, Unsealed take);
  void deliver(std::string_view bytes) { user_.wire_received(bytes); }
  bool shake_hands(TlsSession& tls);
  void flush();
  bool send_pulled(std::string_view plain);
  bool send_bytes(std::string_view bytes);
  bool send_raw(std::string_view bytes);
  bool send_sealed(const TlsSession& tls, std::string_view bytes);
  bool send_pending();
  void say_goodbye();
  void fail_with(Error error);

  Loop& loop_;
  WireUser& user_;
  Parts parts_;
  std::vector<char> from_proxy_;  // what proxy_tls unsealed; empty without one
  std::string pending_;           // given to nobody yet: the kernel was full
  std::optional<MonotonicInstant> blocked_since_;
  bool open_ = false;  // user_ was told
  bool readable_ = false;
  Arrivals arrivals_;
  TimerId look_timer_;
  bool patient_ = false;
  bool looking_ = false;  // nobody wakes the wire for bytes: look_timer_ is armed
  bool found_ = false;    // bytes, since it began to look
  bool hangup_ = false;
  bool paused_ = false;
  bool flush_scheduled_ = false;
  bool finishing_ = false;
  bool finished_ = false;
};

}  // namespace fixpoint::net
