// SPDX-License-Identifier: Apache-2.0
#include "runtime/controller/work_queue.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicInstant kStart{};

kube::Key key(std::string name) {
  return {"ns", std::move(name)};
}

class WorkQueueTest : public testing::Test {
 protected:
  WorkQueue::Taken take(MonotonicInstant now = kStart) {
    const auto taken = queue_.take(now);
    EXPECT_TRUE(taken.has_value());
    return taken.value_or(WorkQueue::Taken{});
  }
  std::string name(const WorkQueue::Taken& taken) const { return queue_.key(taken.slot).name; }
  std::string run(MonotonicInstant now = kStart, WorkQueue::Finish finish = {}) {
    const auto taken = queue_.take(now);
    if (!taken) return "";
    const std::string taken_name = name(*taken);
    queue_.finish(taken->slot, finish, now);
    return taken_name;
  }

  WorkQueue queue_{QueueSettings{}, Rng{7}};
};

TEST_F(WorkQueueTest, HandsOutAKeyOnceHoweverOftenItWasAdded) {
  for (int i = 0; i < 3; ++i) queue_.add(key("a"), kFreshPriority, kStart);

  EXPECT_EQ(run(), "a");
  EXPECT_EQ(run(), "");
  EXPECT_EQ(queue_.size(), 0U);
  EXPECT_EQ(queue_.statistics().adds, 1U);
}

TEST_F(WorkQueueTest, Rule2GivesAKeyToOnePassAtATimeAndOnceMoreAfterwards) {
  queue_.add(key("a"), kFreshPriority, kStart);
  const auto first = take();
  queue_.add(key("a"), kFreshPriority, kStart);
  queue_.add(key("a"), kFreshPriority, kStart);
  EXPECT_FALSE(queue_.take(kStart).has_value());

  queue_.finish(first.slot, {}, kStart);

  EXPECT_EQ(run(), "a");
  EXPECT_EQ(run(), "");
}

TEST_F(WorkQueueTest, WithoutRule2TwoPassesGetOneKey) {
  WorkQueue queue{QueueSettings{.one_pass_per_key = false}, Rng{7}};
  queue.add(key("a"), kFreshPriority, kStart);
  const auto first = queue.take(kStart);
  queue.add(key("a"), kFreshPriority, kStart);

  const auto second = queue.take(kStart);

  ASSERT_TRUE(second.has_value());
  queue.finish(first->slot, {}, kStart);
  queue.finish(second->slot, {}, kStart);
  EXPECT_EQ(queue.size(), 0U);
}

TEST_F(WorkQueueTest, FreshChangesOvertakeTheInitialList) {
  queue_.add(key("old1"), kBulkPriority, kStart);
  queue_.add(key("old2"), kBulkPriority, kStart);
  queue_.add(key("new"), kFreshPriority, kStart);
  queue_.add(key("old2"), kFreshPriority, kStart);

  EXPECT_EQ(run(), "new");
  EXPECT_EQ(run(), "old2");
  EXPECT_EQ(run(), "old1");
}

TEST_F(WorkQueueTest, IsFairInsideAPriority) {
  for (const char* name : {"c", "a", "b"}) queue_.add(key(name), kFreshPriority, kStart);

  EXPECT_EQ(run(), "c");
  EXPECT_EQ(run(), "a");
  EXPECT_EQ(run(), "b");
}

TEST_F(WorkQueueTest, BacksOffTwiceAsLongEachTimeUpToItsLimit) {
  queue_.add(key("a"), kFreshPriority, kStart);
  MonotonicInstant now = kStart;
  Duration expected = 5ms;
  for (int failure = 0; failure < 25; ++failure) {
    ASSERT_EQ(run(now, {.failed = true}), "a");
    const auto due = queue_.next_due();
    ASSERT_TRUE(due.has_value());
    EXPECT_LE(*due - now, expected);
    EXPECT_GE(*due - now, expected * 3 / 4);
    EXPECT_EQ(run(*due - 1ns), "");
    now = *due;
    expected = std::min<Duration>(expected * 2, 1000s);
  }
  EXPECT_EQ(queue_.statistics().retries, 25U);
}

