// SPDX-License-Identifier: Apache-2.0
//
// Managers on one loop, over the API-server core that ships.
#include "runtime/manager/manager.h"

#include "client/local_client.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "runtime/controller/test_world.h"
#include "runtime/controller/world_api.h"
#include "runtime/metrics/page_check.h"

#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

const client::Resource kLeases{
    {"coordination.k8s.io", "v1", "Lease"},
    "leases", client::Scope::Namespaced
};

class ManagerTest : public testing::Test {
 protected:
  // One process.
  struct Process {
    Process(ManagerTest& test, const std::string& identity, bool elect)
        : client(test.api_, [&loop = test.loop_](auto task) { loop.post(std::move(task)); }),
          log(LogFormat::Text, LogLevel::Info, test.loop_.clock(),
              [this](std::string_view line) { lines += line; }) {
      ManagerOptions options;
      options.identity = identity;
      options.own_namespace = "ns";
      options.drain = seconds(5);
      if (elect) {
        options.election = ElectionOptions{
            .lease = {"ns", "boats"},
            .identity = identity,
            .lease_duration = milliseconds(900),
            .renew_deadline = milliseconds(600),
            .retry_period = milliseconds(50)
        };
      }
      auto boats = std::make_unique<TestOperator>();
      if (test.prepare_) test.prepare_(*boats);
      std::vector<ManagedPart> parts;
      parts.push_back({.entry = "sea", .part = {.reconciler = std::move(boats)}});
      manager = std::make_unique<Manager>(Manager::Surroundings{test.loop_, client, metrics, log},
                                          std::move(options), std::move(parts), Rng(identity[0]));
      EXPECT_TRUE(manager->start());
    }
    client::LocalClient client;
    MetricsRegistry metrics;
    std::string lines;
    Log log;
    std::unique_ptr<Manager> manager;
  };

  Process& start(const std::string& identity, bool elect) {
    processes_.push_back(std::make_unique<Process>(*this, identity, elect));
    return *processes_.back();
  }
  // The store tells watchers when something changed; here whoever waits looks each time.
  bool eventually(const std::function<bool()>& holds) {
    return loop_.run_until(
        [&] {
          for (const auto& process : processes_) process->client.changed();
          loop_.after(milliseconds(5), [] {});
          return holds();
        },
        seconds(20));
  }
  bool made(std::string_view boat) {
    const auto reply = world_.call({
        .verb = client::Verb::Get, .resource = kMaps, .key = {"ns", std::string{boat} + "-map"}
    });
    return reply.has_value();
  }
  void stop(Process& process) {
    bool done = false;
    process.manager->stop([&] { done = true; });
    EXPECT_TRUE(eventually([&] { return done; }));
  }

  std::function<void(TestOperator&)> prepare_;  // of each process
  TestWorld world_;
  WorldApi api_{world_};
  net::Loop loop_;
  std::vector<std::unique_ptr<Process>> processes_;
};

TEST_F(ManagerTest, ReconcilesWhatIsThereAndWhatComes) {
  world_.create_boat("a");
  auto& process = start("one", false);

  EXPECT_TRUE(eventually([&] { return made("a"); }));
  world_.create_boat("b");
  EXPECT_TRUE(eventually([&] { return made("b"); }));

  EXPECT_TRUE(process.manager->synced());
  EXPECT_TRUE(
      eventually([&] { return process.lines.find("apply ConfigMap b-map") != std::string::npos; }));
  EXPECT_THAT(process.lines, HasSubstr("apply ConfigMap a-map"));
  EXPECT_THAT(process.lines, HasSubstr("pass="));
  stop(process);
}

TEST_F(ManagerTest, AStandbyIsReadyAndTakesOverWhenTheLeaderStops) {
  auto& first = start("one", true);
  ASSERT_TRUE(eventually([&] { return first.manager->leads(); }));
  auto& second = start("two", true);
  ASSERT_TRUE(eventually([&] { return second.manager->synced(); }));
  EXPECT_FALSE(second.manager->leads());
  EXPECT_EQ(second.manager->page("/readyz", "", true)->code, 200);

  stop(first);
  world_.create_boat("a");
  EXPECT_TRUE(eventually([&] { return made("a"); }));

  EXPECT_TRUE(second.manager->leads());
  EXPECT_EQ(world_.text(kLeases, "boats", "spec", "leaseTransitions"), "1");
  EXPECT_EQ(first.manager->page("/readyz", "", true)->code, 500);
}

TEST_F(ManagerTest, StandsByWhileTheLeaseIsStolenAndGoesOnAfterwards) {
  auto& process = start("one", true);
  ASSERT_TRUE(eventually([&] { return process.manager->leads(); }));

  auto lease = json::Draft(world_.get(kLeases, "boats"));
  lease.object_at("spec")["holderIdentity"] = "thief";
  ASSERT_TRUE(world_.call({
      .verb = client::Verb::Update,
      .resource = kLeases,
      .key = {"ns", "boats"},
      .body = lease.freeze()
  }));
  ASSERT_TRUE(eventually([&] { return !process.manager->leads(); }));
  world_.create_boat("a");
  const auto page = check_page(process.manager->page("/metrics", "", true)->body);
  EXPECT_EQ(page.samples.at(R"(leader_election_master_status{name="boats"})"), 0);
  EXPECT_FALSE(made("a"));

  EXPECT_TRUE(eventually([&] { return made("a"); })) << "the thief never renewed";
  EXPECT_THAT(process.lines, HasSubstr("thief took the lease"));
  EXPECT_TRUE(process.manager->leads());
}

