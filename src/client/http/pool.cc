// SPDX-License-Identifier: Apache-2.0
#include "client/http/pool.h"

#include "client/http/resolve_name.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fixpoint::client {
namespace {

using namespace std::chrono_literals;

// Between attempts to connect: the first comes soon, for a restart takes a second or so.
constexpr Duration kFirstPause = 50ms;
constexpr Duration kPauseMax = 5s;
// How long a suspected peer has to answer a ping.
constexpr Duration kPingPatience = 10s;

}  // namespace

Pool::Pool(net::Loop& loop, ServerAddress server, PoolLimits limits)
    : loop_(loop), server_(std::move(server)), limits_(limits), background_(loop) {}

Pool::~Pool() {
  *alive_ = false;
  loop_.cancel(connect_timer_);
  for (auto& link : links_) loop_.cancel(link->idle_timer);
  for (auto& [ticket, entry] : entries_) loop_.cancel(entry.silence_timer);
}

Pool::Ticket Pool::send(const net::TlsContextRef& tls, net::ClientRequest request,
                        net::ResponseHandlers handlers, Duration silence) {
  const auto ticket = ++last_ticket_;
  auto& entry = entries_[ticket];
  entry.tls = tls;
  entry.request = std::move(request);
  entry.handlers = std::move(handlers);
  entry.silence = silence;
  if (waiting_.size() >= limits_.waiting) {
    loop_.post_end_of_tick([this, ticket, alive = alive_] {
      if (*alive) {
        ended(ticket, fail(ErrorKind::Exhausted, "too many requests wait for the server"), true);
      }
    });
    return ticket;
  }
  waiting_.push_back(ticket);
  assign();
  return ticket;
}

bool Pool::cancel(Ticket ticket) {
  const auto found = entries_.find(ticket);
  if (found == entries_.end()) return false;
  auto entry = std::move(found->second);
  entries_.erase(found);
  loop_.cancel(entry.silence_timer);
  if (!entry.link) {
    std::erase(waiting_, ticket);
    return true;
  }
  const auto& connection = entry.link->connection;
  // No byte since it was sent: nobody may be there any more.
  if (connection->last_received() < entry.since) suspect(entry.link);
  const bool unsent = connection->cancel(entry.id);
  left(entry, ticket);
  return unsent;
}

bool Pool::too_many_watches(const Entry& entry) const {
  return speaks_http1_ && entry.is_watch() &&
         watches_ + limits_.http1_kept_for_calls >= limits_.http1_connections;
}

Pool::LinkRef Pool::free_link(const Entry& entry) const {
  if (too_many_watches(entry)) return nullptr;
  for (const auto& link : links_) {
    if (link->serves(entry.tls) && link->running.size() < link->connection->requests_at_once()) {
      return link;
    }
  }
  return nullptr;
}

// Requests find a connection in the order they came; one that needs a new connection does not hold
// up those that do not.
void Pool::assign() {
  std::deque<Ticket> left;
  while (!waiting_.empty()) {
    const auto ticket = waiting_.front();
    waiting_.pop_front();
    const auto found = entries_.find(ticket);
    if (found == entries_.end()) continue;
    if (const auto link = free_link(found->second)) {
      dispatch(ticket, found->second, link);
    } else {
      left.push_back(ticket);
    }
  }
  waiting_ = std::move(left);
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const auto& entry = entries_[waiting_[i]];
    if (may_connect(entry)) connect(entry.tls);
  }
}

void Pool::dispatch(Ticket ticket, Entry& entry, const LinkRef& link) {
  entry.link = link;
  entry.since = loop_.now();
  link->running.insert(ticket);
  if (entry.is_watch()) {
    ++link->watches;
    ++watches_;
  }
  link->connection->set_patient(link->running.size() == link->watches);
  loop_.cancel(link->idle_timer);
  net::ResponseHandlers handlers;
  handlers.on_headers = std::move(entry.handlers.on_headers);
  handlers.on_body = std::move(entry.handlers.on_body);
  const auto unsent = std::make_shared<bool>(false);
  handlers.on_unsent = [unsent] { *unsent = true; };
  handlers.on_end = [this, ticket, unsent, alive = alive_](Result<void> outcome) {
    if (*alive) ended(ticket, std::move(outcome), *unsent);
  };
  entry.id = link->connection->send(std::move(entry.request), std::move(handlers));
  if (entry.is_watch()) watch_silence(ticket);
}

