// SPDX-License-Identifier: Apache-2.0
#include "runtime/election/elector.h"

#include "runtime/election/lease_server.h"

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// One process that takes part.
struct Candidate {
  Candidate(VirtualScheduler& world, LeaseServer& server, const std::string& identity,
            std::uint64_t seed)
      : scheduler(world),
        client(world, scheduler, server, Rng(seed)),
        elector(std::make_unique<Elector>(
            client, scheduler, Rng(seed + 1),
            ElectionOptions{
                .lease = {"default", "web"},
                  .identity = identity
  },
            Elector::Handlers{.on_leading = [this] { ++led; },
                              .on_lost = [this](std::string_view w) { why = w; },
                              .on_other = [this](std::string_view h) { other = h; },
                              .on_problem = [this](std::string_view p) { problem = p; }})) {
    elector->start();
  }
  bool may_write() const { return elector && elector->may_write(); }
  bool leads() const { return elector && elector->leads(); }

  ProcessScheduler scheduler;
  LossyClient client;
  std::unique_ptr<Elector> elector;
  int led = 0;
  std::string why;
  std::string other;
  std::string problem;
};

class Election : public testing::Test {
 protected:
  json::View spec() const { return server.lease()->get("spec"); }

  VirtualScheduler world;
  LeaseServer server;
};

TEST_F(Election, TheFirstLeadsAndTheSecondWaits) {
  Candidate a(world, server, "a", 1);
  world.advance(seconds(1));
  Candidate b(world, server, "b", 2);

  world.advance(seconds(60));

  EXPECT_TRUE(a.may_write());
  EXPECT_FALSE(b.leads());
  EXPECT_EQ(b.other, "a");
  EXPECT_EQ(a.led, 1);
  EXPECT_EQ(spec().get("holderIdentity").as_string(), "a");
  EXPECT_EQ(spec().get("leaseDurationSeconds").as_int(), 15);
  EXPECT_EQ(spec().get("leaseTransitions").as_int(), 0);
}

