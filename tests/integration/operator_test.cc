// SPDX-License-Identifier: Apache-2.0
//
// `fixpoint operator` as its users meet it: the example operator against `fixpoint up`, alone and
// as one of two, killed, stopped, fought with.
#include "json/parse.h"
#include "json/print.h"
#include "runtime/metrics/page_check.h"
#include "runtime/registry.h"
#include "tests/integration/running_operator.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace greeting {
fixpoint::runtime::OperatorEntry entry();
}

namespace fixpoint {
namespace {

using ::testing::HasSubstr;

const std::string kGreetings = "/apis/example.fixpoint.dev/v1/namespaces/default/greetings";
const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";
const std::string kDeployments = "/apis/apps/v1/namespaces/default/deployments";
const std::string kLease =
    "/apis/coordination.k8s.io/v1/namespaces/default/leases/fixpoint-greeting";

class OperatorProcess : public testing::Test {
 protected:
  void SetUp() override { start_server({"--ephemeral"}); }

  // The test plays the Deployments' part.
  void start_server(std::vector<std::string> flags) {
    server_.reset();
    flags.insert(flags.end(), {"--controllers", "api"});
    auto started = RunningServer::start(scratch_.path(), std::move(flags));
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server_ = *std::move(started);
  }
  std::unique_ptr<RunningOperator> run(const std::string& name,
                                       std::vector<std::string> flags = {}) {
    auto started = RunningOperator::start(*server_, scratch_.path() / (name + ".log"), flags);
    EXPECT_TRUE(started.has_value()) << started.error().message;
    return started ? *std::move(started) : nullptr;
  }
  net::Response call(std::string method, std::string target, std::string body = {}) {
    net::Headers headers;
    if (method == "PATCH") headers.add("content-type", "application/merge-patch+json");
    auto answer = server_->request(std::move(method), std::move(target), std::move(body), headers);
    EXPECT_TRUE(answer.has_value()) << (answer ? "" : answer.error().message);
    return answer ? *std::move(answer) : net::Response{};
  }
  void install() {
    const auto definition = types::crd(*greeting::entry().kinds().front());
    ASSERT_EQ(call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                   json::to_text(definition))
                  .status,
              201);
    ASSERT_TRUE(eventually([&] { return call("GET", kGreetings).status == 200; }));
  }
  void greet(std::string_view name, std::string_view message = "hello") {
    const auto body = fmt::format(
        R"({{"apiVersion":"example.fixpoint.dev/v1","kind":"Greeting","metadata":{{"name":"{}"}},)"
        R"("spec":{{"message":"{}","replicas":1}}}})",
        name, message);
    ASSERT_EQ(call("POST", kGreetings, body).status, 201);
  }
  // A field of an object as text; empty when either is not there.
  template <class... Keys>
  std::string text(const std::string& path, Keys... keys) {
    const auto parsed = json::parse(call("GET", path).body);
    if (!parsed) return {};
    const auto found = parsed->view().get(keys...);
    return found.is_string() ? std::string{found.as_string()}
           : found.is_null() ? std::string{}
                             : json::to_text(found);
  }
  std::string page_of(std::string_view name) {
    return text(kConfigMaps + "/" + std::string{name}, "data", "index.html");
  }
  std::string holder() { return text(kLease, "spec", "holderIdentity"); }
  bool leads(const RunningOperator& process) {
    return process.metric(R"(leader_election_master_status{name="fixpoint-greeting"})") == 1;
  }