void Pool::ended(Ticket ticket, Result<void> outcome, bool unsent) {
  const auto found = entries_.find(ticket);
  if (found == entries_.end()) return;
  auto entry = std::move(found->second);
  entries_.erase(found);
  loop_.cancel(entry.silence_timer);
  std::erase(waiting_, ticket);
  if (entry.link) left(entry, ticket);
  if (unsent && entry.handlers.on_unsent) entry.handlers.on_unsent();
  if (entry.handlers.on_end) entry.handlers.on_end(std::move(outcome));
}

// A request is off its connection.
void Pool::left(const Entry& entry, Ticket ticket) {
  const auto& link = entry.link;
  link->running.erase(ticket);
  if (entry.is_watch()) {
    --link->watches;
    --watches_;
  }
  link->connection->set_patient(link->running.size() == link->watches);
  if (link->running.empty()) {
    loop_.cancel(link->idle_timer);
    link->idle_timer = loop_.after(limits_.idle, [this, link] { give_up(link); });
  }
  if (waiting_.empty()) return;
  loop_.post_end_of_tick([this, alive = alive_] {
    if (*alive) assign();
  });
}

// One connection at a time until it is known which protocol the server speaks.
bool Pool::may_connect(const Entry& entry) const {
  if (connect_timer_ || resolving_ || too_many_watches(entry)) return false;
  std::size_t connecting = 0;
  std::size_t open = 0;  // those the server is closing end by themselves
  for (const auto& link : links_) {
    if (!link->ready && link->tls == entry.tls) ++connecting;
    if (link->connection->is_open()) ++open;
  }
  if (!speaks_http1_) return connecting == 0 && open < limits_.http2_connections;
  return connecting < waiting_.size() && open < limits_.http1_connections;
}

void Pool::connect(const net::TlsContextRef& tls) {
  const auto& name = server_.proxy ? server_.proxy->host : server_.host;
  if (is_numeric_address(name) || name == "localhost") return open(tls, name);
  if (next_address_ < addresses_.size()) return open(tls, addresses_[next_address_]);
  resolving_ = true;
  background_.run([name] { return resolve_name(name); },
                  [this](Result<std::vector<std::string>> found) {
                    resolving_ = false;
                    if (!found) return could_not_connect(found.error());
                    addresses_ = *std::move(found);
                    next_address_ = 0;
                    assign();
                  });
}

void Pool::open(const net::TlsContextRef& tls, const std::string& address) {
  auto link = std::make_shared<Link>();
  link->id = ++last_link_;
  link->tls = tls;
  net::ClientOptions options;
  options.tls = tls;
  options.port = server_.port;
  options.proxy = server_.proxy;
  options.host = server_.host;
  if (options.proxy) {
    options.proxy->server_name = std::exchange(options.proxy->host, address);
  } else {
    options.host = address;
    options.authority = server_.host.contains(':')
                            ? "[" + server_.host + "]:" + std::to_string(server_.port)
                            : server_.host + ":" + std::to_string(server_.port);
  }
  options.server_name = server_.server_name.empty() ? server_.host : server_.server_name;
  options.connect_timeout = limits_.connect_timeout;
  const std::weak_ptr<Link> weak = link;
  options.on_ready = [this, weak, alive = alive_] {
    const auto self = weak.lock();
    if (*alive && self) link_ready(self);
  };
  options.on_broken = [this, weak, alive = alive_](const Error& why) {
    const auto self = weak.lock();
    if (*alive && self) link_broken(self, why);
  };
  links_.push_back(link);
  link->connection = net::Connection::open(loop_, std::move(options));
}

