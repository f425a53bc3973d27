// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/operator_scenarios.h"

#include "json/parsing/parse.h"
#include "json/print.h"
#include "tests/integration/kubectl.h"
#include "tests/integration/meddler.h"
#include "tests/shipped_program.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kPause = "fixpoint.dev/reconcile-paused";
const std::string kEvents = "/apis/events.k8s.io/v1/namespaces/default/events";

void put_board(const OperatorStage& stage, std::string_view notices) {
  const auto body = fmt::format(R"({{"apiVersion":"example.fixpoint.dev/v1","kind":"Noticeboard",)"
                                R"("metadata":{{"name":"board"}},"spec":{{"notices":{}}}}})",
                                notices);
  ASSERT_EQ(stage.call("POST", kBoards, body).status, 201);
}

// "board-b OwnershipConflict, board-c DependencyFailed"
std::string missing_of(const OperatorStage& stage) {
  const auto list = json::parse(stage.text(kBoards + "/board", "status", "missing"));
  std::string all;
  if (!list) return all;
  for (const auto trouble : list->view().elements()) {
    all += fmt::format("{}{} {} {}", all.empty() ? "" : ", ", trouble.get("kind").as_string(),
                       trouble.get("name").as_string(), trouble.get("reason").as_string());
  }
  return all;
}

std::string phase_of(const OperatorStage& stage) {
  return stage.text(kBoards + "/board", "status", "phase");
}

bool is_lease(const Meddler::Seen& seen) {
  return seen.path.find("/leases") != std::string::npos;
}

std::vector<Meddler::Entry> writes_of(const Meddler& meddler, std::size_t from = 0) {
  std::vector<Meddler::Entry> writes;
  const auto log = meddler.log();
  for (std::size_t i = from; i < log.size(); ++i) {
    if (log[i].seen.is_write() && !is_lease(log[i].seen)) writes.push_back(log[i]);
  }
  return writes;
}

std::unique_ptr<RunningOperator> run_elected_behind(const OperatorStage& stage,
                                                    const Meddler& meddler,
                                                    const std::string& name) {
  return stage.run({.kubeconfig = meddler.kubeconfig(),
                    .log = stage.scratch() / (name + ".log"),
                    .flags = kElected});
}

// Edits with kubectl until the guard has had enough; how many it took.
int fight(const OperatorStage& stage, const Kubectl& kubectl) {
  const auto map = kConfigMaps + "/hi";
  const auto paused = [&] { return stage.text(map, "metadata", "annotations", kPause) == "true"; };
  int edits = 0;
  for (; edits < 30 && !paused(); ++edits) {
    EXPECT_THAT(kubectl(R"(patch configmap hi --type=merge -p '{"data":{"index.html":"mine"}}')"),
                HasSubstr("patched"));
    EXPECT_TRUE(eventually([&] { return stage.page_of("hi") == "hello" || paused(); }));
  }
  return edits;
}

}  // namespace

void isolates_a_bad_branch(const OperatorStage& stage) {
  // A stranger has taken the place of notice b.
  const auto stranger = kConfigMaps + "/board-b";
  ASSERT_EQ(
      stage.call("POST", kConfigMaps, R"({"metadata":{"name":"board-b"},"data":{"x":"y"}})").status,
      201);
  const auto process = stage.run({.kubeconfig = stage.cluster().kubeconfig,
                                  .log = stage.scratch() / "branch.log",
                                  .operators = "noticeboard"});
  put_board(stage, R"([{"name":"a","text":"1"},{"name":"b"},{"name":"c","after":["b"]},)"
                   R"({"name":"d","text":"4"}])");

  ASSERT_TRUE(eventually([&] { return phase_of(stage) == "Degraded"; }));
  EXPECT_EQ(missing_of(stage),
            "ConfigMap board-b OwnershipConflict, ConfigMap board-c DependencyFailed");
  EXPECT_THAT(stage.text(kBoards + "/board", "status", "missing"),
              HasSubstr(R"(branch \"b\" did not succeed)"));
  EXPECT_EQ(stage.text(kBoards + "/board", "status", "pinned"), "2");
  EXPECT_THAT(stage.text(kBoards + "/board", "status", "conditions"),
              HasSubstr("OwnershipConflict"));
  EXPECT_EQ(stage.text(kConfigMaps + "/board-a", "data", "text"), "1");
  EXPECT_EQ(stage.text(kConfigMaps + "/board-d", "data", "text"), "4") << "the rest goes on";
  EXPECT_EQ(stage.call("GET", kConfigMaps + "/board-c").status, 404);
  EXPECT_EQ(stage.text(stranger, "data", "x"), "y") << "and the stranger is left alone";
  EXPECT_TRUE(eventually([&] {
    return stage.call("GET", kEvents).body.find("OwnershipConflict") != std::string::npos;
  }));

  // Every pass tries again; a label on the board is enough to start one.
  stage.call("DELETE", stranger);
  stage.call("PATCH", kBoards + "/board", R"({"metadata":{"labels":{"look":"again"}}})");
  EXPECT_TRUE(eventually([&] { return phase_of(stage) == "Pinned"; }));
  EXPECT_EQ(missing_of(stage), "");
  EXPECT_EQ(stage.call("GET", kConfigMaps + "/board-c").status, 200);

  // One that the server itself refuses; a change beside it goes through.
  stage.call("PATCH", kBoards + "/board",
             R"({"spec":{"notices":[{"name":"a","text":"2"},{"name":"No Name"}]}})");
  EXPECT_TRUE(eventually([&] { return missing_of(stage) == "ConfigMap board-No Name Invalid"; }));
  EXPECT_TRUE(
      eventually([&] { return stage.text(kConfigMaps + "/board-a", "data", "text") == "2"; }));
  EXPECT_EQ(process->stop(), 0);
}

