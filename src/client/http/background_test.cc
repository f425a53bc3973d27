// SPDX-License-Identifier: Apache-2.0
#include "client/http/background.h"

#include "net/loop.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace fixpoint::client {
namespace {

// Counts its copies, and those that ended on another thread than the first one began on.
class Witness {
 public:
  struct Account {
    std::thread::id home = std::this_thread::get_id();
    std::atomic<int> alive = 0;
    std::atomic<int> ended_elsewhere = 0;
  };

  explicit Witness(Account& account) : account_(account) { ++account_.alive; }
  Witness(const Witness& other) : account_(other.account_) { ++account_.alive; }
  Witness& operator=(const Witness&) = delete;
  ~Witness() {
    --account_.alive;
    if (std::this_thread::get_id() != account_.home) ++account_.ended_elsewhere;
  }

 private:
  Account& account_;
};

// Says when the thread has let go of its work.
class AtTheEnd {
 public:
  explicit AtTheEnd(std::promise<void>& ended) : ended_(&ended) {}
  AtTheEnd(AtTheEnd&& other) noexcept : ended_(std::exchange(other.ended_, nullptr)) {}
  AtTheEnd& operator=(AtTheEnd&&) = delete;
  ~AtTheEnd() {
    if (ended_ != nullptr) ended_->set_value();
  }

 private:
  std::promise<void>* ended_;
};

TEST(Background, WhatIsDoneWithAResultIsOfTheLoopsThreadToItsEnd) {
  net::Loop loop;
  Background background(loop);
  Witness::Account account;
  std::promise<void> ended;
  int seen = 0;

  {
    // Const, so that moving what holds it leaves a copy behind.
    const Witness witness(account);
    background.run([end = AtTheEnd(ended)] { return 7; },
                   [&seen, witness](int result) { seen = result; });
  }
  ASSERT_TRUE(loop.run_until([&] { return seen != 0; }, std::chrono::seconds(60)));
  ended.get_future().wait();

  EXPECT_EQ(seen, 7);
  EXPECT_EQ(account.alive, 0);
  EXPECT_EQ(account.ended_elsewhere, 0);
}

TEST(Background, ThatEndsBeforeItsWorkLeavesNothingOfTheLoopBehind) {
  net::Loop loop;
  auto background = std::make_unique<Background>(loop);
  Witness::Account account;
  std::promise<void> go;
  std::promise<void> ended;

  {
    const Witness witness(account);
    background->run(
        [end = AtTheEnd(ended), may = go.get_future()]() mutable {
          may.wait();
          return 7;
        },
        [witness](int) { FAIL() << "nobody is there to be told"; });
  }
  background.reset();

  EXPECT_EQ(account.alive, 0);
  go.set_value();
  ended.get_future().wait();
  EXPECT_EQ(account.ended_elsewhere, 0);
}

}  // namespace
}  // namespace fixpoint::client
