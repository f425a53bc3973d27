// SPDX-License-Identifier: Apache-2.0
//
// Background: the few things that block (a plugin that runs, a name that is looked up), done on a
// thread of their own while the loop goes on.
//
// Results come back through the loop, and only while the Background lives; its end does not wait
// for work under way, whose result is then dropped. Work must not touch anything of the loop's.
#pragma once

#include "net/loop.h"

#include <functional>
#include <memory>
#include <mutex>

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
    start([work = std::move(work), done = std::move(done), home = home_]() mutable {
      auto result = work();
      home->post([done = std::move(done), result = std::move(result)]() mutable {
        done(std::move(result));
      });
    });
  }

 private:
  // Outlives the Background in the threads; guarded, since they ask whether the loop is there.
  class Home {
   public:
    explicit Home(net::Loop& loop) : loop_(&loop) {}
    void post(net::Task task);
    void leave();
    bool gone() const { return gone_; }  // on the loop's thread

   private:
    std::mutex mutex_;  // guards loop_
    net::Loop* loop_;
    bool gone_ = false;  // read and written on the loop's thread only
    friend class Background;
    std::weak_ptr<Home> self_;
  };

  static void start(net::Task task);

  std::shared_ptr<Home> home_;
};

}  // namespace fixpoint::client
