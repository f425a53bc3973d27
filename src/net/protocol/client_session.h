// SPDX-License-Identifier: Apache-2.0
//
// ClientSession: the protocol side of a client's connection, without any I/O.
// Read next: http1_client.cc and http2_client.cc, the two of them, and client.cc, their host.
#pragma once

#include "net/client.h"
#include "net/loop.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fixpoint::net {

// One request on its way. Shared by the connection and its session.
struct Call {
  RequestId id = 0;
  ClientRequest request;
  ResponseHandlers handlers;
  TimerId timer;
  std::int32_t stream = 0;  // of HTTP/2
  bool sent = false;        // the server may have seen it
  bool over = false;        // on_end was called, or it was cancelled
};
using CallRef = std::shared_ptr<Call>;

class ClientHost {
 public:
  virtual const ClientOptions& options() const = 0;
  virtual const std::string& authority() const = 0;  // host:port
  virtual void output_ready() = 0;
  // The call has its answer, or an error; tells the user once.
  virtual void finished(const CallRef& call, Result<void> outcome) = 0;
  // The connection takes no new requests; the running ones go on.
  virtual void closing() = 0;
  // The connection is of no more use; every call left gets the error.
  virtual void broken(Error error) = 0;

 protected:
  ~ClientHost() = default;
};

class ClientSession {
 public:
  virtual ~ClientSession() = default;
  virtual void submit(const CallRef& call) = 0;
  virtual void cancel(const CallRef& call) = 0;
  virtual void received(std::string_view bytes) = 0;
  virtual void peer_ended() = 0;
  virtual std::size_t pull(std::span<char> into) = 0;
  virtual bool is_http2() const = 0;
  virtual void ping() = 0;
  virtual std::size_t requests_at_once() const = 0;
};

std::unique_ptr<ClientSession> make_http1_client(ClientHost& host);
std::unique_ptr<ClientSession> make_http2_client(ClientHost& host);

}  // namespace fixpoint::net
