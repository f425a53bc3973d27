// SPDX-License-Identifier: Apache-2.0
//
// Requester: one request from its first attempt to its last: credentials, retries, the deadline.
//
// Invariant: `done` is called exactly once, from the loop, with an answer of 2xx or with an error
// whose fate is right (call.h). Read next: retry.h (when again), pool.h (over which connection).
#pragma once

#include "base/rng.h"
#include "client/access.h"
#include "client/client.h"
#include "client/http/answer.h"
#include "client/http/outgoing.h"
#include "client/http/pool.h"
#include "client/http/retry.h"
#include "client/http/turnstile.h"
#include "net/loop.h"

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

namespace fixpoint::client {

// A page or an object held in memory; pages are asked for by the few hundred to stay far below.
inline constexpr std::size_t kAnswerBytesMax = std::size_t{64} << 20U;

struct RequesterOptions {
  std::string user_agent = "fixpoint";
  net::Headers impersonation;  // of every request that names nobody itself
  // Lists shrink tenfold, at more CPU on both sides: for far servers.
  bool gzip = false;
  std::size_t in_flight_max = 0;  // 0: no limit
  // No call waits longer, whatever it asks for.
  Duration deadline_max = Duration::max();
  Listener* listener = nullptr;  // outlives the client
};

class Requester {
 public:
  using Done = std::move_only_function<void(std::expected<HttpAnswer, CallError>)>;

  Requester(net::Loop& loop, Pool& pool, AccessSource& access, RequesterOptions options);
  ~Requester();
  Requester(const Requester&) = delete;
  Requester& operator=(const Requester&) = delete;

  struct Ask {
    Outgoing outgoing;
    Duration deadline{};
    std::string caller;  // whose turn it is when there is a limit
  };
  void run(Ask ask, Done done);

  // Forgets everything under way: the pool is about to go.
  void shut_down();

  // For watches, which have a life of their own.
  net::ClientRequest request_for(const Outgoing& outgoing, const Access& access) const;
  void note(const Outgoing& outgoing, const HttpAnswer& answer, MonotonicInstant since);
  net::Loop& loop() { return loop_; }
  Pool& pool() { return pool_; }
  AccessSource& access() { return access_; }

 private:
  struct Running;
  using RunningRef = std::shared_ptr<Running>;

  void attempt(const RunningRef& running);
  void send(const RunningRef& running, const AccessRef& access);
  void attempt_ended(const RunningRef& running, Result<void> outcome, bool unsent);
  void answered(const RunningRef& running);
  bool refresh(const RunningRef& running);
  void retry_or(const RunningRef& running, const Attempted& attempt, CallError error);
  void out_of_time(const RunningRef& running);
  void finish(const RunningRef& running, std::expected<HttpAnswer, CallError> result);
  Listener::Exchange exchange_of(const Running& running) const;

  net::Loop& loop_;
  Pool& pool_;
  AccessSource& access_;
  RequesterOptions options_;
  std::string host_;
  Rng rng_ = Rng::from_kernel();
  Turnstile turnstile_;
  std::unordered_map<std::uint64_t, RunningRef> running_;
  std::uint64_t last_id_ = 0;
  std::set<std::string, std::less<>> warned_;  // at most kWarningsMax
};

}  // namespace fixpoint::client