  ScratchDirectory scratch_;
  std::unique_ptr<RunningServer> server_;
};

TEST_F(OperatorProcess, MakesWhatIsWantedKeepsItAndCleansUp) {
  install();
  const auto process = run("a");
  greet("hi");

  EXPECT_TRUE(eventually([&] { return page_of("hi") == "hello"; }));
  EXPECT_TRUE(
      eventually([&] { return text(kGreetings + "/hi", "status", "phase") == "Progressing"; }));
  call("PATCH", kDeployments + "/hi/status", R"({"status":{"replicas":1,"readyReplicas":1}})");
  EXPECT_TRUE(eventually([&] { return text(kGreetings + "/hi", "status", "phase") == "Ready"; }));
  call("PATCH", kGreetings + "/hi", R"({"spec":{"message":"bye"}})");
  EXPECT_TRUE(eventually([&] { return page_of("hi") == "bye"; }));
  call("DELETE", kConfigMaps + "/hi");
  EXPECT_TRUE(eventually([&] { return page_of("hi") == "bye"; }));

  call("DELETE", kGreetings + "/hi");
  EXPECT_TRUE(eventually([&] {
    return call("GET", kGreetings + "/hi").status == 404 &&
           call("GET", kConfigMaps + "/hi").status == 404;
  }));
  EXPECT_EQ(process->stop(), 0);
}

TEST_F(OperatorProcess, WaitsForItsKindAndSaysHowToInstallIt) {
  const auto process = run("a");
  EXPECT_TRUE(eventually([&] {
    return process->log().find("fixpoint manifests --operators greeting") != std::string::npos;
  }));
  EXPECT_EQ(process->page("/readyz").status, 500);
  EXPECT_THAT(process->page("/readyz").body, HasSubstr("Greeting.example.fixpoint.dev"));
  EXPECT_EQ(process->page("/healthz").status, 200);

  install();
  greet("hi");

  EXPECT_TRUE(eventually([&] { return process->page("/readyz").status == 200; }));
  EXPECT_TRUE(eventually([&] { return page_of("hi") == "hello"; }));
}

TEST_F(OperatorProcess, ServesAPageOfMetricsAndOneForDebugging) {
  install();
  const auto process = run("a", {"--leader-elect"});
  greet("hi");
  ASSERT_TRUE(eventually([&] { return page_of("hi") == "hello"; }));

  const auto page = process->page("/metrics");
  const auto checked = runtime::check_page(page.body);
  EXPECT_EQ(checked.problem, "");
  EXPECT_THAT(*page.headers.find("content-type"), HasSubstr("version=0.0.4"));
  for (const auto* family :
       {"controller_runtime_reconcile_total", "controller_runtime_reconcile_time_seconds",
        "controller_runtime_active_workers", "workqueue_depth", "workqueue_adds_total",
        "workqueue_queue_duration_seconds", "rest_client_requests_total",
        "leader_election_master_status", "process_resident_memory_bytes",
        "fixpoint_guard_state_persist_failures_total"}) {
    EXPECT_TRUE(checked.types.contains(family)) << family;
  }
  const auto debug = json::parse(process->page("/debug").body);
  ASSERT_TRUE(debug);
  const auto controller = debug->get("controllers")[0];
  EXPECT_EQ(controller.get("controller").as_string(), "greeting");
  EXPECT_THAT(json::to_text(controller.get("passes")), HasSubstr("apply ConfigMap default/hi"));
  EXPECT_EQ(process->page("/nothing").status, 404);
}

TEST_F(OperatorProcess, ACleanStopHandsTheLeaseOver) {
  install();
  auto first = run("a", {"--leader-elect"});
  ASSERT_TRUE(eventually([&] { return leads(*first); }));
  auto second = run("b", {"--leader-elect"});
  ASSERT_TRUE(eventually([&] { return second->page("/readyz").status == 200; }));
  EXPECT_FALSE(leads(*second));
  const auto before = holder();

  EXPECT_EQ(first->stop(), 0);
  EXPECT_TRUE(eventually([&] { return leads(*second); }));

  EXPECT_NE(holder(), before);
  EXPECT_EQ(text(kLease, "spec", "leaseTransitions"), "1");
  greet("hi");
  EXPECT_TRUE(eventually([&] { return page_of("hi") == "hello"; }));
}

TEST_F(OperatorProcess, AKilledLeaderIsReplaced) {
  install();
  auto first = run("a", {"--leader-elect"});
  ASSERT_TRUE(eventually([&] { return leads(*first); }));
  auto second = run("b", {"--leader-elect"});
  ASSERT_TRUE(eventually([&] { return second->page("/readyz").status == 200; }));

  first->kill();
  greet("hi");

  EXPECT_TRUE(eventually([&] { return page_of("hi") == "hello"; }));
  EXPECT_TRUE(leads(*second));
}

TEST_F(OperatorProcess, AnEditWarIsPausedAcrossARestartAndResumedByAPerson) {
  install();
  auto process = run("a");
  greet("hi");
  const auto map = kConfigMaps + "/hi";
  ASSERT_TRUE(eventually([&] { return page_of("hi") == "hello"; }));
  const auto paused = [&] {
    return text(map, "metadata", "annotations", "fixpoint.dev/reconcile-paused") == "true";
  };

  int edits = 0;
  while (edits < 30 && !paused()) {
    ++edits;
    call("PATCH", map, R"({"data":{"index.html":"mine"}})");
    ASSERT_TRUE(eventually([&] { return page_of("hi") == "hello" || paused(); }));
  }
  EXPECT_EQ(edits, 9);
  EXPECT_EQ(page_of("hi"), "mine");
  EXPECT_TRUE(eventually([&] {
    return call("GET", "/apis/events.k8s.io/v1/namespaces/default/events")
               .body.find("ThrashingDetected") != std::string::npos;
  }));
  const std::string labels = R"({group="",kind="ConfigMap",namespace="default",name="hi"})";
  EXPECT_EQ(process->metric("fixpoint_paused_resources" + labels), 1);
  EXPECT_EQ(process->metric("fixpoint_thrashing_total" + labels), 1);

  EXPECT_EQ(process->stop(), 0);
  process = run("b");
  ASSERT_TRUE(
      eventually([&] { return process->metric("fixpoint_paused_resources" + labels) == 1; }));
  EXPECT_EQ(process->metric("fixpoint_thrashing_total" + labels), 0);
  EXPECT_EQ(page_of("hi"), "mine");

  call("PATCH", map, R"({"metadata":{"annotations":{"fixpoint.dev/reconcile-paused":null}}})");
  EXPECT_TRUE(eventually([&] { return page_of("hi") == "hello"; }));
  EXPECT_TRUE(
      eventually([&] { return process->metric("fixpoint_paused_resources" + labels) == 0; }));
  EXPECT_EQ(text(map, "metadata", "annotations", "fixpoint.dev/pause-info"), "");
}

TEST_F(OperatorProcess, WhatGoesWrongWithOneLeavesTheOthersAlone) {
  install();
  call("POST", kConfigMaps, R"({"metadata":{"name":"taken"},"data":{"x":"y"}})");
  const auto process = run("a");
  greet("taken");
  greet("free");

  EXPECT_TRUE(eventually([&] { return page_of("free") == "hello"; }));
  EXPECT_TRUE(
      eventually([&] { return text(kGreetings + "/taken", "status", "phase") == "Failed"; }));
  EXPECT_THAT(text(kGreetings + "/taken", "status", "conditions"), HasSubstr("NotOurs"));
  EXPECT_EQ(page_of("taken"), "") << "the stranger is left alone";
}

TEST_F(OperatorProcess, SaysWhatIsWrongWithItsCommandLine) {
  auto started = RunningOperator::start(*server_, scratch_.path() / "a.log", {"--context=nowhere"});
  ASSERT_FALSE(started.has_value());
  EXPECT_THAT(started.error().message, HasSubstr("nowhere"));
}

TEST_F(OperatorProcess, RunsInsideUpAsWell) {
  start_server({"--ephemeral", "--operators", "greeting"});
  ASSERT_TRUE(eventually([&] { return call("GET", kGreetings).status == 200; }));
  greet("hi");

  EXPECT_TRUE(eventually([&] { return page_of("hi") == "hello"; }));
  call("DELETE", kConfigMaps + "/hi");
  EXPECT_TRUE(eventually([&] { return page_of("hi") == "hello"; }));
  EXPECT_EQ(server_->stop(), 0);
}

}  // namespace
}  // namespace fixpoint
