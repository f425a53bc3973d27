// SPDX-License-Identifier: Apache-2.0
#include "client/http/requester.h"

#include "net/gzip.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::client {
namespace {

// Texts the server warned with and that were passed on; beyond it they are not repeated either.
constexpr std::size_t kWarningsMax = 1000;

}  // namespace

struct Requester::Running {
  std::uint64_t id = 0;
  Ask ask;
  Done done;
  MonotonicInstant deadline{};
  net::TimerId deadline_timer;
  net::TimerId retry_timer;
  int tries = 0;
  bool refreshed = false;  // credentials, after a 401
  bool inside = false;     // the turnstile
  bool over = false;
  // The current attempt.
  AccessRef access;
  Pool::Ticket ticket = 0;
  MonotonicInstant since{};
  HttpAnswer answer;
  bool too_large = false;
  std::optional<CallError> last_failure;  // of an attempt before

  std::string what() const { return ask.outgoing.method + " " + ask.outgoing.target; }
};

Requester::Requester(net::Loop& loop, Pool& pool, AccessSource& access, RequesterOptions options)
    : loop_(loop),
      pool_(pool),
      access_(access),
      options_(std::move(options)),
      host_(pool.server().host + ":" + std::to_string(pool.server().port)),
      turnstile_(options_.in_flight_max) {}

Requester::~Requester() {
  shut_down();
}

void Requester::shut_down() {
  for (auto& [id, running] : std::exchange(running_, {})) {
    running->over = true;
    loop_.cancel(running->deadline_timer);
    loop_.cancel(running->retry_timer);
    if (running->ticket != 0) pool_.cancel(running->ticket);
  }
}

void Requester::run(Ask ask, Done done) {
  auto running = std::make_shared<Running>();
  running->id = ++last_id_;
  running->ask = std::move(ask);
  running->ask.deadline = std::min(running->ask.deadline, options_.deadline_max);
  running->done = std::move(done);
  running->deadline = loop_.clock().monotonic() + running->ask.deadline;
  running_[running->id] = running;
  running->deadline_timer =
      loop_.after(running->ask.deadline, [this, running] { out_of_time(running); });
  // Never from inside: credentials that are at hand may fail at once.
  loop_.post_end_of_tick([this, weak = std::weak_ptr{running}] {
    const auto self = weak.lock();
    if (!self || self->over) return;
    turnstile_.enter(self->ask.caller, [this, self] {
      self->inside = true;
      if (self->over) {
        turnstile_.leave();
      } else {
        attempt(self);
      }
    });
  });
}

void Requester::attempt(const RunningRef& running) {
  ++running->tries;
  running->since = loop_.now();
  running->answer = {};
  running->ticket = 0;
  access_.get([this, weak = std::weak_ptr{running}](Result<AccessRef> access) {
    const auto self = weak.lock();
    if (!self || self->over) return;
    if (!access) {
      const Attempted unsent{.how = Attempted::How::Unsent, .tries = self->tries};
      // What is wrong with the credentials themselves does not get better by asking again.
      if (!access.error().retryable()) {
        return finish(self, std::unexpected(not_sent(access.error().message)));
      }
      return retry_or(self, unsent, not_sent(self->what() + ": " + access.error().message));
    }
    send(self, *access);
  });
}

net::ClientRequest Requester::request_for(const Outgoing& outgoing, const Access& access) const {
  net::ClientRequest request;
  request.method = outgoing.method;
  request.target = pool_.server().path + outgoing.target;
  request.headers.add("user-agent", options_.user_agent);
  request.headers.add("accept", outgoing.accept);
  if (!outgoing.content_type.empty()) request.headers.add("content-type", outgoing.content_type);
  if (!access.authorization.empty()) request.headers.add("authorization", access.authorization);
  if (outgoing.as_user.empty()) {
    for (const auto& [name, value] : options_.impersonation) request.headers.add(name, value);
  } else {
    request.headers.add("impersonate-user", outgoing.as_user);
    for (const auto& group : outgoing.as_groups) request.headers.add("impersonate-group", group);
  }
  if (options_.gzip) request.headers.add("accept-encoding", "gzip");
  request.body = outgoing.body;
  return request;
}

void Requester::send(const RunningRef& running, const AccessRef& access) {
  running->access = access;
  const std::weak_ptr<Running> weak = running;
  const auto unsent = std::make_shared<bool>(false);
  net::ResponseHandlers handlers;
  handlers.on_headers = [weak](int status, const net::Headers& headers) {
    if (const auto self = weak.lock()) {
      self->answer.code = status;
      self->answer.headers = headers;
    }
  };
  handlers.on_body = [weak](std::string_view bytes) {
    const auto self = weak.lock();
    if (!self || self->too_large) return;
    self->answer.wire_bytes += bytes.size();
    self->too_large = self->answer.wire_bytes > kAnswerBytesMax;
    if (!self->too_large) self->answer.body.append(bytes);
  };
  handlers.on_unsent = [unsent] { *unsent = true; };
  handlers.on_end = [this, weak, unsent](Result<void> outcome) {
    const auto self = weak.lock();
    if (self && !self->over) attempt_ended(self, std::move(outcome), *unsent);
  };
  running->ticket =
      pool_.send(access->tls, request_for(running->ask.outgoing, *access), std::move(handlers));
}

