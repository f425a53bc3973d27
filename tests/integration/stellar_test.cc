// SPDX-License-Identifier: Apache-2.0
//
// StellarNodes as their users meet them: the shipped operator against `fixpoint up`, whose node
// runs the stand-ins of Stellar's programs. Tests named ECn are edge cases of
// docs/operators/stellar.md with the fault produced for real.
#include "base/file.h"
#include "tests/integration/running_server.h"
#include "tests/integration/stellar_stage.h"

#include <atomic>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;
using What = Meddler::Deed::What;

class StellarProcess : public testing::Test, protected StellarStage {
 protected:
  void SetUp() override {
    // Configuration files name paths of the pod; only root gives a pod its own.
    if (::geteuid() != 0) GTEST_SKIP() << "pods have paths of their own only as root";
    auto started = RunningServer::start(directory_.path(), {"--ephemeral", "--nodes", "local"});
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server_ = *std::move(started);
    set(server_->access(), directory_.path());
    install_stellar();
  }

  ScratchDirectory directory_;
  std::unique_ptr<RunningServer> server_;
};

TEST_F(StellarProcess, ComesUpSaysSoAndGoes) {
  const auto process = run_stellar("whole");
  make("alice");

  EXPECT_TRUE(eventually([&] { return phase("alice") == "Running"; }))
      << status("alice") << process->log();
  call("DELETE", kNodes + "/alice");
  EXPECT_TRUE(eventually([&] { return gone("alice"); })) << status("alice") << process->log();
  EXPECT_TRUE(eventually([&] { return call("GET", kClaims + "/alice-data").status == 404; }));
  EXPECT_EQ(process->stop(), 0);
}

TEST_F(StellarProcess, EC1_IsCompletedAfterTheOperatorWasKilledInMidCreation) {
  const auto meddler = meddle("meddler");
  // The fifth write never gets an answer, and then the process is gone.
  const auto writes = std::make_shared<std::atomic<int>>(0);
  meddler->play([writes](const Meddler::Seen& seen) {
    const bool ours = seen.is_write() && seen.path.find("/default/") != std::string::npos;
    return ours && writes->fetch_add(1) >= 4 ? Meddler::Deed{.what = What::Stall} : Meddler::Deed{};
  });
  auto process = run_stellar("killed", *meddler);
  make("alice");
  ASSERT_TRUE(eventually([&] { return writes->load() >= 5; })) << process->log();
  process->kill();
  EXPECT_EQ(call("GET", kSets + "/alice").status, 404);

  process = run_stellar("next");

  EXPECT_TRUE(eventually([&] { return phase("alice") == "Running"; }))
      << status("alice") << process->log();
}

TEST_F(StellarProcess, EC3_ARetainedClaimStaysAndIsUsedAgain) {
  const auto process = run_stellar("retained");
  make("alice");
  ASSERT_TRUE(eventually([&] { return phase("alice") == "Running"; })) << status("alice");
  const auto uid = text(kClaims + "/alice-data", "metadata", "uid");
  call("PATCH", kNodes + "/alice", R"({"spec":{"storage":{"retentionPolicy":"Retain"}}})");
  call("DELETE", kNodes + "/alice");
  ASSERT_TRUE(eventually([&] { return gone("alice"); })) << status("alice") << process->log();
  EXPECT_EQ(text(kClaims + "/alice-data", "metadata", "uid"), uid);

  make("alice");

  EXPECT_TRUE(eventually([&] { return phase("alice") == "Running"; })) << status("alice");
  EXPECT_EQ(text(kClaims + "/alice-data", "metadata", "uid"), uid);
}

TEST_F(StellarProcess, EC8_IsDeletedThoughTheServerIsAwayForAWhile) {
  const auto meddler = meddle("meddler");
  const auto process = run_stellar("partition", *meddler);
  make("alice");
  ASSERT_TRUE(eventually([&] { return phase("alice") == "Running"; })) << status("alice");
  const auto deletes = std::make_shared<std::atomic<int>>(0);
  meddler->play([deletes](const Meddler::Seen& seen) {
    if (seen.method == "DELETE") deletes->fetch_add(1);
    return deletes->load() >= 2 ? Meddler::Deed{.what = What::Abort} : Meddler::Deed{};
  });

  call("DELETE", kNodes + "/alice");
  ASSERT_TRUE(eventually([&] { return deletes->load() >= 2; })) << process->log();
  EXPECT_EQ(phase("alice"), "Terminating");
  meddler->play({});

  EXPECT_TRUE(eventually([&] { return gone("alice"); })) << status("alice") << process->log();
}

TEST_F(StellarProcess, EC11_AQuotaIsNamedAndItsEndIsEnough) {
  call("POST", kQuotas,
       R"({"metadata":{"name":"small"},"spec":{"hard":{"persistentvolumeclaims":"0"}}})");
  ASSERT_TRUE(eventually([&] {
    return !text(kQuotas + "/small", "status", "hard", "persistentvolumeclaims").empty();
  }));
  const auto process = run_stellar("quota");
  make("alice");
  ASSERT_TRUE(eventually([&] {
    return status("alice").find(R"("type":"QuotaExceeded")") != std::string::npos;
  })) << status("alice")
      << process->log();
  EXPECT_THAT(status("alice"), HasSubstr("exceeded quota: small"));
  EXPECT_NE(phase("alice"), "Failed");

  call("DELETE", kQuotas + "/small");
  // Nobody has to wait for the next try.
  call("PATCH", kNodes + "/alice", R"({"metadata":{"annotations":{"look":"now"}}})");

  EXPECT_TRUE(eventually([&] { return phase("alice") == "Running"; }))
      << status("alice") << process->log();
}

TEST_F(StellarProcess, EC12_ASecondStartWritesNothing) {
  {
    const auto process = run_stellar("first");
    make("alice");
    ASSERT_TRUE(eventually([&] { return phase("alice") == "Running"; })) << status("alice");
    EXPECT_EQ(process->stop(), 0);
  }
  const auto meddler = meddle("meddler");
  const auto process = run_stellar("second", *meddler);
  ASSERT_TRUE(eventually([&] {
    return process->metric(
               R"(controller_runtime_reconcile_total{controller="stellar",result="requeue_after"})") >=
           1;
  })) << process->page("/metrics").body;

  for (const auto& entry : meddler->log()) {
    EXPECT_FALSE(entry.seen.is_write()) << entry.seen.method << " " << entry.seen.path;
  }
}

}  // namespace
}  // namespace fixpoint
