// SPDX-License-Identifier: Apache-2.0
//
// What the stand-ins say is what the operator's probes understand.
#include "sim/stellar/pages.h"

#include "operators/stellar/health/health.h"
#include "sim/stellar/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::sim {
namespace {

using operators::stellar::Health;
using operators::stellar::RawAnswer;
using operators::stellar::Verdict;
using std::chrono::seconds;
using testing::HasSubstr;

const Instant kStart{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

Life life() {
  return {
      .pace = {.ledger = seconds(5), .sync = seconds(10)},
        .started = kStart
  };
}

RawAnswer raw(const std::optional<Page>& page) {
  return page ? RawAnswer::complete(page->status, page->body) : RawAnswer::complete(404, "");
}

Health core(const Moment& moment) {
  const CoreFile file{.network_passphrase = "n", .database_file = {}};
  return judge_core_info(raw(core_page(file, {"GET", "/info", ""}, moment, kStart)), "n");
}

Health rpc(const Moment& moment) {
  const RpcFile file{.network_passphrase = "n"};
  return judge_rpc_health(
      raw(rpc_page(file, {"POST", "/", R"({"id":7,"method":"getHealth"})"}, moment)));
}

TEST(StandInLife, GoesFromTheStartToTheNewestLedgerAndOn) {
  const auto first = at(life(), kStart);
  const auto middle = at(life(), kStart + seconds(5));
  const auto synced = at(life(), kStart + seconds(10));
  const auto later = at(life(), kStart + seconds(20));

  EXPECT_EQ(first.state, "Joining SCP");
  EXPECT_EQ(middle.state, "Catching up");
  EXPECT_LT(first.ledger, middle.ledger);
  EXPECT_LT(middle.ledger, middle.network_ledger);
  EXPECT_EQ(synced.state, "Synced!");
  EXPECT_EQ(synced.ledger, synced.network_ledger);
  EXPECT_EQ(later.ledger, synced.ledger + 2);
  EXPECT_EQ(later.age_seconds, 0);
  EXPECT_EQ(at(life(), kStart + seconds(23)).age_seconds, 3);
}

TEST(StandInLife, StaysAtALedgerWhileItLags) {
  auto stuck = life();
  stuck.stuck_at = at(life(), kStart + seconds(20)).ledger;

  const auto moment = at(stuck, kStart + seconds(120));

  EXPECT_EQ(moment.state, "Catching up");
  EXPECT_EQ(moment.ledger, *stuck.stuck_at);
  EXPECT_EQ(moment.age_seconds, 100);
}

TEST(StandInLife, IsToldHowToBehave) {
  EXPECT_EQ(parse_behaviour("mode=hang")->mode, Mode::Hang);
  EXPECT_EQ(parse_behaviour("mode=late&delay=1m30s")->delay, seconds(90));
  EXPECT_EQ(parse_behaviour("mode=dance").error().message, "give mode=sync|lag|hang|late|fail|die");
  EXPECT_EQ(parse_behaviour("").error().message, "give mode=sync|lag|hang|late|fail|die");
  EXPECT_EQ(parse_behaviour("mode=late&delay=x").error().message,
            "delay=x: give a time such as 3s");
  EXPECT_EQ(parse_behaviour("what=1").error().message, "\"what\" is neither mode nor delay");
}

TEST(StandInPages, AreJudgedByTheProbesAsTheyAreMeant) {
  const auto young = at(life(), kStart + seconds(5));
  const auto synced = at(life(), kStart + seconds(60));

  EXPECT_EQ(core(young).reason, "Syncing");
  EXPECT_EQ(core(synced).verdict, Verdict::Healthy);
  EXPECT_EQ(core(synced).ledger, synced.ledger);
  EXPECT_TRUE(core(synced).warnings.empty());
  EXPECT_EQ(rpc(at(life(), kStart)).message, "data stores are not initialized");
  EXPECT_EQ(rpc(young).reason, "StaleLedger");
  EXPECT_EQ(rpc(synced).verdict, Verdict::Healthy);
  const HorizonConfiguration configuration{.network_passphrase = "n"};
  const auto horizon = [&](std::string_view path, const Moment& moment) {
    return raw(horizon_page(configuration, {"GET", path, ""}, moment));
  };
  EXPECT_EQ(judge_horizon_health(horizon("/health", young)).reason, "Syncing");
  EXPECT_EQ(horizon("/health", young).status, 503);
  EXPECT_EQ(judge_horizon_health(horizon("/health", synced)).verdict, Verdict::Healthy);
  EXPECT_EQ(judge_horizon_root(horizon("/", young), "n").reason, "Syncing");
  EXPECT_EQ(judge_horizon_root(horizon("/", synced), "n").verdict, Verdict::Healthy);
  EXPECT_EQ(judge_horizon_root(horizon("/", synced), "m").reason, "WrongNetwork");
  const CoreFile file{.network_passphrase = "n", .database_file = {}};
  const auto metrics =
      judge_core_metrics(raw(core_page(file, {"GET", "/metrics", ""}, synced, kStart)));
  EXPECT_EQ(metrics.age_seconds, synced.age_seconds);
  EXPECT_EQ(metrics.peers, 8);
}

TEST(StandInPages, AnswerJsonRpcAsItIsSpoken) {
  const RpcFile file{.network_passphrase = "n"};
  const auto moment = at(life(), kStart + seconds(60));
  const auto body = [&](std::string_view request) {
    return rpc_page(file, {"POST", "/", request}, moment)->body;
  };
  EXPECT_THAT(body(R"({"id":"a","method":"getNetwork"})"),
              HasSubstr(R"("id":"a","jsonrpc":"2.0","result":{"passphrase":"n")"));
  EXPECT_THAT(body(R"({"id":1,"method":"dance"})"), HasSubstr(R"("code":-32601)"));
  EXPECT_THAT(body("[]"), HasSubstr(R"("code":-32600)"));
  EXPECT_EQ(rpc_page(file, {"GET", "/", ""}, moment)->status, 405);
  EXPECT_FALSE(rpc_page(file, {"GET", "/x", ""}, moment).has_value());
}

TEST(StandInPrograms, AreKnownByTheirFileNames) {
  EXPECT_EQ(program_named("/usr/bin/stellar-core"), "core");
  EXPECT_EQ(program_named("stellar-horizon"), "horizon");
  EXPECT_EQ(program_named("stellar-rpc"), "rpc");
  EXPECT_EQ(program_named("/opt/fixpoint"), std::nullopt);
}

TEST(StandInPrograms, FindPathsOfAContainerOnTheMachine) {
  const std::string_view mounts = "/config=/m/1\n/opt/stellar/data=/m/2\n/opt=/m/3\n";
  EXPECT_EQ(machine_path("/config/a.cfg", mounts), "/m/1/a.cfg");
  EXPECT_EQ(machine_path("/opt/stellar/data/db", mounts), "/m/2/db");
  EXPECT_EQ(machine_path("/opt/x", mounts), "/m/3/x");
  EXPECT_EQ(machine_path("/configuration", mounts), "/configuration");
  EXPECT_EQ(machine_path("/config", mounts), "/m/1");
  EXPECT_EQ(machine_path("/x", ""), "/x");
  EXPECT_EQ(machine_path("/tmp/n/1/a", "/tmp=/tmp/n/2\n/config=/tmp/n/1\n"), "/tmp/n/1/a");
}

}  // namespace
}  // namespace fixpoint::sim
