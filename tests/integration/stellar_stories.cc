// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/stellar_stories.h"

#include "net/transport/socket.h"
#include "tests/integration/stellar_expectations.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;
using What = Meddler::Deed::What;

constexpr std::string_view kGoodPasses =
    R"(controller_runtime_reconcile_total{controller="stellar",result="requeue_after"})";

bool leads(const RunningOperator& process) {
  return process.metric(R"(leader_election_master_status{name="fixpoint-stellar"})") == 1;
}

// Each write, the first time that it is tried.
Meddler::Script once_each(Meddler::Deed deed) {
  struct Tried {
    std::mutex mutex;  // guards paths
    std::set<std::string> paths;
  };
  return [deed = std::move(deed), tried = std::make_shared<Tried>()](const Meddler::Seen& seen) {
    if (!is_ours(seen)) return Meddler::Deed{};
    const std::lock_guard lock(tried->mutex);
    return tried->paths.insert(seen.method + seen.path).second ? deed : Meddler::Deed{};
  };
}

void survives(const StellarStage& stage, const std::string& name, Meddler::Deed deed) {
  const auto wire = stage.meddle(name);
  wire->play(once_each(std::move(deed)));
  const auto process = stage.run_stellar(name, *wire);
  stage.make("alice", kUnasked);
  expect_golden(stage, *process);
  wire->play(once_each({.what = What::LoseAnswer}));
  remove_alice(stage, *process);
}

}  // namespace

std::string golden_picture(const StellarStage& stage) {
  const auto process = stage.run_stellar("golden");
  stage.make("alice", kUnasked);
  expect_running(stage, *process);
  auto picture = stage.picture("alice");
  remove_alice(stage, *process);
  return picture;
}

void survives_failed_calls(const StellarStage& stage) {
  survives(stage, "failed",
           {.what = What::Answer,
            .code = 500,
            .body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":500,
                        "reason":"InternalError","message":"not now"})"});
}

void survives_lost_answers(const StellarStage& stage) {
  survives(stage, "lost", {.what = What::LoseAnswer});
}

void survives_a_kill(const StellarStage& stage) {
  const auto wire = stage.meddle("killed");
  // The fifth write never gets an answer, and then the process is gone.
  const auto writes = std::make_shared<std::atomic<int>>(0);
  wire->play([writes](const Meddler::Seen& seen) {
    return is_ours(seen) && writes->fetch_add(1) >= 4 ? Meddler::Deed{.what = What::Stall}
                                                      : Meddler::Deed{};
  });
  auto process = stage.run_stellar("killed", *wire);
  stage.make("alice", kUnasked);
  ASSERT_TRUE(eventually([&] { return writes->load() >= 5; })) << process->log();
  process->kill();
  EXPECT_EQ(stage.call("GET", kSets + "/alice").status, 404);

  process = stage.run_stellar("next");

  expect_golden(stage, *process);
  remove_alice(stage, *process);
}

void refuses_a_bad_setting(const StellarStage& stage) {
  const auto process = stage.run_stellar("refused");
  stage.make("alice", kUnasked);
  expect_golden(stage, *process);

  const auto refusal = stage.call(
      "PATCH", kNodes + "/alice",
      R"({"spec":{"serviceMesh":{"istio":{"circuitBreaker":{"consecutiveErrors":0}}}}})");

  EXPECT_EQ(refusal.status, 422);
  EXPECT_THAT(refusal.body, HasSubstr("spec.serviceMesh.istio.circuitBreaker.consecutiveErrors"));
  EXPECT_THAT(refusal.body, HasSubstr("typically 5-10"));
  expect_golden(stage, *process);
  remove_alice(stage, *process);
}

void outlives_a_hanging_node(const StellarStage& stage) {
  // It takes connections, and that is all.
  const auto hanging = net::listen_on({"127.9.9.8", 11626});
  ASSERT_TRUE(hanging.has_value()) << hanging.error().message;
  const auto process = stage.run_stellar("hanging");
  stage.make("alice");
  stage.start_pod("alice", "127.9.9.8");

  EXPECT_TRUE(eventually([&] {
    return stage.status("alice").find(R"("reason":"NoAnswer")") != std::string::npos;
  })) << stage.status("alice")
      << process->log();
  EXPECT_NE(stage.phase("alice"), "Running");
  EXPECT_NE(stage.phase("alice"), "Failed");
  remove_alice(stage, *process);
}