Listener::Exchange Requester::exchange_of(const Running& running) const {
  return {.method = running.ask.outgoing.method,
          .verb = running.ask.outgoing.verb,
          .host = host_,
          .code = running.answer.code,
          .took = loop_.clock().monotonic() - running.since};
}

void Requester::note(const Outgoing& outgoing, const HttpAnswer& answer, MonotonicInstant since) {
  if (options_.listener == nullptr) return;
  options_.listener->exchanged({.method = outgoing.method,
                                .verb = outgoing.verb,
                                .host = host_,
                                .code = answer.code,
                                .took = loop_.clock().monotonic() - since});
  for (const auto& warning : warnings_of(answer.headers)) {
    if (warned_.contains(warning) || warned_.size() >= kWarningsMax) continue;
    warned_.insert(warning);
    options_.listener->warned(warning);
  }
}

void Requester::attempt_ended(const RunningRef& running, Result<void> outcome, bool unsent) {
  running->ticket = 0;
  const auto& outgoing = running->ask.outgoing;
  if (running->too_large) {
    return finish(running,
                  std::unexpected(unknown(fmt::format("{}: the answer is larger than {} bytes",
                                                      running->what(), kAnswerBytesMax))));
  }
  note(outgoing, running->answer, running->since);
  if (outcome) return answered(running);
  const auto code = running->answer.code;
  // The head of the answer is enough to know that nothing was done.
  if (code >= 400 && code < 500) return answered(running);
  const auto message = running->what() + ": " + outcome.error().message;
  const Attempted attempt{
      .how = unsent ? Attempted::How::Unsent : Attempted::How::Broken,
      .is_read = outgoing.is_read(),
      .tries = running->tries,
  };
  retry_or(running, attempt, unsent ? not_sent(message) : unknown(message));
}

void Requester::answered(const RunningRef& running) {
  auto& answer = running->answer;
  const bool is_read = running->ask.outgoing.is_read();
  if (answer.headers.has_token("content-encoding", "gzip")) {
    auto plain = net::gunzip(answer.body, kAnswerBytesMax);
    if (!plain) {
      return finish(running, std::unexpected(unknown(running->what() + ": unpack the answer: " +
                                                     plain.error().message)));
    }
    answer.body = *std::move(plain);
  }
  if (answer.ok()) return finish(running, std::move(answer));
  if (answer.code == 401 && refresh(running)) return;
  auto error = refusal(answer, is_read);
  const Attempted attempt{.how = Attempted::How::Answered,
                          .is_read = is_read,
                          .code = answer.code,
                          .retry_after = error.retry_after,
                          .tries = running->tries};
  retry_or(running, attempt, std::move(error));
}

// A 401 comes before anything is done, so that trying once with fresh credentials is safe.
bool Requester::refresh(const RunningRef& running) {
  if (running->refreshed || !access_.reject(running->access)) return false;
  running->refreshed = true;
  if (options_.listener != nullptr) options_.listener->retried(exchange_of(*running));
  attempt(running);
  return true;
}

void Requester::retry_or(const RunningRef& running, const Attempted& attempt_made,
                         CallError error) {
  const auto delay = retry_delay(attempt_made, rng_);
  // A wait that the deadline would cut short is not begun: the caller hears the reason instead.
  if (!delay || loop_.now() + *delay >= running->deadline) {
    return finish(running, std::unexpected(std::move(error)));
  }
  if (options_.listener != nullptr) options_.listener->retried(exchange_of(*running));
  running->last_failure = std::move(error);
  running->retry_timer = loop_.after(*delay, [this, weak = std::weak_ptr{running}] {
    const auto self = weak.lock();
    if (!self || self->over) return;
    self->retry_timer = {};
    attempt(self);
  });
}

void Requester::out_of_time(const RunningRef& running) {
  if (running->over) return;
  running->deadline_timer = {};
  const auto ticket = std::exchange(running->ticket, 0);
  const bool unsent = ticket == 0 || pool_.cancel(ticket);
  if (ticket != 0) note(running->ask.outgoing, running->answer, running->since);
  // An attempt that never left changes nothing about what the one before was told.
  if (unsent && running->last_failure) {
    return finish(running, std::unexpected(*std::move(running->last_failure)));
  }
  auto message = fmt::format(
      "{}: no answer within {} ms", running->what(),
      std::chrono::duration_cast<std::chrono::milliseconds>(running->ask.deadline).count());
  if (running->last_failure) message += "; before that: " + running->last_failure->status.message;
  finish(running,
         std::unexpected(unsent ? not_sent(std::move(message)) : unknown(std::move(message))));
}

void Requester::finish(const RunningRef& running, std::expected<HttpAnswer, CallError> result) {
  if (std::exchange(running->over, true)) return;
  loop_.cancel(running->deadline_timer);
  loop_.cancel(running->retry_timer);
  running_.erase(running->id);
  const auto done = std::make_shared<Done>(std::move(running->done));
  if (running->inside) turnstile_.leave();
  (*done)(std::move(result));
}

}  // namespace fixpoint::client
