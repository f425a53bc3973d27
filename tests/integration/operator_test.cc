// SPDX-License-Identifier: Apache-2.0
//
// `fixpoint operator` as its users meet it: the example operator against `fixpoint up`, alone and
// as one of two, killed, stopped, fought with.
#include "json/parsing/parse.h"
#include "json/print.h"
#include "runtime/metrics/page_check.h"
#include "tests/integration/operator_scenarios.h"
#include "tests/integration/running_server.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;

class OperatorProcess : public testing::Test, protected OperatorStage {
 protected:
  void SetUp() override { start_server({"--ephemeral"}); }

  // The test plays the Deployments' part.
  void start_server(std::vector<std::string> flags) {
    server_.reset();
    flags.insert(flags.end(), {"--controllers", "api"});
    auto started = RunningServer::start(directory_.path(), std::move(flags));
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server_ = *std::move(started);
    set(server_->access(), directory_.path());
  }

  ScratchDirectory directory_;
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
  // What it made is there before the pass that made it has ended.
  ASSERT_TRUE(eventually([&] {
    return process->page("/debug").body.find("apply ConfigMap default/hi") != std::string::npos;
  }));

  const auto page = process->page("/metrics");
  const auto checked = runtime::check_page(page.body);
  EXPECT_EQ(checked.problem, "");
  EXPECT_THAT(*page.headers.find("content-type"), HasSubstr("version=0.0.4"));
  // What dashboards and alerts for controller-runtime query, name by name.
  for (const auto* family : {"controller_runtime_reconcile_total",
                             "controller_runtime_reconcile_errors_total",
                             "controller_runtime_terminal_reconcile_errors_total",
                             "controller_runtime_reconcile_panics_total",
                             "controller_runtime_reconcile_timeouts_total",
                             "controller_runtime_reconcile_time_seconds",
                             "controller_runtime_max_concurrent_reconciles",
                             "controller_runtime_active_workers",
                             "workqueue_depth",
                             "workqueue_adds_total",
                             "workqueue_retries_total",
                             "workqueue_queue_duration_seconds",
                             "workqueue_work_duration_seconds",
                             "workqueue_unfinished_work_seconds",
                             "workqueue_longest_running_processor_seconds",
                             "rest_client_requests_total",
                             "rest_client_request_duration_seconds",
                             "leader_election_master_status",
                             "informer_store_resource_version",
                             "process_cpu_seconds_total",
                             "process_resident_memory_bytes",
                             "process_open_fds",
                             "process_start_time_seconds",
                             "fixpoint_guard_state_persist_failures_total",
                             "fixpoint_cache_objects",
                             "fixpoint_cache_rewinds_total"}) {
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
  EXPECT_THAT(text(kGreetings + "/taken", "status", "conditions"), HasSubstr("OwnershipConflict"));
  EXPECT_EQ(page_of("taken"), "") << "the stranger is left alone";
}

TEST_F(OperatorProcess, SaysWhatIsWrongWithItsCommandLine) {
  auto started = RunningOperator::start({.kubeconfig = server_->kubeconfig(),
                                         .log = scratch() / "a.log",
                                         .flags = {"--context=nowhere"}});
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

TEST_F(OperatorProcess, GoesOnInsideUpWithWhatIsInItsDirectory) {
  const std::vector<std::string> flags{"--data-dir", (directory_.path() / "data").string(),
                                       "--operators", "greeting"};
  start_server(flags);
  ASSERT_TRUE(eventually([&] { return call("GET", kGreetings).status == 200; }));
  greet("hi");
  ASSERT_TRUE(eventually([&] { return greeted("hi"); }));
  const auto version = text(kGreetings + "/hi", "metadata", "resourceVersion");
  const auto map = text(kConfigMaps + "/hi", "metadata", "resourceVersion");

  for (const bool killed : {true, false}) {
    if (killed) {
      server_->kill();
    } else {
      ASSERT_EQ(server_->stop(), 0);
    }
    start_server(flags);
    greet(killed ? "after-kill" : "after-stop");
    EXPECT_TRUE(eventually([&] { return greeted(killed ? "after-kill" : "after-stop"); }));
    EXPECT_EQ(text(kGreetings + "/hi", "metadata", "resourceVersion"), version)
        << "what is as it should be is not written again";
    EXPECT_EQ(text(kConfigMaps + "/hi", "metadata", "resourceVersion"), map);
  }
  // The definition is there already, and brought up to date with the program's own.
  call("PATCH", kDefinitions + "/greetings.example.fixpoint.dev",
       R"({"spec":{"names":{"shortNames":["old"]}}})");
  ASSERT_EQ(server_->stop(), 0);
  start_server(flags);
  EXPECT_TRUE(eventually([&] {
    return text(kDefinitions + "/greetings.example.fixpoint.dev", "spec", "names")
               .find(R"("hi")") != std::string::npos;
  }));
}

// The stories that are told of a real cluster too.
class OperatorStory : public OperatorProcess {
 protected:
  void SetUp() override {
    OperatorProcess::SetUp();
    install();
  }
};

TEST_F(OperatorStory, OneBadBranchIsIsolated) {
  isolates_a_bad_branch(*this);
}
TEST_F(OperatorStory, AnEditWarWithKubectlIsPausedAndResumed) {
  is_fought_with_kubectl(*this);
}
TEST_F(OperatorStory, ItsOwnRightsAreEnough) {
  runs_with_its_own_rights(*this);
}
TEST_F(OperatorStory, AKilledLeadersWorkIsNeitherLostNorDoneTwice) {
  takes_over_from_a_killed_leader(*this);
}
TEST_F(OperatorStory, ALeaderThatSleptWritesNothing) {
  writes_nothing_after_a_long_sleep(*this);
}
TEST_F(OperatorStory, EveryFaultIsSurvived) {
  survives_every_fault(*this);
}
TEST_F(OperatorStory, RandomFaultsAreSurvived) {
  survives_random_faults(*this);
}
TEST_F(OperatorStory, IsQuietWhileTheServerIsAway) {
  is_quiet_while_the_server_is_away(*this);
}
TEST_F(OperatorStory, RotatedTokensAndCertificatesAreRead) {
  reads_rotated_tokens_and_certificates(*this);
}
TEST_F(OperatorStory, AKindThatIsGoneIsWaitedFor) {
  waits_for_a_kind_that_is_gone(*this);
}
TEST_F(OperatorStory, AStolenLeaseIsStoodBackFrom) {
  stands_by_while_its_lease_is_stolen(*this);
}
TEST_F(OperatorStory, AnAnswerThatNeverComesIsGivenUpOn) {
  gives_up_on_an_answer_that_never_comes(*this);
}

TEST_F(OperatorStory, ARestoredServerIsFollowed) {
  const auto data = directory_.path() / "data";
  const auto backup = directory_.path() / "backup";
  const std::vector<std::string> flags{"--data-dir", data.string()};
  start_server(flags);
  install();
  ASSERT_EQ(server_->stop(), 0);
  std::filesystem::copy(data, backup, std::filesystem::copy_options::recursive);
  start_server(flags);

  follows_a_server_that_went_back_in_time(*this, [&]() -> OperatorStage {
    server_->kill();
    std::filesystem::remove_all(data);
    std::filesystem::copy(backup, data, std::filesystem::copy_options::recursive);
    start_server(flags);
    return static_cast<OperatorStage&>(*this);
  });
}

}  // namespace
}  // namespace fixpoint
