// SPDX-License-Identifier: Apache-2.0
#include "runtime/manager/loop_scheduler.h"

#include <atomic>
#include <optional>
#include <semaphore>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(LoopScheduler, RunsWhatIsDueAndForgetsWhatIsCancelled) {
  net::Loop loop;
  LoopScheduler scheduler(loop);
  int ran = 0;
  const auto cancelled = scheduler.after(milliseconds(1), [&] { ran += 10; });
  scheduler.after(milliseconds(1), [&] { ++ran; });

  scheduler.cancel(cancelled);
  scheduler.cancel(0);

  EXPECT_TRUE(loop.run_until([&] { return ran > 0; }, seconds(10)));
  EXPECT_EQ(ran, 1);
}

TEST(LoopScheduler, ATimerMaySetTheNext) {
  net::Loop loop;
  LoopScheduler scheduler(loop);
  int ran = 0;
  std::function<void()> again = [&] {
    if (++ran < 5) scheduler.after(milliseconds(0), again);
  };
  scheduler.after(milliseconds(0), again);

  EXPECT_TRUE(loop.run_until([&] { return ran == 5; }, seconds(10)));
}

TEST(ThreadWorkers, AnswersOnTheLoopsThread) {
  net::Loop loop;
  ThreadWorkers workers(loop);
  const auto home = std::this_thread::get_id();
  std::optional<std::int64_t> answer;
  std::atomic<bool> elsewhere = false;

  workers.run(
      seconds(10),
      [&]() -> Result<json::Value> {
        elsewhere = std::this_thread::get_id() != home;
        return json::Value::integer(7);
      },
      [&](Result<json::Value> result) {
        EXPECT_EQ(std::this_thread::get_id(), home);
        answer = result->as_int();
      });

  EXPECT_TRUE(loop.run_until([&] { return answer.has_value(); }, seconds(10)));
  EXPECT_EQ(answer, 7);
  EXPECT_TRUE(elsewhere);
}

TEST(ThreadWorkers, GivesUpAtTheDeadlineAndDropsWhatComesLater) {
  net::Loop loop;
  std::binary_semaphore go(0);
  int answers = 0;
  std::optional<ErrorKind> kind;
  {
    ThreadWorkers workers(loop);
    workers.run(
        milliseconds(5),
        [&]() -> Result<json::Value> {
          go.acquire();
          return json::Value::integer(1);
        },
        [&](Result<json::Value> result) {
          ++answers;
          kind = result.error().kind;
        });
    EXPECT_TRUE(loop.run_until([&] { return answers > 0; }, seconds(10)));
    go.release();
  }
  loop.run_until([] { return false; }, milliseconds(20));

  EXPECT_EQ(answers, 1);
  EXPECT_EQ(kind, ErrorKind::Unavailable);
}

TEST(ThreadWorkers, RunsSeveralAtOnceAndNoMoreThanItMay) {
  net::Loop loop;
  ThreadWorkers workers(loop, 2);
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::counting_semaphore<> go(0);
  int answers = 0;
  for (int i = 0; i < 6; ++i) {
    workers.run(
        seconds(10),
        [&]() -> Result<json::Value> {
          const int now = ++running;
          loop.post([] {});  // so that the loop looks
          int seen = most;
          while (seen < now && !most.compare_exchange_weak(seen, now)) {
          }
          go.acquire();
          --running;
          return json::Value{};
        },
        [&](Result<json::Value>) { ++answers; });
  }
  EXPECT_TRUE(loop.run_until([&] { return running == 2; }, seconds(10)));
  go.release(6);

  EXPECT_TRUE(loop.run_until([&] { return answers == 6; }, seconds(10)));
  EXPECT_EQ(most, 2);
}

}  // namespace
}  // namespace fixpoint::runtime