void leaves_foreign_objects_alone(const StellarStage& stage) {
  stage.call("POST", kServices, R"({"metadata":{"name":"alice"},"spec":{"ports":[{"port":7}]}})");
  const auto before = stage.text(kServices + "/alice", "metadata", "resourceVersion");
  const auto process = stage.run_stellar("foreign");
  stage.make("alice", kUnasked);

  EXPECT_TRUE(eventually([&] {
    return stage.status("alice").find("belongs to nobody we know") != std::string::npos;
  })) << stage.status("alice")
      << process->log();
  stage.call("DELETE", kNodes + "/alice");
  EXPECT_TRUE(eventually([&] { return stage.call("GET", kNodes + "/alice").status == 404; }))
      << stage.status("alice") << process->log();
  EXPECT_EQ(stage.text(kServices + "/alice", "metadata", "resourceVersion"), before);
  stage.call("DELETE", kServices + "/alice");
}

void deletes_through_a_partition(const StellarStage& stage) {
  const auto wire = stage.meddle("partition");
  const auto process = stage.run_stellar("partition", *wire);
  stage.make("alice", kUnasked);
  expect_golden(stage, *process);
  const auto deletes = std::make_shared<std::atomic<int>>(0);
  wire->play([deletes](const Meddler::Seen& seen) {
    if (seen.method == "DELETE") deletes->fetch_add(1);
    return deletes->load() >= 2 ? Meddler::Deed{.what = What::Abort} : Meddler::Deed{};
  });

  stage.call("DELETE", kNodes + "/alice");
  ASSERT_TRUE(eventually([&] { return deletes->load() >= 2; })) << process->log();
  EXPECT_EQ(stage.phase("alice"), "Terminating");
  wire->play({});

  expect_gone(stage, *process);
}

void waits_for_a_quota(const StellarStage& stage) {
  stage.call("POST", kQuotas,
             R"({"metadata":{"name":"small"},"spec":{"hard":{"persistentvolumeclaims":"0"}}})");
  ASSERT_TRUE(eventually([&] {
    return !stage.text(kQuotas + "/small", "status", "hard", "persistentvolumeclaims").empty();
  }));
  const auto process = stage.run_stellar("quota");
  stage.make("alice", kUnasked);
  ASSERT_TRUE(eventually([&] {
    return stage.status("alice").find(R"("type":"QuotaExceeded")") != std::string::npos;
  })) << stage.status("alice")
      << process->log();
  EXPECT_THAT(stage.status("alice"), HasSubstr("exceeded quota: small"));
  EXPECT_NE(stage.phase("alice"), "Failed");

  stage.call("DELETE", kQuotas + "/small");
  // Nobody has to wait for the next try.
  stage.call("PATCH", kNodes + "/alice", R"({"metadata":{"annotations":{"look":"now"}}})");

  expect_golden(stage, *process);
  remove_alice(stage, *process);
}

void writes_nothing_at_a_second_start(const StellarStage& stage) {
  {
    const auto process = stage.run_stellar("first");
    stage.make("alice", kUnasked);
    expect_golden(stage, *process);
    EXPECT_EQ(process->stop(), 0);
  }
  const auto wire = stage.meddle("second");
  const auto process = stage.run_stellar("second", *wire);
  ASSERT_TRUE(eventually([&] { return process->metric(kGoodPasses) >= 1; }))
      << process->page("/metrics").body;

  for (const auto& entry : wire->log()) {
    EXPECT_FALSE(entry.seen.is_write()) << entry.seen.method << " " << entry.seen.path;
  }
  remove_alice(stage, *process);
}

void is_quiet_when_idle(const StellarStage& stage) {
  const auto wire = stage.meddle("idle");
  const auto process = stage.run_stellar("idle", *wire);
  stage.make("alice", kUnasked);
  expect_golden(stage, *process);
  const auto passes = [&] { return process->metric(kGoodPasses); };
  // Whatever the last write brought about has been looked at.
  ASSERT_TRUE(eventually([&] {
    const auto before = wire->count();
    const auto looked = passes();
    stage.look("alice");
    return eventually([&] { return passes() > looked; }) && wire->count() == before;
  })) << process->log();

  const auto quiet = wire->count();
  for (int look = 0; look < 5; ++look) {
    const auto before = passes();
    stage.look("alice");
    ASSERT_TRUE(eventually([&] { return passes() > before; })) << process->log();
  }

  const auto log = wire->log();
  for (auto at = quiet; at < log.size(); ++at) {
    EXPECT_FALSE(log[at].seen.is_write()) << log[at].seen.method << " " << log[at].seen.path;
  }
  remove_alice(stage, *process);
}