void is_fought_with_kubectl(const OperatorStage& stage) {
  const auto program = find_kubectl();
  if (program.empty()) GTEST_SKIP() << "no kubectl on PATH and none built";
  const Kubectl kubectl(program, stage.cluster().kubeconfig);
  const auto process = stage.run("war");
  stage.greet("hi");
  ASSERT_TRUE(eventually([&] { return stage.page_of("hi") == "hello"; }));

  EXPECT_EQ(fight(stage, kubectl), 9);

  EXPECT_EQ(stage.page_of("hi"), "mine") << "the last change stays";
  EXPECT_TRUE(eventually([&] {
    return kubectl("events --for configmap/hi").find("ThrashingDetected") != std::string::npos;
  })) << kubectl("get events");
  EXPECT_THAT(kubectl("get configmap hi -o yaml"), HasSubstr("kubectl-patch"))
      << "the record names the other writer";
  EXPECT_THAT(kubectl("annotate configmap hi " + kPause + "-"), HasSubstr("annotated"));
  EXPECT_TRUE(eventually([&] { return stage.page_of("hi") == "hello"; }));
  EXPECT_THAT(kubectl("get configmap hi -o yaml"), Not(HasSubstr("pause")));
}

void runs_with_its_own_rights(const OperatorStage& stage) {
  const auto program = find_kubectl();
  if (program.empty()) GTEST_SKIP() << "no kubectl on PATH and none built";
  const Kubectl kubectl(program, stage.cluster().kubeconfig);
  const auto manifests = (stage.scratch() / "manifests.yaml").string();
  output_of(fmt::format("'{}' manifests --operators greeting --name hi --namespace hi-system > {}",
                        shipped_program().string(), manifests));
  const auto applied = kubectl("apply --server-side --force-conflicts -f " + manifests);
  ASSERT_THAT(applied, HasSubstr("poddisruptionbudget.policy/hi serverside-applied"));
  std::string token = kubectl("create token hi --namespace hi-system");
  while (token.ends_with('\n')) token.pop_back();
  const auto config = stage.scratch() / "own.kubeconfig";
  std::filesystem::copy_file(stage.cluster().kubeconfig, config);
  const Kubectl own(program, config);
  own("config set-credentials own --token=" + token);
  own("config set-context --current --user=own --namespace=hi-system");
  ASSERT_THAT(own("auth can-i list secrets"), HasSubstr("no"));

  const auto process =
      stage.run({.kubeconfig = config, .log = stage.scratch() / "own.log", .flags = kElected});
  stage.greet("hi");
  ASSERT_TRUE(eventually([&] { return stage.greeted("hi"); })) << process->log();
  EXPECT_EQ(fight(stage, kubectl), 9) << process->log();
  EXPECT_TRUE(eventually([&] {
    return kubectl("events --for configmap/hi").find("ThrashingDetected") != std::string::npos;
  })) << process->log();
  EXPECT_TRUE(eventually([&] {
    return kubectl("get configmaps -n hi-system -o name").find("greeting-guard") !=
           std::string::npos;
  })) << process->log();
  EXPECT_THAT(kubectl("get leases -n hi-system -o name"), HasSubstr("fixpoint-greeting"));
  stage.call("DELETE", kGreetings + "/hi");
  EXPECT_TRUE(eventually([&] { return stage.call("GET", kGreetings + "/hi").status == 404; }));
  EXPECT_EQ(process->stop(), 0);
  EXPECT_THAT(process->log(), Not(HasSubstr("orbidden"))) << "nothing was asked for in vain";
  kubectl("delete namespace hi-system --wait=false");
}

