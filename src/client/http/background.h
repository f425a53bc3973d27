// SPDX-License-Identifier: Apache-2.0
//
// Background: the few things that block (a plugin that runs, a name that is looked up), done on a
// thread of their own while the loop goes on.
//
// Results come back through the loop, and only while the Background lives; its end does not wait
// for work under way, whose result is then dropped. Work must not touch anything of the loop's, and
// what is to be done with its result stays with the loop: it never is, nor ends, on another thread.
#pragma once

#include "net/loop.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace fixpoint::client {

class Background {
 public:
  explicit Background(net::Loop& loop);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Runs `work` on another thread, then `done` with what it returned on the loop.
  template <class Work, class Done>
  void run(Work work, Done done) {
    // Written there, read here, one after the other.
    auto result = std::make_shared<std::optional<std::invoke_result_t<Work&>>>();
    const auto ticket =
        home_->keep([result, done = std::move(done)]() mutable { done(**std::move(result)); });
    start([work = std::move(work), result, ticket, home = home_]() mutable {
      result->emplace(work());
      home->finished(ticket);
    });
  }

 private:
  // Outlives the Background in the threads; guarded, since they ask whether the loop is there.
  class Home : public std::enable_shared_from_this<Home> {
   public:
    explicit Home(net::Loop& loop) : loop_(&loop) {}
    // On the loop's thread: what waits for the end of some work, and that nobody waits any more.
    std::uint64_t keep(net::Task done);
    void leave();
    // On any thread.
    void finished(std::uint64_t ticket);

   private:
    std::mutex mutex_;  // guards loop_
    net::Loop* loop_;
    std::uint64_t last_ticket_ = 0;                         // on the loop's thread only, as is
    std::unordered_map<std::uint64_t, net::Task> waiting_;  // this
  };

  static void start(net::Task task);

  std::shared_ptr<Home> home_;
};

}  // namespace fixpoint::client