void follows_edits_during_a_pass(const StellarStage& stage) {
  constexpr int kEditsInBetween = 9;
  const auto wire = stage.meddle("edited");
  // Somebody edits the node between any two of the operator's writes.
  const auto edits = std::make_shared<std::atomic<int>>(0);
  wire->play([edits, &stage](const Meddler::Seen& seen) {
    if (is_ours(seen) && edits->load() < kEditsInBetween) {
      stage.call("PATCH", kNodes + "/alice",
                 fmt::format(R"({{"spec":{{"validatorConfig":{{"homeDomain":"n{}.example"}}}}}})",
                             edits->fetch_add(1) + 1));
    }
    return Meddler::Deed{};
  });
  const auto process = stage.run_stellar("edited", *wire);
  stage.make("alice", kUnasked);

  // Nothing is claimed that was not seen; meanwhile the last of them is reached.
  ASSERT_TRUE(eventually([&] {
    const auto node = stage.cluster().get(kNodes + "/alice");
    EXPECT_LE(node.get("status", "observedGeneration").as_int(),
              node.get("metadata", "generation").as_int());
    return edits->load() == kEditsInBetween;
  })) << process->log();
  expect_running(stage, *process);
  const auto node = stage.cluster().get(kNodes + "/alice");
  const auto generation = std::to_string(node.get("metadata", "generation").as_int());
  for (const auto& child : {kSets + "/alice", kConfigMaps + "/alice-config", kServices + "/alice",
                            kClaims + "/alice-data"}) {
    EXPECT_EQ(stage.text(child, "metadata", "annotations", "stellar.org/generation"), generation)
        << child;
  }
  EXPECT_THAT(stage.call("GET", kConfigMaps + "/alice-config").body,
              HasSubstr(fmt::format("n{}.example", kEditsInBetween)));
  remove_alice(stage, *process);
}

void makes_nothing_once_deleted(const StellarStage& stage) {
  constexpr int kEditsInBetween = 4;
  const auto wire = stage.meddle("deleted");
  const auto process = stage.run_stellar("deleted", *wire);
  stage.make("alice", kUnasked);
  expect_golden(stage, *process);
  // Somebody goes on editing the node while it is taken down, before each of the first deletes.
  const auto edits = std::make_shared<std::atomic<int>>(0);
  wire->play([edits, &stage](const Meddler::Seen& seen) {
    if (seen.method == "DELETE" && edits->load() < kEditsInBetween) {
      stage.call("PATCH", kNodes + "/alice",
                 fmt::format(R"({{"spec":{{"validatorConfig":{{"homeDomain":"n{}.example"}}}}}})",
                             edits->fetch_add(1) + 1));
    }
    return Meddler::Deed{};
  });
  const auto before = wire->count();

  stage.call("DELETE", kNodes + "/alice");

  expect_gone(stage, *process);
  EXPECT_EQ(edits->load(), kEditsInBetween);
  const auto log = wire->log();
  for (auto at = before; at < log.size(); ++at) {
    const auto& seen = log[at].seen;
    const bool own = seen.path.find("/stellarnodes/alice") != std::string::npos;
    EXPECT_TRUE(!is_ours(seen) || seen.method == "DELETE" || own)
        << seen.method << " " << seen.path;
  }
}

void hands_over_to_a_second_leader(const StellarStage& stage) {
  const auto wire = stage.meddle("leader");
  const auto writes = std::make_shared<std::atomic<int>>(0);
  wire->play([writes](const Meddler::Seen& seen) {
    return is_ours(seen) && writes->fetch_add(1) >= 4 ? Meddler::Deed{.what = What::Stall}
                                                      : Meddler::Deed{};
  });
  const auto first = stage.run_stellar("leader", *wire, kElected);
  ASSERT_TRUE(eventually([&] { return leads(*first); })) << first->log();
  const auto second = stage.run_stellar("standby", kElected);
  stage.make("alice", kUnasked);
  ASSERT_TRUE(eventually([&] { return writes->load() >= 5; })) << first->log();
  EXPECT_FALSE(leads(*second));
  first->kill();

  expect_golden(stage, *second);
  EXPECT_TRUE(leads(*second));
  remove_alice(stage, *second);
}

}  // namespace fixpoint
