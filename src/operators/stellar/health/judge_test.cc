// SPDX-License-Identifier: Apache-2.0
#include "json/print.h"
#include "operators/stellar/health/health.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::operators::stellar {
namespace {

using testing::ElementsAre;

constexpr std::string_view kNetwork = "Test SDF Network ; September 2015";

std::string info(std::string_view state, int ledger, int age, int peers = 8, int fail_at = 3) {
  return fmt::format(
      R"({{"info":{{"build":"v22","ledger":{{"age":{},"num":{},"closeTime":1,"version":22}},
      "network":"{}","peers":{{"authenticated_count":{},"pending_count":0}},
      "quorum":{{"qset":{{"agree":4,"fail_at":{},"missing":0}},"transitive":{{"intersection":true}}}},
      "state":"{}"}}}})",
      age, ledger, kNetwork, peers, fail_at, state);
}

Health core(std::string body, std::string_view passphrase = kNetwork) {
  return judge_core_info(RawAnswer::complete(200, std::move(body)), passphrase);
}

TEST(StellarHealth, CallsASyncedCoreWithAYoungLedgerHealthy) {
  const auto health = core(info("Synced!", 100, 3));

  EXPECT_EQ(health.verdict, Verdict::Healthy);
  EXPECT_EQ(health.reason, "Synced");
  EXPECT_EQ(health.ledger, 100);
  EXPECT_EQ(health.age_seconds, 3);
  EXPECT_EQ(health.peers, 8);
  EXPECT_TRUE(health.warnings.empty());
}

TEST(StellarHealth, TellsWhyACoreIsNotHealthy) {
  EXPECT_EQ(core(info("Catching up", 64, 900)).reason, "Syncing");
  EXPECT_EQ(core(info("Catching up", 64, 900)).message,
            "stellar-core is \"Catching up\" at ledger 64");
  EXPECT_EQ(core(info("Synced!", 100, 29)).verdict, Verdict::Healthy);
  EXPECT_EQ(core(info("Synced!", 100, 30)).verdict, Verdict::Unhealthy);
  EXPECT_EQ(core(info("Synced!", 100, 30)).reason, "StaleLedger");
  const auto foreign = core(info("Synced!", 100, 3), "another network");
  EXPECT_EQ(foreign.verdict, Verdict::Unhealthy);
  EXPECT_EQ(foreign.reason, "WrongNetwork");
  EXPECT_EQ(core(info("Synced!", 100, 3), "").verdict, Verdict::Healthy);
  EXPECT_EQ(core("<html>").reason, "Unreadable");
  EXPECT_EQ(core("{}").reason, "Unreadable");
  EXPECT_EQ(core(R"({"info":{"state":"Synced!"}})").reason, "Unreadable");
}

TEST(StellarHealth, WarnsOfAHealthyCoreThatStandsOnOneLeg) {
  const auto health = core(info("Synced!", 100, 3, 1, 1));

  EXPECT_EQ(health.verdict, Verdict::Healthy);
  EXPECT_THAT(health.warnings, ElementsAre("only 1 peers", "quorum fails with 1 more failure(s)"));
}

TEST(StellarHealth, KnowsNoAnswerFromABadOne) {
  const RawAnswer late{.kind = RawAnswer::Kind::Missing, .problem = "too late"};
  const RawAnswer refused{.kind = RawAnswer::Kind::Refused, .problem = "Connection refused"};
  for (const auto& judged : {judge_core_info(late, kNetwork), judge_core_metrics(late),
                             judge_horizon_health(late), judge_horizon_root(late, kNetwork),
                             judge_rpc_health(late), judge_archive(late, std::nullopt, kNetwork)}) {
    EXPECT_EQ(judged.verdict, Verdict::Unknown);
    EXPECT_EQ(judged.reason, "NoAnswer");
    EXPECT_EQ(judged.message, "too late");
  }
  EXPECT_EQ(judge_core_info(refused, kNetwork).verdict, Verdict::Unhealthy);
  EXPECT_EQ(judge_core_info(refused, kNetwork).reason, "Unreachable");
  EXPECT_EQ(judge_rpc_health(RawAnswer::complete(302, "")).reason, "Redirected");
}

TEST(StellarHealth, ReadsHorizonsBooleansAlsoFromA503) {
  const auto of = [](int status, std::string_view database, std::string_view up,
                     std::string_view synced) {
    return judge_horizon_health(RawAnswer::complete(
        status, fmt::format(R"({{"database_connected":{},"core_up":{},"core_synced":{}}})",
                            database, up, synced)));
  };
  EXPECT_EQ(of(200, "true", "true", "true").verdict, Verdict::Healthy);
  EXPECT_EQ(of(503, "true", "true", "false").reason, "Syncing");
  EXPECT_EQ(of(503, "false", "true", "false").reason, "NotReady");
  EXPECT_EQ(of(503, "false", "true", "false").message,
            "Horizon lacks database_connected, core_synced");
  EXPECT_EQ(of(503, "true", "true", "true").verdict, Verdict::Unhealthy);
  EXPECT_EQ(of(200, "1", "true", "true").reason, "Unreadable");
}

