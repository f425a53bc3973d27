// SPDX-License-Identifier: Apache-2.0
//
// FaultyClient: everything that can go wrong between a client and a server, at random and by seed.
//
// Requests fail before they arrive, answers are lost after the server acted, come late, or are from
// the past; watches are cut, fall silent, lag, repeat themselves, send nonsense and expire. What
// the server does is true all the same: after calm() everything that is asked again is answered
// well.
#pragma once

#include "base/rng.h"
#include "client/client.h"
#include "runtime/scheduler.h"
#include "runtime/test_replies.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fixpoint::runtime {

class FaultyClient final : public client::Client {
 public:
  FaultyClient(client::Client& inner, Scheduler& scheduler, Rng rng)
      : inner_(inner), scheduler_(scheduler), rng_(rng) {}

  void calm() { calm_ = true; }
  struct Counts {
    int lost_calls = 0;
    int lost_answers = 0;
    int past_lists = 0;
    int expired = 0;
    int cut_watches = 0;
    int repeated_events = 0;
  } counts;

  void call(client::Call call, Done done) override {
    if (happens(10)) {
      ++counts.lost_calls;
      return later(
          [done = shared(std::move(done)), error = trouble()] { (*done)(std::unexpected(error)); });
    }
    const bool lose = happens(10);
    counts.lost_answers += lose ? 1 : 0;
    inner_.call(std::move(call), [this, lose, done = shared(std::move(done))](client::Reply reply) {
      later([lose, done, reply = std::move(reply)]() mutable {
        (*done)(lose ? std::unexpected(lost()) : std::move(reply));
      });
    });
  }

  void list(client::ListCall call, PageDone done) override {
    auto kept = shared(std::move(done));
    if (happens(6)) {
      const bool expired = !call.continue_token.empty() && rng_.below(2) == 0;
      counts.expired += expired ? 1 : 0;
      const auto error = expired ? refused(410, "Expired") : trouble();
      return later([kept, error] { (*kept)(std::unexpected(error)); });
    }
    if (const auto past = call.continue_token.empty() ? past_page(call) : std::nullopt) {
      ++counts.past_lists;
      return later([kept, page = *past] { (*kept)(page); });
    }
    const auto who = call.collection;
    const bool whole = call.continue_token.empty();
    inner_.list(std::move(call), [this, who, whole, kept](client::PageReply reply) {
      if (reply && whole && reply->continue_token.empty()) past_[who].push_back(*reply);
      later([kept, reply = std::move(reply)]() mutable { (*kept)(std::move(reply)); });
    });
  }

  void resolve(kube::GroupVersionKind kind, Resolved done) override {
    inner_.resolve(std::move(kind), std::move(done));
  }

  std::unique_ptr<client::Watching> watch(client::WatchCall call,
                                          client::WatchHandlers handlers) override {
    auto lagging = std::make_shared<Lagging>();
    lagging->handlers = std::move(handlers);
    if (happens(6)) {
      ++counts.expired;
      deliver(lagging, refused(410, "Expired"));
      return std::make_unique<Handle>(lagging);
    }
    lagging->inner = inner_.watch(
        std::move(call),
        {[this, weak = std::weak_ptr(lagging)](client::WatchEvent event) {
           if (const auto on = weak.lock()) deliver(on, std::move(event));
         },
         [this, weak = std::weak_ptr(lagging)](std::optional<client::CallError> error) {
           if (const auto on = weak.lock()) deliver(on, std::move(error));
         }});
    return std::make_unique<Handle>(lagging);
  }

 private:
  using End = std::optional<client::CallError>;
  // News on their way: they keep their order, whatever their lag.
  struct Lagging {
    client::WatchHandlers handlers;
    std::unique_ptr<client::Watching> inner;
    std::deque<std::variant<client::WatchEvent, End>> queue;
    std::vector<client::WatchEvent> delivered;
    bool open = true;
  };
  class Handle final : public client::Watching {
   public:
    explicit Handle(std::shared_ptr<Lagging> watch) : watch_(std::move(watch)) {}
    ~Handle() override {
      watch_->open = false;
      watch_->inner.reset();
    }

   private:
    std::shared_ptr<Lagging> watch_;
  };

  template <class F>
  static std::shared_ptr<F> shared(F f) {
    return std::make_shared<F>(std::move(f));
  }
  bool happens(std::uint64_t one_in) { return !calm_ && rng_.below(one_in) == 0; }
  Duration lag() {
    if (calm_) return {};
    return std::chrono::milliseconds(rng_.below(4) == 0 ? rng_.below(5'000) : rng_.below(20));
  }
  template <class Task>
  void later(Task task) {
    scheduler_.after(lag(), std::move(task));
  }

  client::CallError trouble() {
    switch (rng_.below(4)) {
      case 0: {
        auto error = refused(429, "TooManyRequests");
        error.retry_after = std::chrono::seconds(rng_.below(3));
        return error;
      }
      case 1: return refused(500, "InternalError");
      case 2: return refused(401, "Unauthorized");
      default: return lost(client::Fate::NotSent);
    }
  }

  std::optional<client::Page> past_page(const client::ListCall& call) {
    const auto& kept = past_[call.collection];
    if (kept.empty() || !happens(4)) return std::nullopt;
    return kept[rng_.below(kept.size())];
  }

  template <class News>
  void deliver(const std::shared_ptr<Lagging>& watch, News news) {
    watch->queue.emplace_back(std::move(news));
    later([this, watch] { pump(watch); });
  }

  void pump(const std::shared_ptr<Lagging>& watch) {
    if (!watch->open || watch->queue.empty()) return;
    auto news = std::move(watch->queue.front());
    watch->queue.pop_front();
    if (auto* end = std::get_if<End>(&news)) return end_watch(*watch, *end);
    auto& event = std::get<client::WatchEvent>(news);
    watch->delivered.push_back(event);
    watch->handlers.on_event(std::move(event));
    if (watch->open && happens(8)) {
      ++counts.repeated_events;
      watch->handlers.on_event(watch->delivered[rng_.below(watch->delivered.size())]);
    }
    if (watch->open && happens(8)) {
      watch->handlers.on_event({client::EventType::Modified, json::Value::integer(7)});
    }
    if (!watch->open || !happens(10)) return;
    ++counts.cut_watches;
    const auto how = rng_.below(3);
    end_watch(*watch, how == 0 ? End{} : how == 1 ? End{lost()} : End{refused(410, "Gone")});
  }

  static void end_watch(Lagging& watch, const End& why) {
    watch.open = false;
    watch.handlers.on_end(why);
  }

  client::Client& inner_;
  Scheduler& scheduler_;
  Rng rng_;
  bool calm_ = false;
  std::map<client::Collection, std::vector<client::Page>> past_;
};

}  // namespace fixpoint::runtime
