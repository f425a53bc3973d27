// SPDX-License-Identifier: Apache-2.0
//
// TlsSession: one TLS conversation without any I/O. Encrypted bytes are fed in, plain bytes are
// read out, and what must go to the peer is appended to the string the caller passes.
//
// Invariant: everything fed is consumed before the call returns (a partial record waits inside
// OpenSSL), so the shared read buffer is free again.
#pragma once

#include "base/error.h"
#include "net/http.h"
#include "net/tls.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fixpoint::net {

class TlsSession {
 public:
  // A proxy is spoken HTTP/1.1 with and is shown no client certificate: that is for the server.
  enum class Partner : std::uint8_t { Server, Proxy };
  // `server_name` is what a client verifies (a DNS name or an IP address); servers leave it empty.
  TlsSession(const TlsContextRef& context, const std::string& server_name,
             Partner partner = Partner::Server);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  enum class State : std::uint8_t { Handshaking, Open, Ended };

  // Hands in bytes from the peer; follow with `handshake` or `read` until they are used up.
  void feed(std::string_view sealed) { input_ = sealed; }
  // Moves the handshake on; Open when done.
  Result<State> handshake(std::string& to_peer);
  // Plain bytes read, 0 when more input is needed or the peer ended (see `state`).
  Result<std::size_t> read(std::span<char> plain, std::string& to_peer);
  Result<void> write(std::string_view plain, std::string& to_peer);
  // Tells the peer that nothing more comes.
  void close(std::string& to_peer);

  State state() const { return state_; }
  bool negotiated_http2() const;
  // Fills in what the certificate, if any, says. Valid once open.
  void describe(Peer& peer) const;

  struct Bio;  // OpenSSL's view of input_ and output_

 private:
  Result<std::size_t> give_up(int outcome, std::string_view doing);

  struct Ssl;
  std::unique_ptr<Ssl> ssl_;
  TlsContextRef context_;
  State state_ = State::Handshaking;
  std::string_view input_;
  std::string* output_ = nullptr;
};

}  // namespace fixpoint::net