void Pool::link_ready(const LinkRef& link) {
  link->ready = true;
  failures_ = 0;
  speaks_http1_ = !link->connection->speaks_http2();
  link->idle_timer = loop_.after(limits_.idle, [this, link] { give_up(link); });
  assign();
}

void Pool::link_broken(const LinkRef& link, const Error& why) {
  const auto found = std::ranges::find(links_, link);
  if (found == links_.end()) return;
  links_.erase(found);
  loop_.cancel(link->idle_timer);
  // Deferred: the connection is the one that calls.
  loop_.post_end_of_tick([link] {});
  if (!link->ready) return could_not_connect(why);
  if (!waiting_.empty()) assign();
}

void Pool::could_not_connect(const Error& why) {
  ++next_address_;
  if (next_address_ < addresses_.size()) return assign();
  ++failures_;
  const auto whole =
      std::min(kPauseMax, kFirstPause * (1 << std::min<std::size_t>(failures_ - 1, 10)));
  const auto jitter = rng_.below(static_cast<std::uint64_t>(whole.count()));
  loop_.cancel(connect_timer_);
  connect_timer_ = loop_.after(whole / 2 + Duration{static_cast<Duration::rep>(jitter)}, [this] {
    connect_timer_ = {};
    assign();
  });
  fail_stranded(why);
}

// Those that no connection of theirs will come free for. A connection with other credentials does
// not help them; whoever asked may come back with new ones.
void Pool::fail_stranded(const Error& why) {
  const auto stranded = [this](Ticket ticket) {
    const auto& tls = entries_.at(ticket).tls;
    return std::ranges::none_of(links_, [&](const LinkRef& link) { return link->serves(tls); });
  };
  std::vector<Ticket> failing;
  std::ranges::copy_if(waiting_, std::back_inserter(failing), stranded);
  const auto alive = alive_;
  for (const auto ticket : failing) {
    ended(ticket, std::unexpected(why), true);
    if (!*alive) return;
  }
}

// Its requests get their errors from the connection itself.
void Pool::give_up(const LinkRef& link) {
  link->idle_timer = {};
  link->connection->close();
}

void Pool::watch_silence(Ticket ticket) {
  auto& entry = entries_[ticket];
  entry.silence_timer = loop_.after(entry.silence / 3, [this, ticket] { check_silence(ticket); });
}

void Pool::check_silence(Ticket ticket) {
  const auto found = entries_.find(ticket);
  if (found == entries_.end()) return;
  auto& entry = found->second;
  entry.silence_timer = {};
  const auto link = entry.link;
  const auto heard = std::max(entry.since, link->connection->last_received());
  const auto idle = loop_.now() - heard;
  const bool http2 = link->connection->speaks_http2();
  const auto limit = http2 ? entry.silence : entry.silence * 2;
  if (idle >= limit) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit).count();
    const auto connection = link->connection;
    ended(ticket,
          fail(ErrorKind::Unavailable,
               "no sign of life from the server for " + std::to_string(seconds) + " s"),
          false);
    connection->close();
    return;
  }
  if (http2 && idle >= entry.silence / 3) ping(*link);
  watch_silence(ticket);
}

// Many watches share a connection: one ping is enough until something comes.
void Pool::ping(Link& link) {
  if (link.pinged_at > link.connection->last_received()) return;
  link.pinged_at = loop_.now();
  link.connection->ping();
}

void Pool::suspect(const LinkRef& link) {
  if (!link->ready || !link->connection->speaks_http2()) return;
  ping(*link);
  const auto before = link->connection->last_received();
  const std::weak_ptr<Link> weak = link;
  loop_.after(kPingPatience, [weak, before, alive = alive_] {
    const auto self = weak.lock();
    if (*alive && self && self->connection->last_received() == before) self->connection->close();
  });
}

}  // namespace fixpoint::client
