// SPDX-License-Identifier: Apache-2.0
//
// Pool: the connections to one server, and the requests that run or wait on them.
//
// Over HTTP/2 one connection carries everything until the server's limit of streams is reached;
// over HTTP/1.1 each running request has a connection of its own. A connection that the server is
// closing gets no new requests; one that gives no sign of life is given up. While the server
// cannot be reached, attempts to connect come at growing intervals, however many ask.
// Read next: requester.h, which decides what is sent again.
#pragma once

#include "base/rng.h"
#include "client/access.h"
#include "client/http/background.h"
#include "net/client.h"
#include "net/loop.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace fixpoint::client {

struct PoolLimits {
  std::size_t http2_connections = 8;
  // Every watch needs one, and calls need some beside them, which no watch may take.
  std::size_t http1_connections = 128;
  std::size_t http1_kept_for_calls = 8;
  // Requests without a connection; more are refused.
  std::size_t waiting = 10'000;
  Duration connect_timeout = std::chrono::seconds(10);
  // Below the minutes after which servers and balancers on the way drop idle connections.
  Duration idle = std::chrono::seconds(90);
};

class Pool {
 public:
  using Ticket = std::uint64_t;

  Pool(net::Loop& loop, ServerAddress server, PoolLimits limits = {});
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Handlers as in net/client.h; on_end may come for want of a connection, after on_unsent. With a
  // `silence`, a peer that sends nothing for so long counts as dead: HTTP/2 peers are pinged
  // before. Over HTTP/1.1, where nothing but the answer can be waited for, it is twice as long.
  Ticket send(const net::TlsContextRef& tls, net::ClientRequest request,
              net::ResponseHandlers handlers, Duration silence = {});
  // Forgets a request without calling anybody. True when the server surely did not act on it.
  bool cancel(Ticket ticket);

  const ServerAddress& server() const { return server_; }
  std::size_t connections() const { return links_.size(); }

 private:
  struct Link {
    std::uint64_t id = 0;
    std::shared_ptr<net::Connection> connection;
    net::TlsContextRef tls;
    std::unordered_set<Ticket> running;
    std::size_t watches = 0;  // of those
    bool ready = false;
    MonotonicInstant pinged_at{};
    net::TimerId idle_timer;

    // Whether it takes requests with these credentials, now or when others on it end.
    bool serves(const net::TlsContextRef& theirs) const {
      return ready && tls == theirs && connection->is_open();
    }
  };
  using LinkRef = std::shared_ptr<Link>;
  struct Entry {
    net::TlsContextRef tls;
    net::ClientRequest request;
    net::ResponseHandlers handlers;
    LinkRef link;  // none while it waits
    net::RequestId id = 0;
    MonotonicInstant since{};  // on its connection
    Duration silence{};
    net::TimerId silence_timer;

    // What has a silence to be noticed goes on for minutes.
    bool is_watch() const { return silence > Duration::zero(); }
  };

  void assign();
  LinkRef free_link(const Entry& entry) const;
  bool too_many_watches(const Entry& entry) const;
  void dispatch(Ticket ticket, Entry& entry, const LinkRef& link);
  void ended(Ticket ticket, Result<void> outcome, bool unsent);
  void left(const Entry& entry, Ticket ticket);

  bool may_connect(const Entry& entry) const;
  void connect(const net::TlsContextRef& tls);
  void open(const net::TlsContextRef& tls, const std::string& address);
  void link_ready(const LinkRef& link);
  void link_broken(const LinkRef& link, const Error& why);
  void could_not_connect(const Error& why);
  void fail_stranded(const Error& why);
  void give_up(const LinkRef& link);

  void watch_silence(Ticket ticket);
  void check_silence(Ticket ticket);
  void ping(Link& link);
  void suspect(const LinkRef& link);

  net::Loop& loop_;
  ServerAddress server_;
  PoolLimits limits_;
  Rng rng_ = Rng::from_kernel();
  Background background_;
  std::unordered_map<Ticket, Entry> entries_;
  std::deque<Ticket> waiting_;
  std::vector<LinkRef> links_;
  std::size_t watches_ = 0;  // on all connections
  Ticket last_ticket_ = 0;
  std::uint64_t last_link_ = 0;
  bool speaks_http1_ = false;  // what the server chose last time
  bool resolving_ = false;
  std::vector<std::string> addresses_;  // of the server's name; tried in turn
  std::size_t next_address_ = 0;
  std::size_t failures_ = 0;    // to connect, in a row
  net::TimerId connect_timer_;  // no attempt before it
  // What runs later finds out whether there is still a pool.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fixpoint::client