void takes_over_from_a_killed_leader(const OperatorStage& stage) {
  constexpr int kGreetingsMade = 10;
  const auto first_wire = stage.meddle("first");
  const auto second_wire = stage.meddle("second");
  const auto first = run_elected_behind(stage, *first_wire, "first");
  ASSERT_TRUE(eventually([&] { return OperatorStage::leads(*first); })) << first->log();
  const auto second = run_elected_behind(stage, *second_wire, "second");
  ASSERT_TRUE(eventually([&] { return second->page("/readyz").status == 200; }));

  for (int i = 0; i < kGreetingsMade; ++i) stage.greet(fmt::format("g{}", i));
  // In the middle of it: some answers will never arrive.
  ASSERT_TRUE(eventually([&] { return writes_of(*first_wire).size() >= 8; }));
  first->kill();

  ASSERT_TRUE(eventually([&] { return OperatorStage::leads(*second); })) << second->log();
  for (int i = 0; i < kGreetingsMade; ++i) {
    EXPECT_TRUE(eventually([&] { return stage.greeted(fmt::format("g{}", i)); })) << i;
  }
  std::map<std::string, int> made;  // by collection
  for (const auto* wire : {first_wire.get(), second_wire.get()}) {
    for (const auto& write : writes_of(*wire)) {
      if (write.seen.method == "POST" && write.code == 201) ++made[write.seen.path];
    }
  }
  // All are there, and nothing was made twice. What was being made at the kill may not have been
  // heard of.
  EXPECT_LE(made[kConfigMaps], kGreetingsMade);
  EXPECT_LE(made[kDeployments], kGreetingsMade);
  // The second wrote nothing before the lease was its own.
  const auto log = second_wire->log();
  const auto lease = std::ranges::find_if(log, [](const auto& entry) {
    return is_lease(entry.seen) && entry.seen.is_write() && entry.code == 200;
  });
  ASSERT_NE(lease, log.end());
  EXPECT_TRUE(std::none_of(log.begin(), lease, [](const auto& entry) {
    return entry.seen.is_write() && !is_lease(entry.seen);
  }));
  // And at the fixpoint nothing is written any more.
  const auto quiet = second_wire->count();
  const auto process_passes = second->metric(
      R"(controller_runtime_reconcile_total{controller="greeting",result="success"})");
  stage.call("PATCH", kGreetings + "/g0", R"({"metadata":{"labels":{"look":"again"}}})");
  EXPECT_TRUE(eventually([&] {
    return second->metric(
               R"(controller_runtime_reconcile_total{controller="greeting",result="success"})") >
           process_passes;
  }));
  EXPECT_EQ(writes_of(*second_wire, quiet).size(), 0U);
}

void writes_nothing_after_a_long_sleep(const OperatorStage& stage) {
  const auto wire = stage.meddle("sleeper");
  const auto sleeper = run_elected_behind(stage, *wire, "sleeper");
  ASSERT_TRUE(eventually([&] { return OperatorStage::leads(*sleeper); })) << sleeper->log();
  const auto other = stage.run("other", kElected);
  stage.greet("hi");
  ASSERT_TRUE(eventually([&] { return stage.greeted("hi"); }));

  ::kill(sleeper->pid(), SIGSTOP);
  ASSERT_TRUE(eventually([&] { return OperatorStage::leads(*other); })) << other->log();
  // Work that it will find waiting when it wakes up.
  stage.call("DELETE", kConfigMaps + "/hi");
  ASSERT_TRUE(eventually([&] { return stage.page_of("hi") == "hello"; }));
  const auto slept = wire->count();
  stage.greet("more");
  ::kill(sleeper->pid(), SIGCONT);

  EXPECT_TRUE(eventually([&] { return stage.greeted("more"); }));
  EXPECT_TRUE(eventually([&] {
    return sleeper->log().find("the lease is lost") != std::string::npos;
  })) << sleeper->log();
  EXPECT_EQ(writes_of(*wire, slept).size(), 0U) << "only the lease may be asked for";
  EXPECT_TRUE(OperatorStage::leads(*other));
}

}  // namespace fixpoint