TEST(StellarHealth, MeasuresHorizonByItsCore) {
  const auto of = [](int history, int core_ledger) {
    return judge_horizon_root(
        RawAnswer::complete(200,
                            fmt::format(R"({{"history_latest_ledger":{},)"
                                        R"("core_latest_ledger":{},"network_passphrase":"{}"}})",
                                        history, core_ledger, kNetwork)),
        kNetwork);
  };
  EXPECT_EQ(of(95, 100).verdict, Verdict::Healthy);
  EXPECT_EQ(of(95, 100).lag, 5);
  EXPECT_EQ(of(94, 100).verdict, Verdict::Unhealthy);
  EXPECT_EQ(of(94, 100).reason, "Syncing");
  EXPECT_EQ(of(101, 100).lag, 0);
  EXPECT_EQ(of(0, 0).verdict, Verdict::Unhealthy);
  EXPECT_EQ(judge_horizon_root(RawAnswer::complete(200, "{}"), "").reason, "Unreadable");
}

TEST(StellarHealth, ReadsRpcsErrorAsItsState) {
  const auto of = [](std::string body) {
    return judge_rpc_health(RawAnswer::complete(200, std::move(body)));
  };
  const auto healthy = of(R"({"jsonrpc":"2.0","id":1,"result":{"status":"healthy",)"
                          R"("latestLedger":51,"oldestLedger":2,"ledgerRetentionWindow":9}})");
  EXPECT_EQ(healthy.verdict, Verdict::Healthy);
  EXPECT_EQ(healthy.ledger, 51);
  const auto empty = of(R"({"id":1,"error":{"code":-32603,)"
                        R"("message":"data stores are not initialized"}})");
  EXPECT_EQ(empty.reason, "Syncing");
  EXPECT_EQ(empty.message, "data stores are not initialized");
  EXPECT_EQ(of(R"({"error":{"message":"latency (40s) since last known ledger closed"}})").reason,
            "StaleLedger");
  EXPECT_EQ(of(R"({"result":{"status":"sick","latestLedger":1}})").verdict, Verdict::Unhealthy);
  EXPECT_EQ(of(R"({"result":7})").reason, "Unreadable");
}

TEST(StellarHealth, MeasuresAnArchiveByTheNetwork) {
  const auto of = [](std::string body, std::optional<std::int64_t> network) {
    return judge_archive(RawAnswer::complete(200, std::move(body)), network, kNetwork);
  };
  EXPECT_EQ(of(R"({"currentLedger":1000})", 1128).verdict, Verdict::Healthy);
  EXPECT_EQ(of(R"({"currentLedger":1000})", 1129).verdict, Verdict::Unhealthy);
  EXPECT_EQ(of(R"({"currentLedger":1000})", std::nullopt).verdict, Verdict::Healthy);
  EXPECT_EQ(of("<h1>It works!</h1>", 1).reason, "Unreadable");
  EXPECT_EQ(of(R"({"currentLedger":1,"networkPassphrase":"other"})", 1).reason, "WrongNetwork");
}

TEST(StellarHealth, OfTwoAnswersIsTheWorseOne) {
  const Health good{.verdict = Verdict::Healthy, .reason = "Synced", .ledger = 5};
  const Health unknown{.verdict = Verdict::Unknown, .reason = "NoAnswer"};
  const Health bad{.verdict = Verdict::Unhealthy, .reason = "NotReady", .lag = 9};
  EXPECT_EQ(worse_of(good, bad).reason, "NotReady");
  EXPECT_EQ(worse_of(good, bad).ledger, 5);
  EXPECT_EQ(worse_of(bad, unknown).reason, "NotReady");
  EXPECT_EQ(worse_of(unknown, bad).reason, "NotReady");
  EXPECT_EQ(worse_of(good, unknown).verdict, Verdict::Unknown);
}

TEST(StellarHealth, TravelsAsJson) {
  Health health = core(info("Synced!", 100, 3, 1));
  health.lag = 0;
  const auto json = health.to_json();
  EXPECT_EQ(
      json::to_text(json),
      R"({"ageSeconds":3,"health":"Healthy","lag":0,"ledger":100,"message":"synced at ledger )"
      R"(100","peers":1,"quorumAgreeing":4,"quorumFailAt":3,"quorumMissing":0,"reason":"Synced","state":"Synced!","warnings":["only 1 peers"]})");
  EXPECT_EQ(Health::from_json(json), health);
  EXPECT_EQ(Health::from_json(json::View{}).verdict, Verdict::Unknown);
  const auto metrics = judge_core_metrics(RawAnswer::complete(
      200, R"({"metrics":{"ledger.age.current-seconds":{"count":4,"type":"counter"},)"
           R"("overlay.connection.authenticated":{"count":7}}})"));
  EXPECT_EQ(metrics.age_seconds, 4);
  EXPECT_EQ(metrics.peers, 7);
}

}  // namespace
}  // namespace fixpoint::operators::stellar
