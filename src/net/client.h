// SPDX-License-Identifier: Apache-2.0
//
// Connection: requests to one server over one TCP connection, HTTP/1.1 or HTTP/2 as TLS agrees.
//
// Over HTTP/2 many requests run at once, over HTTP/1.1 they wait for each other in order. All calls
// and callbacks belong to the loop's thread. A connection does not come back once it failed or
// closed: whoever wants another opens another, and decides what may be sent again.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "net/http.h"
#include "net/tls.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::net {

class Loop;

struct ClientRequest {
  std::string method = "GET";
  std::string target = "/";
  Headers headers;  // Host, Content-Length and the like are added
  std::string body;
  Duration timeout{};  // from `send` to the end of the answer; zero: none, for watches
};

struct ResponseHandlers {
  std::function<void(int status, const Headers& headers)> on_headers;
  std::function<void(std::string_view bytes)> on_body;
  // Exactly once for each request that was not cancelled. An error after on_headers means that the
  // answer is incomplete. Retryable errors may still have been acted upon by the server.
  std::function<void(Result<void> outcome)> on_end;
  // Just before an on_end with an error: the server surely did not act on the request, for not a
  // byte of it left, or because the server said so (a refused stream).
  std::function<void()> on_unsent;
};

// Asked to forward a connection; it sees no requests.
struct Proxy {
  enum class Kind : std::uint8_t {
    HttpConnect,
    HttpsConnect,  // TLS with the proxy, by the settings for the server or else the machine's
    Socks5,
  };
  Kind kind = Kind::HttpConnect;
  std::string host;
  std::uint16_t port = 0;
  std::string user;  // empty: none
  std::string password;
  std::string server_name;  // what the proxy's certificate must say, when it is not `host`
};

struct ClientOptions {
  std::string host;  // a numeric address where the system resolver's blocking would matter
  std::uint16_t port = 0;
  TlsContextRef tls;        // none: plain
  std::string server_name;  // what the certificate must say, when it is not `host`
  std::string authority;    // what requests call the server, when it is not host:port
  std::optional<Proxy> proxy;
  HttpVersions plain_version = HttpVersions::OnlyHttp1;  // OnlyHttp2: with prior knowledge
  Duration connect_timeout = std::chrono::seconds(10);   // until TLS is agreed upon
  std::size_t header_bytes_max = 256 * 1024;
  std::size_t header_count_max = 1000;
  // Requests waiting or running; more are refused as Exhausted.
  std::size_t requests_max = 10'000;
  // Called at most once each, from the loop, never from `open`: the protocol is agreed upon; the
  // connection is of no more use.
  std::function<void()> on_ready;
  std::function<void(const Error& why)> on_broken;
};

using RequestId = std::uint64_t;

class Connection {
 public:
  // Starts connecting at once; a failure reaches each request's on_end.
  static std::shared_ptr<Connection> open(Loop& loop, ClientOptions options);
  // Forgets what is running, without calling anybody.
  virtual ~Connection() = default;

  virtual RequestId send(ClientRequest request, ResponseHandlers handlers) = 0;
  // Forgets a request; its callbacks are not called any more. On HTTP/1.1 a request that was sent
  // takes the connection with it. True when the server surely did not act on it.
  virtual bool cancel(RequestId id) = 0;
  // Ends all requests with an error, then the connection.
  virtual void close() = 0;

  // False when a new request would fail at once.
  virtual bool is_open() const = 0;
  virtual bool speaks_http2() const = 0;
  // How many requests can run side by side: 1 over HTTP/1.1, else what the server allows.
  virtual std::size_t requests_at_once() const = 0;
  // When the last byte came; for connections that look alive and are not.
  virtual MonotonicInstant last_received() const = 0;
  // Makes a living HTTP/2 server send something; nothing over HTTP/1.1.
  virtual void ping() = 0;
  // Back pressure: what the server sends waits in the kernel, and then at the server.
  virtual void pause() = 0;
  virtual void resume() = 0;
  // True while all that runs brings news, as a watch does, and nobody waits for an answer: where
  // much comes, several pieces then share a wake-up, each up to a fiftieth of a second late.
  virtual void set_patient(bool patient) = 0;
};

struct Response {
  int status = 0;
  Headers headers;
  std::string body;
};

// A whole answer held in memory by blocking_request, when the caller names no smaller bound.
inline constexpr std::size_t kBlockingBodyBytesMax = std::size_t{1} << 30;

// One request on a connection and a loop of its own; for commands and tests.
Result<Response> blocking_request(const ClientOptions& options, ClientRequest request,
                                  Duration limit = std::chrono::seconds(30),
                                  std::size_t body_bytes_max = kBlockingBodyBytesMax);

}  // namespace fixpoint::net
