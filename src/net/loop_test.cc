// SPDX-License-Identifier: Apache-2.0
#include "net/loop.h"

#include <csignal>
#include <functional>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace fixpoint::net {
namespace {

using namespace std::chrono_literals;

TEST(Loop, RunsTimersInOrderOfTheirDeadlines) {
  VirtualClock clock;
  Loop loop(clock);
  std::string order;
  loop.after(2s, [&] { order += "b"; });
  loop.after(1s, [&] { order += "a"; });
  loop.after(2s, [&] { order += "c"; });
  auto cancelled = loop.after(1s, [&] { order += "x"; });
  loop.cancel(cancelled);

  clock.advance(999ms);
  loop.tick(0s);
  EXPECT_EQ(order, "");
  clock.advance(1ms);
  loop.tick(0s);
  EXPECT_EQ(order, "a");
  clock.advance(10s);
  loop.tick(0s);
  EXPECT_EQ(order, "abc");
}

TEST(Loop, DoesNotRunATimerArmedByATimerInTheSameTick) {
  VirtualClock clock;
  Loop loop(clock);
  int fired = 0;
  std::function<void()> again = [&] {
    ++fired;
    loop.after(0s, [&] { again(); });
  };
  loop.after(0s, [&] { again(); });

  loop.tick(0s);

  EXPECT_EQ(fired, 1);
}

TEST(Loop, RunsEndOfTickWorkAfterEverythingElse) {
  VirtualClock clock;
  Loop loop(clock);
  std::string order;
  loop.post_end_of_tick([&] {
    order += "3";
    loop.post_end_of_tick([&] { order += "4"; });
  });
  loop.after(0s, [&] { order += "2"; });
  loop.post([&] { order += "1"; });

  loop.tick(0s);
  EXPECT_EQ(order, "123");
  loop.tick(1h);  // does not wait: there is work left
  EXPECT_EQ(order, "1234");
}

TEST(Loop, RunsIdleWorkOnceNothingElseIsToBeDone) {
  VirtualClock clock;
  Loop loop(clock);
  std::string order;
  loop.post_when_idle([&] { order += "3"; });
  loop.post_end_of_tick([&] {
    order += "1";
    loop.post_end_of_tick([&] { order += "2"; });
  });

  loop.tick(1h);  // none of these waits: there is work left
  EXPECT_EQ(order, "1");
  loop.tick(1h);
  EXPECT_EQ(order, "12");
  loop.tick(1h);
  EXPECT_EQ(order, "123");
  EXPECT_FALSE(loop.tick(0s));
}

TEST(Loop, DoesNotLetIdleWorkWaitForLongWhileItIsBusy) {
  VirtualClock clock;
  Loop loop(clock);
  bool idle_work_done = false;
  const std::function<void()> keep_busy = [&] { loop.post_end_of_tick(keep_busy); };
  keep_busy();
  loop.post_when_idle([&] { idle_work_done = true; });

  loop.tick(0s);
  EXPECT_FALSE(idle_work_done);
  clock.advance(Loop::kBusyMax);
  loop.tick(0s);
  EXPECT_TRUE(idle_work_done);
}

TEST(Loop, TakesWorkAndTheStopFromOtherThreads) {
  Loop loop;
  int seen = 0;
  std::jthread other([&] {
    for (int i = 0; i < 1000; ++i) loop.post([&] { ++seen; });
    loop.post([&] { loop.stop(); });
  });

  loop.run();

  EXPECT_EQ(seen, 1000);
}

class Doorbell final : public Pollable {
 public:
  Doorbell() : fd(eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Doorbell() override { close(fd); }
  void ready(std::uint32_t) override {
    ++rings;
    if (on_ring) on_ring();
  }

  int fd;
  int rings = 0;
  std::function<void()> on_ring;
};

TEST(Loop, DoesNotCallWhatWasUnwatchedEarlierInTheSameTick) {
  Loop loop;
  Doorbell first;
  Doorbell second;
  loop.watch(first.fd, EPOLLIN, first);
  loop.watch(second.fd, EPOLLIN, second);
  first.on_ring = [&] { loop.unwatch(second.fd, second); };
  second.on_ring = [&] { loop.unwatch(first.fd, first); };

  loop.tick(0s);

  EXPECT_EQ(first.rings + second.rings, 1);
}

TEST(Loop, RunsWhatASocketAskedForAtOnceInTheSameTick) {
  VirtualClock clock;
  Loop loop(clock);
  Doorbell bell;
  loop.watch(bell.fd, EPOLLIN, bell);
  int asked = 0;
  bell.on_ring = [&] {
    clock.advance(1us);  // reading takes time
    loop.after(0s, [&] { ++asked; });
  };

  loop.tick(0s);

  EXPECT_EQ(asked, 1);
  loop.unwatch(bell.fd, bell);
}

TEST(Loop, DeliversSignalsInTheLoop) {
  Loop loop;
  int seen = 0;
  ASSERT_TRUE(loop.on_signal(SIGUSR1, [&] { ++seen; }));

  raise(SIGUSR1);
  EXPECT_EQ(seen, 0);
  ASSERT_TRUE(loop.run_until([&] { return seen > 0; }, 5s));

  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace fixpoint::net
