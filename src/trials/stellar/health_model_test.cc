// SPDX-License-Identifier: Apache-2.0
//
// The programs of a scenario answer as the stand-ins do, as far as the operator can tell.
#include "trials/stellar/health_model.h"

#include "operators/stellar/health/outside.h"
#include "sim/stellar/pages.h"

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace fixpoint::trials::stellar {
namespace {

using namespace operators::stellar;
using std::chrono::seconds;

constexpr std::string_view kPassphrase = "Test SDF Network ; September 2015";
const Address kPlace{"10.0.0.5", 1};
const Instant kStart{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

std::array<runtime::Probe, 4> questions() {
  return {core_info_probe(kPlace, kPassphrase), horizon_health_probe(kPlace),
          horizon_root_probe(kPlace, kPassphrase), rpc_health_probe(kPlace)};
}

Health modelled(const runtime::Probe& probe, std::string_view mode) {
  const auto model = programs();
  const auto state = with_mode(model.state, kPlace.host, mode);
  const auto answer = model.probe(state, probe);
  return Health::from_json(*answer);
}

RawAnswer raw(const std::optional<sim::Page>& page) {
  return RawAnswer::complete(page->status, page->body);
}

Health judged(const runtime::Probe& probe, const RawAnswer& answer) {
  if (probe.name == kCoreInfoProbe) return judge_core_info(answer, kPassphrase);
  if (probe.name == kHorizonHealthProbe) return judge_horizon_health(answer);
  if (probe.name == kHorizonRootProbe) return judge_horizon_root(answer, kPassphrase);
  return judge_rpc_health(answer);
}

// The page of a stand-in at that moment, as the operator's probe reads it.
Health stand_in(const runtime::Probe& probe, const sim::Moment& moment) {
  const std::string passphrase{kPassphrase};
  if (probe.name == kCoreInfoProbe) {
    const sim::CoreFile file{.network_passphrase = passphrase, .database_file = {}};
    return judged(probe, raw(sim::core_page(file, {"GET", "/info", ""}, moment, kStart)));
  }
  if (probe.name == kRpcHealthProbe) {
    const sim::RpcFile file{.network_passphrase = passphrase};
    return judged(
        probe, raw(sim::rpc_page(file, {"POST", "/", R"({"id":1,"method":"getHealth"})"}, moment)));
  }
  const sim::HorizonConfiguration configuration{.network_passphrase = passphrase};
  const std::string_view path = probe.name == kHorizonHealthProbe ? "/health" : "/";
  return judged(probe, raw(sim::horizon_page(configuration, {"GET", path, ""}, moment)));
}

sim::Moment synced() {
  const sim::Life life{.pace = {}, .started = kStart};
  return sim::at(life, kStart + seconds(600));
}

sim::Moment lagging() {
  sim::Life life{.pace = {}, .started = kStart};
  life.stuck_at = sim::at(life, kStart + seconds(600)).ledger;
  return sim::at(life, kStart + seconds(1800));
}

TEST(HealthModel, AnswersAsAStandInThatIsInSync) {
  for (const auto& probe : questions()) {
    EXPECT_EQ(modelled(probe, kSync).verdict, Verdict::Healthy) << probe.name;
    EXPECT_EQ(stand_in(probe, synced()).verdict, Verdict::Healthy) << probe.name;
  }
}

TEST(HealthModel, AnswersAsAStandInThatLags) {
  for (const auto& probe : questions()) {
    const auto model = modelled(probe, kLag);
    const auto real = stand_in(probe, lagging());
    EXPECT_EQ(model.verdict, real.verdict) << probe.name;
    EXPECT_EQ(model.reason, real.reason) << probe.name;
  }
}

// What it answers when it is told to fail: stand_in.cc.
TEST(HealthModel, AnswersAsAStandInThatFails) {
  for (const auto& probe : questions()) {
    const auto model = modelled(probe, kFail);
    const auto real = judged(probe, RawAnswer::complete(500, "{}\n"));
    EXPECT_EQ(model.verdict, real.verdict) << probe.name;
    EXPECT_EQ(model.reason, real.reason) << probe.name;
  }
}

TEST(HealthModel, HangsAndDiesAsAProbeSeesIt) {
  for (const auto& probe : questions()) {
    EXPECT_EQ(modelled(probe, kHang).verdict, Verdict::Unknown) << probe.name;
    EXPECT_EQ(modelled(probe, kDie).verdict, Verdict::Unhealthy) << probe.name;
    EXPECT_EQ(modelled(probe, kDie).reason, "Unreachable") << probe.name;
  }
}

}  // namespace
}  // namespace fixpoint::trials::stellar