TEST_F(WorkQueueTest, SuccessForgetsFailures) {
  queue_.add(key("a"), kFreshPriority, kStart);
  run(kStart, {.failed = true});
  const auto later = kStart + 1s;
  EXPECT_EQ(run(later, {.failed = true}), "a");
  EXPECT_EQ(queue_.failures(key("a")), 2U);

  queue_.add(key("a"), kFreshPriority, later);
  EXPECT_EQ(run(later), "a");

  EXPECT_EQ(queue_.failures(key("a")), 0U);
  EXPECT_FALSE(queue_.next_due().has_value());
  EXPECT_EQ(queue_.size(), 0U);
}

TEST_F(WorkQueueTest, EventsDoNotInflateTheBackoff) {
  queue_.add(key("a"), kFreshPriority, kStart);
  for (int i = 0; i < 10; ++i) run(kStart + 2000s * i, {.failed = true});
  const auto now = kStart + 18000s;
  const auto due = queue_.next_due();
  ASSERT_TRUE(due.has_value());

  for (int event = 0; event < 20; ++event) {
    queue_.add(key("a"), kFreshPriority, now);
    ASSERT_EQ(run(now, {.failed = true}), "a");
  }

  EXPECT_EQ(queue_.failures(key("a")), 10U);
  EXPECT_EQ(queue_.next_due(), due);
}

TEST_F(WorkQueueTest, OfTwoTimesTheEarlierWinsAndAnEventLosesNeither) {
  queue_.add_at(key("a"), kFreshPriority, kStart + 10s);
  queue_.add_at(key("a"), kFreshPriority, kStart + 5s);
  queue_.add_at(key("a"), kFreshPriority, kStart + 20s);
  EXPECT_EQ(queue_.next_due(), kStart + 5s);
  queue_.add(key("a"), kFreshPriority, kStart);

  EXPECT_EQ(run(kStart), "a");

  EXPECT_EQ(queue_.next_due(), kStart + 5s);
  EXPECT_EQ(run(kStart + 4s), "");
  EXPECT_EQ(run(kStart + 5s), "a");
}

TEST_F(WorkQueueTest, ATimeThatComesWhileThePassRunsStartsAnother) {
  queue_.add(key("a"), kFreshPriority, kStart);
  const auto running = take();
  queue_.add_at(key("a"), kFreshPriority, kStart + 1s);
  EXPECT_FALSE(queue_.take(kStart + 2s).has_value());

  queue_.finish(running.slot, {}, kStart + 2s);

  EXPECT_EQ(run(kStart + 2s), "a");
}

TEST_F(WorkQueueTest, RefusesMoreThanItsBound) {
  WorkQueue queue{QueueSettings{.keys_max = 2}, Rng{7}};

  EXPECT_TRUE(queue.add(key("a"), 0, kStart));
  EXPECT_TRUE(queue.add(key("b"), 0, kStart));
  EXPECT_FALSE(queue.add(key("c"), 0, kStart));
  EXPECT_TRUE(queue.add(key("a"), 0, kStart));
}

TEST_F(WorkQueueTest, KnowsHowLongKeysWaitAndPassesRun) {
  queue_.add(key("a"), kFreshPriority, kStart);
  queue_.add(key("b"), kBulkPriority, kStart + 1s);
  const auto a = take(kStart + 3s);
  const auto b = take(kStart + 5s);

  EXPECT_EQ(a.waited, 3s);
  EXPECT_EQ(b.waited, 4s);
  EXPECT_EQ(queue_.running_for(kStart + 6s).all, 4s);
  EXPECT_EQ(queue_.running_for(kStart + 6s).longest, 3s);
  EXPECT_EQ(queue_.finish(a.slot, {}, kStart + 6s), 3s);
  EXPECT_EQ(queue_.running(), 1U);
}