TEST_F(Election, ACleanStopHandsOverWithinOneRetry) {
  Candidate a(world, server, "a", 1);
  world.advance(seconds(1));
  Candidate b(world, server, "b", 2);
  world.advance(seconds(30));

  bool stopped = false;
  a.elector->stop([&] { stopped = true; });
  EXPECT_FALSE(a.may_write()) << "the fence closes before the lease is given back";
  world.advance(milliseconds(2'500));

  EXPECT_TRUE(stopped);
  EXPECT_EQ(a.why, "");
  EXPECT_TRUE(b.may_write());
  EXPECT_EQ(spec().get("leaseTransitions").as_int(), 1);
}

TEST_F(Election, AStopWhileARenewalIsUnderWayStillGivesTheLeaseBack) {
  Candidate a(world, server, "a", 1);
  world.advance(seconds(1));
  while (server.writes() < 2) world.run_next();  // the renewal is stored, its answer under way

  a.elector->stop([] {});
  world.advance(seconds(1));

  EXPECT_EQ(spec().get("holderIdentity").as_string(), "");
}

TEST_F(Election, AKilledLeaderIsReplacedWhenItsLeaseRanOut) {
  Candidate a(world, server, "a", 1);
  world.advance(seconds(1));
  Candidate b(world, server, "b", 2);
  world.advance(seconds(30));

  a.elector.reset();
  world.advance(seconds(12));
  EXPECT_FALSE(b.leads());
  world.advance(seconds(6));

  EXPECT_TRUE(b.may_write());
}

TEST_F(Election, ALeaderThatCannotRenewStopsBeforeAnotherLeads) {
  Candidate a(world, server, "a", 1);
  world.advance(seconds(1));
  Candidate b(world, server, "b", 2);
  world.advance(seconds(30));

  a.client.network.cut = true;
  world.advance(milliseconds(10'100));

  EXPECT_FALSE(a.may_write());
  EXPECT_EQ(a.why, "it could not be renewed in time");
  EXPECT_FALSE(b.leads());
  world.advance(seconds(10));
  EXPECT_TRUE(b.may_write());
  a.client.network.cut = false;
  world.advance(seconds(30));
  EXPECT_FALSE(a.leads());
  EXPECT_NE(a.problem, "");
}

TEST_F(Election, AStoppedProcessThatWakesUpDoesNotWrite) {
  Candidate a(world, server, "a", 1);
  world.advance(seconds(1));
  Candidate b(world, server, "b", 2);
  world.advance(seconds(30));

  a.scheduler.stop();
  world.advance(seconds(60));

  EXPECT_TRUE(b.may_write());
  EXPECT_TRUE(a.leads()) << "it has not run since and knows nothing";
  EXPECT_FALSE(a.may_write()) << "yet its next write is refused";
  a.scheduler.go_on();
  world.advance(seconds(5));
  EXPECT_FALSE(a.leads());
  EXPECT_TRUE(b.may_write());
}

TEST_F(Election, AMachineWhoseMonotonicClockSleptDoesNotWrite) {
  Candidate a(world, server, "a", 1);
  world.advance(seconds(1));
  ASSERT_TRUE(a.may_write());

  a.scheduler.step_wall(seconds(60));
  EXPECT_FALSE(a.may_write());

  world.advance(seconds(3));
  EXPECT_TRUE(a.may_write()) << "a renewal opens it again";
  EXPECT_EQ(a.led, 1);
}

TEST_F(Election, ClocksThatJumpOrDisagreeChangeNobodysMind) {
  Candidate a(world, server, "a", 1);
  Candidate b(world, server, "b", 2);
  world.advance(seconds(1));
  const bool first = a.leads();

  for (const auto step : {-86'400, 3'600, 86'400, -7'200}) {
    a.scheduler.step_wall(seconds(step));
    b.scheduler.step_wall(seconds(-step));
    world.advance(seconds(30));
    EXPECT_EQ(a.leads(), first);
    EXPECT_EQ(b.leads(), !first);
    EXPECT_TRUE(a.may_write() || b.may_write());
  }
  EXPECT_EQ(a.led + b.led, 1);
}

TEST_F(Election, AStolenLeaseIsNoticed) {
  Candidate a(world, server, "a", 1);
  world.advance(seconds(1));

  auto stolen = json::Draft(*server.lease());
  stolen.object_at("spec")["holderIdentity"] = "thief";
  server.store(stolen.freeze());
  world.advance(seconds(3));

  EXPECT_FALSE(a.leads());
  EXPECT_EQ(a.why, "thief took the lease");
  world.advance(seconds(20));
  EXPECT_TRUE(a.may_write()) << "the thief never renewed";
  EXPECT_EQ(a.led, 2);
}

TEST_F(Election, ALabelOnTheLeaseIsKeptAndIsNoSignOfLife) {
  Candidate a(world, server, "a", 1);
  world.advance(seconds(1));
  Candidate b(world, server, "b", 2);
  world.advance(seconds(10));
  a.elector.reset();

  for (int i = 0; i < 20; ++i) {
    auto labelled = json::Draft(*server.lease());
    labelled.object_at("metadata").object_at("labels")["seen"] = std::to_string(i);
    server.store(labelled.freeze());
    world.advance(seconds(1));
  }

  EXPECT_TRUE(b.leads());
  EXPECT_TRUE(server.lease()->get("metadata", "labels").contains("seen"));
}

TEST_F(Election, ALabelPutOnTheLeaseDoesNotUnseatTheLeader) {
  Candidate a(world, server, "a", 1);
  world.advance(seconds(1));

  auto labelled = json::Draft(*server.lease());
  labelled.object_at("metadata").object_at("labels")["seen"] = "yes";
  server.store(labelled.freeze());
  world.advance(seconds(30));

  EXPECT_TRUE(a.may_write());
  EXPECT_EQ(a.led, 1);
}

TEST_F(Election, ADeletedLeaseIsMadeAgain) {
  Candidate a(world, server, "a", 1);
  world.advance(seconds(1));

  server.remove();
  world.advance(seconds(6));

  EXPECT_TRUE(a.may_write());
  EXPECT_EQ(a.led, 2) << "it was lost in between, since anybody could have taken it";
}

TEST_F(Election, AnIdleLeaderSendsOneRequestARetryPeriod) {
  Candidate a(world, server, "a", 1);
  world.advance(seconds(1));
  const int before = server.writes();

  world.advance(seconds(100));

  EXPECT_GE(server.writes() - before, 40);
  EXPECT_LE(server.writes() - before, 50);
}

// The heart of it: whatever the network and the processes do, two fences are never open at once.
TEST_F(Election, NeverTwoMayWriteUnderAnyFaults) {
  int handed_over = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    VirtualScheduler time;
    LeaseServer leases;
    Rng chaos(seed);
    std::vector<std::unique_ptr<Candidate>> candidates;
    for (int i = 0; i < 3; ++i) {
      candidates.push_back(std::make_unique<Candidate>(time, leases, std::string(1, char('a' + i)),
                                                       seed * 10 + static_cast<unsigned>(i)));
    }
    const auto end = time.now() + seconds(600);
    auto next_fault = time.now();
    while (time.now() < end) {
      if (!time.run_next()) time.advance(seconds(1));  // all of them are stopped
      int open = 0;
      for (const auto& candidate : candidates) open += candidate->may_write();
      ASSERT_LE(open, 1) << "seed " << seed;
      if (time.now() < next_fault) continue;
      next_fault = time.now() + milliseconds(chaos.below(8'000));
      auto& victim = *candidates[chaos.below(candidates.size())];
      switch (chaos.below(7)) {
        case 0: victim.client.network.cut = true; break;
        case 1: victim.client.network = {}; break;
        case 2: victim.client.network.lost_of_1000 = 300; break;
        case 3: victim.client.network.delay_max = seconds(4); break;
        case 4: victim.scheduler.stop(); break;
        case 5: victim.scheduler.go_on(); break;
        default: victim.scheduler.step_wall(seconds(chaos.below(200)) - seconds(100)); break;
      }
    }
    handed_over += static_cast<int>(leases.lease()->get("spec", "leaseTransitions").as_int());
  }
  EXPECT_GT(handed_over, 60) << "the faults must reach the interesting cases";
}

TEST_F(Election, SomebodyLeadsAgainWithinTheBoundAfterAKill) {
  const Duration bound = seconds(15) + milliseconds(2'400) + milliseconds(6 * 20);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    VirtualScheduler time;
    LeaseServer leases;
    Candidate a(time, leases, "a", seed);
    Candidate b(time, leases, "b", seed + 500);
    time.advance(seconds(20) + milliseconds(37 * seed));
    auto& leader = a.leads() ? a : b;
    auto& standby = a.leads() ? b : a;

    leader.elector.reset();
    time.advance(bound);

    EXPECT_TRUE(standby.may_write()) << "seed " << seed;
  }
}

TEST(ElectionOptions, RefusesTimesThatCannotBeSafe) {
  const ElectionOptions good{
      .lease = {"default", "web"},
        .identity = "a"
  };
  EXPECT_TRUE(check(good));
  auto bad = good;
  bad.renew_deadline = seconds(15);
  EXPECT_FALSE(check(bad));
  bad = good;
  bad.retry_period = seconds(9);
  EXPECT_FALSE(check(bad));
  bad = good;
  bad.identity.clear();
  EXPECT_FALSE(check(bad));
}

}  // namespace
}  // namespace fixpoint::runtime