TEST_F(ManagerTest, StopsAlsoWhileNothingIsSynced) {
  auto& process = start("one", true);

  stop(process);

  EXPECT_THAT(process.lines, HasSubstr("stopping"));
}

TEST_F(ManagerTest, ShowsItsPagesAndDebuggingOnlyToThisMachine) {
  world_.create_boat("a");
  auto& process = start("one", false);
  ASSERT_TRUE(eventually([&] { return made("a"); }));
  ASSERT_TRUE(eventually([&] { return world_.text(kBoats, "a", "status", "phase") == "Ready"; }));
  auto& manager = *process.manager;

  EXPECT_EQ(manager.page("/healthz", "", false)->body, "ok");
  EXPECT_THAT(manager.page("/readyz", "verbose", false)->body, HasSubstr("[+]boats ok"));
  EXPECT_EQ(check_page(manager.page("/metrics", "", false)->body).problem, "");
  EXPECT_EQ(manager.page("/debug", "", false)->code, 403);
  std::optional<json::Value> debug;
  EXPECT_TRUE(eventually([&] {
    debug = json::parse(manager.page("/debug", "", true)->body).value();
    return debug->get("controllers")[0].get("passes")[0].get("name").as_string() == "a";
  }));
  EXPECT_EQ(debug->get("cache").size(), 3U);
  EXPECT_TRUE(json::parse(manager.page("/debug/guard", "", true)->body));
  EXPECT_FALSE(manager.page("/secrets", "", true));
}

TEST_F(ManagerTest, CountsPassesUnderTheNamesOfControllerRuntime) {
  world_.create_boat("a");
  auto& process = start("one", false);
  ASSERT_TRUE(eventually([&] { return world_.text(kBoats, "a", "status", "phase") == "Ready"; }));
  stop(process);

  const auto page = check_page(process.manager->page("/metrics", "", true)->body).samples;
  EXPECT_GE(page.at(R"(controller_runtime_reconcile_total{controller="boats",result="success"})"),
            1);
  EXPECT_GE(page.at(R"(workqueue_adds_total{name="boats",controller="boats"})"), 1);
  EXPECT_EQ(page.at(R"(controller_runtime_active_workers{controller="boats"})"), 0);
}

TEST_F(ManagerTest, ShowsWhatAnOperatorTellsOfItsObjectsUntilTheyAreGone) {
  prepare_ = [](TestOperator& boats) {
    boats.declared.metrics = {.prefix = "sea_", .labels = {}, .gauges = {{"boat_up", "Floats."}}};
    boats.on_samples = [](const TestOperator::Seen&) {
      return Samples{.labels = {}, .values = {{"boat_up", 1}}};
    };
    boats.on_check = [](json::View object) -> kube::FieldErrors {
      if (object.get("spec", "color").as_string() != "bad") return {};
      return {kube::invalid(kube::FieldPath{"spec"}, "bad", "no color")};
    };
  };
  world_.create_boat("a");
  world_.create_boat("b");
  auto& process = start("one", false);
  const auto shows = [&](const std::string& boat) {
    const auto page = check_page(process.manager->page("/metrics", "", true)->body).samples;
    return page.contains(R"(sea_boat_up{namespace="ns",name=")" + boat + R"("})");
  };
  ASSERT_TRUE(eventually([&] { return shows("a") && shows("b"); }));

  world_.patch(kBoats, "a", R"({"spec":{"color":"bad"}})");
  EXPECT_TRUE(eventually([&] { return !shows("a"); })) << "nobody looks at it";
  ASSERT_TRUE(world_.call({
      .verb = client::Verb::Delete, .resource = kBoats, .key = {"ns", "b"}
  }));
  EXPECT_TRUE(eventually([&] { return !shows("b"); }));

  const auto page = check_page(process.manager->page("/metrics", "", true)->body).samples;
  EXPECT_EQ(page.at("sea_operator_leader_status"), 1);
  EXPECT_GE(page.at(R"(sea_reconcile_errors_total{kind="Invalid"})"), 1);
  stop(process);
}

TEST(Endpoint, IsWrittenAsFlagsWriteIt) {
  EXPECT_EQ(parse_endpoint(":8080")->value(), (Endpoint{"0.0.0.0", 8080}));
  EXPECT_EQ(parse_endpoint("127.0.0.1:0")->value(), (Endpoint{"127.0.0.1", 0}));
  EXPECT_EQ(parse_endpoint("localhost:1")->value(), (Endpoint{"127.0.0.1", 1}));
  EXPECT_EQ(parse_endpoint("[::1]:9")->value(), (Endpoint{"::1", 9}));
  EXPECT_EQ(parse_endpoint("0").value(), std::nullopt);
  for (const auto* bad : {"", "8080", ":", ":x", ":70000", "a:b:1"}) {
    EXPECT_FALSE(parse_endpoint(bad)) << bad;
  }
}

}  // namespace
}  // namespace fixpoint::runtime
