// SPDX-License-Identifier: Apache-2.0
//
// Server: HTTP/1.1 and HTTP/2 on one port, for one loop.
//
// A handler gets each complete request with an Exchange to answer it on, at once or later; answers
// of one connection leave in the order the protocol wants. Everything a client can make grow has a
// bound in ServerOptions, and a client that is slow, silent or wrong is cut, never waited for.
// Everything here belongs to the loop's thread.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "net/http.h"
#include "net/tls.h"
#include "net/upgrade.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fixpoint::net {

class Loop;

enum class StreamKind : std::uint8_t {
  Endless,  // a watch: a shutdown ends it properly at once
  Finite,   // a long list: a shutdown lets it finish within the grace
};

// The answer to one request. Either `respond`, or `start`, any number of `write`, then `end`.
// Calls after the answer ended, or after the peer went away, do nothing. An Exchange that is
// dropped unanswered becomes a 500; one dropped in mid-stream is aborted.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual void respond(int status, Headers headers, Chunk body) = 0;
  void respond(int status, Headers headers, std::string body) {
    respond(status, std::move(headers), make_chunk(std::move(body)));
  }

  virtual void start(int status, Headers headers, StreamKind kind = StreamKind::Endless) = 0;
  // The chunk is shared, not copied, until it is encrypted for this peer.
  virtual void write(Chunk chunk) = 0;
  virtual void end() = 0;
  // Cuts the answer so that the peer sees it is incomplete.
  virtual void abort() = 0;

  // Bytes queued and not yet handed to the kernel.
  virtual std::size_t backlog_bytes() const = 0;
  // False once the answer ended or the peer went away.
  virtual bool is_open() const = 0;
  // For streaming what is too large to queue: called soon, and again each time bytes went out and
  // the backlog is below kDrainBytes, until the end. Write the next part in it.
  virtual void on_drain(std::function<void()> callback) = 0;
  // Called exactly once if the answer is cut from outside before it ended (the peer left or reset
  // the stream, a limit cut it, a shutdown ended it); never after your own respond, end or abort.
  virtual void on_closed(std::function<void()> callback) = 0;

  // Leaves HTTP: answers 101 with that protocol and these headers, and hands over the connection.
  // Null, and nothing was answered, where that cannot be: HTTP/2, HTTP/1.0, an answer that began.
  virtual UpgradedStreamRef upgrade(std::string_view protocol, const Headers& headers,
                                    UpgradeHandlers&& handlers);
};

// Backlog below which on_drain asks for more: enough to keep a connection busy for a tick.
inline constexpr std::size_t kDrainBytes = 256 * 1024;

using Handler = std::function<void(Request&&, std::shared_ptr<Exchange>)>;

// What the server itself answers (400, 408, 413, 414, 429, 431, 500, 501, 503 …).
struct ErrorPage {
  Headers headers;
  std::string body;
};
using ErrorPages = std::function<ErrorPage(int status, const std::string& message)>;

struct ServerOptions {
  std::string address = "127.0.0.1";  // numeric
  std::uint16_t port = 0;             // 0: any free one
  TlsContextRef tls;                  // none: plain HTTP, where HTTP/2 needs prior knowledge
  ErrorPages error_pages;             // none: the message as plain text

  // One descriptor and about 20 KB each; more than any small cluster's clients.
  std::size_t connections_max = 4096;
  // Go's default is 1 MiB; tokens and impersonation groups stay far below this.
  std::size_t header_bytes_max = 64 * 1024;
  std::size_t header_count_max = 256;
  // Long field and label selectors fit.
  std::size_t target_bytes_max = 16 * 1024;
  std::size_t body_bytes_max = std::size_t{3} * 1024 * 1024;
  // Of all connections together, bodies that are still arriving: memory an unknown peer can hold.
  std::size_t arriving_body_bytes_max = std::size_t{64} * 1024 * 1024;
  // What Kubernetes' own server offers.
  std::uint32_t streams_max = 250;
  // Of one connection; a peer that lets more than this queue up is cut, and a single HTTP/2 stream
  // is reset at a quarter of it. A last resort: whoever streams asks backlog_bytes() and stops far
  // earlier. Whole answers may exceed it, since they are already paid for; over HTTP/2, requests
  // after that get a 429 until the peer has read some.
  std::size_t backlog_bytes_max = std::size_t{64} * 1024 * 1024;

  Duration handshake_timeout = std::chrono::seconds(10);
  Duration header_timeout = std::chrono::seconds(10);  // first byte to the end of the head
  Duration body_timeout = std::chrono::seconds(60);    // end of the head to the end of the body
  Duration idle_timeout = std::chrono::seconds(180);   // between requests, with none open
  Duration write_timeout = std::chrono::seconds(60);   // without the peer taking a single byte
  Duration linger_timeout = std::chrono::seconds(2);   // for the peer's close after ours

  // HTTP/2 frames that cost us and give nothing (resets of running requests; pings, settings,
  // priorities, empty data; requests that are refused unread): a burst, and what is given back each
  // second. Informers that restart all their watches at once stay below it.
  std::uint32_t nuisance_burst = 1000;
  std::uint32_t nuisance_per_second = 50;
};

class Server {
 public:
  // Binds and listens. Conflict when the address is in use; the message names it.
  static Result<std::unique_ptr<Server>> listen(Loop& loop, ServerOptions options, Handler handler);
  // Cuts what is still open.
  ~Server();

  std::uint16_t port() const;
  std::size_t connection_count() const;

  // Stops accepting; ends endless streams properly, lets other exchanges end, tells HTTP/2 peers,
  // and closes. Whatever is open after `grace` is cut. `done` is called when all is closed.
  void shutdown(Duration grace, std::function<void()> done);

  class Impl;
  explicit Server(std::shared_ptr<Impl> impl);

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixpoint::net