TEST_F(WorkQueueTest, ACopyGoesItsOwnWay) {
  queue_.add(key("a"), kFreshPriority, kStart);
  WorkQueue copy = queue_;

  EXPECT_EQ(run(), "a");

  EXPECT_EQ(queue_.size(), 0U);
  EXPECT_EQ(copy.ready(), 1U);
}

// The queue beside the simplest thing that could be right, for 200,000 random steps.
class Model {
 public:
  void add(const std::string& name, Priority priority) {
    if (running_.contains(name)) {
      auto [at, fresh] = again_.try_emplace(name, priority);
      if (!fresh) at->second = std::max(at->second, priority);
    } else if (const auto found = priority_.find(name); found == priority_.end()) {
      push(name, priority);
    } else if (found->second < priority) {
      std::erase(order_[found->second], name);
      push(name, priority);
    }
  }
  std::string take() {
    for (auto level = order_.rbegin(); level != order_.rend(); ++level) {
      if (level->second.empty()) continue;
      const std::string name = level->second.front();
      level->second.erase(level->second.begin());
      priority_.erase(name);
      running_.insert(name);
      return name;
    }
    return "";
  }
  void finish(const std::string& name) {
    running_.erase(name);
    if (const auto found = again_.find(name); found != again_.end()) {
      push(name, found->second);
      again_.erase(found);
    }
  }
  std::size_t size() const { return priority_.size() + running_.size(); }

 private:
  void push(const std::string& name, Priority priority) {
    order_[priority].push_back(name);
    priority_[name] = priority;
  }
  std::map<Priority, std::vector<std::string>> order_;
  std::map<std::string, Priority> priority_;
  std::set<std::string> running_;
  std::map<std::string, Priority> again_;
};

TEST_F(WorkQueueTest, AgreesWithAModelUnderRandomUse) {
  Model model;
  Rng rng{99};
  std::vector<SlotNumber> running;
  for (int step = 0; step < 200'000; ++step) {
    const auto choice = rng.below(10);
    if (choice < 5) {
      const std::string name = std::to_string(rng.below(60));
      const auto priority = static_cast<Priority>(rng.below(3)) * 100 - 100;
      queue_.add(key(name), priority, kStart);
      model.add(name, priority);
    } else if (choice < 8 && running.size() < 8) {
      const auto taken = queue_.take(kStart);
      ASSERT_EQ(taken ? name(*taken) : "", model.take());
      if (taken) running.push_back(taken->slot);
    } else if (!running.empty()) {
      const auto at = static_cast<std::ptrdiff_t>(rng.below(running.size()));
      const SlotNumber slot = running[static_cast<std::size_t>(at)];
      model.finish(queue_.key(slot).name);
      queue_.finish(slot, {}, kStart);
      running.erase(running.begin() + at);
    }
    ASSERT_EQ(queue_.size(), model.size());
  }
}

// Failures and times: whatever happens, a key with a reason to run is never forgotten.
TEST_F(WorkQueueTest, NeverForgetsAKeyThatHasAReasonToRun) {
  Rng rng{5};
  std::map<std::string, MonotonicInstant> must_run_by;
  MonotonicInstant now = kStart;
  for (int step = 0; step < 50'000; ++step) {
    now += std::chrono::milliseconds(rng.below(20));
    const std::string some = std::to_string(rng.below(20));
    if (rng.below(3) == 0) {
      queue_.add(key(some), kFreshPriority, now);
      must_run_by[some] = now;
    }
    while (const auto taken = queue_.take(now)) {
      const std::string taken_name = name(*taken);
      must_run_by.erase(taken_name);
      WorkQueue::Finish finish;
      if (rng.below(4) == 0) finish.again = std::chrono::milliseconds(1 + rng.below(50));
      if (finish.again) must_run_by[taken_name] = now + *finish.again;
      finish.failed = rng.below(4) == 0;
      queue_.finish(taken->slot, finish, now);
    }
    for (const auto& [waiting, by] : must_run_by) ASSERT_GT(by, now) << waiting;
  }
  EXPECT_LE(queue_.size(), 20U);
}

}  // namespace
}  // namespace fixpoint::runtime
