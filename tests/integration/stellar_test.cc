// SPDX-License-Identifier: Apache-2.0
//
// StellarNodes as their users meet them: the shipped operator against `fixpoint up`, whose node
// runs the stand-ins of Stellar's programs. Tests named ECn are edge cases of
// docs/operators/stellar.md with the fault produced for real.
#include "base/file.h"
#include "tests/integration/meddler.h"
#include "tests/integration/operator_stage.h"
#include "tests/integration/running_server.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;
using What = Meddler::Deed::What;

const std::string kNodes = "/apis/stellar.org/v1alpha1/namespaces/default/stellarnodes";
const std::string kSets = "/apis/apps/v1/namespaces/default/statefulsets";
const std::string kClaims = "/api/v1/namespaces/default/persistentvolumeclaims";
const std::string kSecrets = "/api/v1/namespaces/default/secrets";
const std::string kServices = "/api/v1/namespaces/default/services";
const std::string kQuotas = "/api/v1/namespaces/default/resourcequotas";
// Of a key that secures nothing.
constexpr std::string_view kSeed = "SBI3CZU7XZEWVXU7OZLW5MMUQAP334JFOPXSLTPOH43IRTEQ2QYXU5RG";

class StellarProcess : public testing::Test, protected OperatorStage {
 protected:
  void SetUp() override {
    // Configuration files name paths of the pod; only root gives a pod its own.
    if (::geteuid() != 0) GTEST_SKIP() << "pods have paths of their own only as root";
    auto started = RunningServer::start(directory_.path(), {"--ephemeral", "--nodes", "local"});
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server_ = *std::move(started);
    set(server_->access(), directory_.path());
    install_kind();
    call(
        "POST", kSecrets,
        fmt::format(R"({{"metadata":{{"name":"seed"}},"stringData":{{"STELLAR_CORE_SEED":"{}"}}}})",
                    kSeed));
  }

  void install_kind() {
    const std::string binary{std::getenv("FIXPOINT_BINARY")};
    const auto file = directory_.path() / "crd.yaml";
    ASSERT_EQ(
        std::system(
            (binary + " manifests --operators stellar --only crds > " + file.string()).c_str()),
        0);
    const auto body = read_file(file);
    ASSERT_TRUE(body.has_value());
    const auto made = server_->request("POST", kDefinitions, *body,
                                       {
                                           {"content-type", "application/yaml"}
    });
    ASSERT_TRUE(made.has_value());
    ASSERT_EQ(made->status, 201) << made->body;
    ASSERT_TRUE(eventually([&] { return call("GET", kNodes).status == 200; }));
  }
  std::unique_ptr<RunningOperator> run_operator(const std::string& name) const {
    return run({.kubeconfig = server_->kubeconfig(),
                .log = directory_.path() / (name + ".log"),
                .operators = "stellar"});
  }
  void make(std::string_view name, std::string_view more = "") const {
    const auto made =
        call("POST", kNodes,
             fmt::format(R"({{"apiVersion":"stellar.org/v1alpha1","kind":"StellarNode",
             "metadata":{{"name":"{}"}},"spec":{{"nodeType":"Validator","network":"testnet",
             "version":"22.1.0","podAntiAffinity":"Disabled","storage":{{"size":"1Gi"}},
             "resources":{{"requests":{{"cpu":"10m","memory":"16Mi"}}}},
             "validatorConfig":{{"seedSecretRef":"seed"}}{}}}}})",
                         name, more));
    EXPECT_EQ(made.status, 201) << made.body;
  }
  std::string phase(std::string_view name) const {
    return text(kNodes + "/" + std::string{name}, "status", "phase");
  }
  // The conditions as JSON, to look for words in.
  std::string status(std::string_view name) const {
    return call("GET", kNodes + "/" + std::string{name}).body;
  }
  bool gone(std::string_view name) const {
    const std::string suffix = "/" + std::string{name};
    return call("GET", kNodes + suffix).status == 404 &&
           call("GET", kSets + suffix).status == 404 &&
           call("GET", kServices + suffix).status == 404 &&
           call("GET", kConfigMaps + suffix + "-config").status == 404;
  }

  ScratchDirectory directory_;
  std::unique_ptr<RunningServer> server_;
};

TEST_F(StellarProcess, ComesUpSaysSoAndGoes) {
  const auto process = run_operator("whole");
  make("alice");

  EXPECT_TRUE(eventually([&] { return phase("alice") == "Running"; }))
      << status("alice") << process->log();
  call("DELETE", kNodes + "/alice");
  EXPECT_TRUE(eventually([&] { return gone("alice"); })) << status("alice") << process->log();
  EXPECT_TRUE(eventually([&] { return call("GET", kClaims + "/alice-data").status == 404; }));
  EXPECT_EQ(process->stop(), 0);
}

TEST_F(StellarProcess, EC1_IsCompletedAfterTheOperatorWasKilledInMidCreation) {
  auto started = Meddler::start(server_->access(), directory_.path() / "meddler");
  ASSERT_TRUE(started.has_value());
  const auto meddler = *std::move(started);
  // The fifth write never gets an answer, and then the process is gone.
  const auto writes = std::make_shared<std::atomic<int>>(0);
  meddler->play([writes](const Meddler::Seen& seen) {
    const bool ours = seen.is_write() && seen.path.find("/default/") != std::string::npos;
    return ours && writes->fetch_add(1) >= 4 ? Meddler::Deed{.what = What::Stall} : Meddler::Deed{};
  });
  auto process = run({.kubeconfig = meddler->kubeconfig(),
                      .log = directory_.path() / "killed.log",
                      .operators = "stellar"});
  make("alice");
  ASSERT_TRUE(eventually([&] { return writes->load() >= 5; })) << process->log();
  process->kill();
  EXPECT_EQ(call("GET", kSets + "/alice").status, 404);

  process = run_operator("next");

  EXPECT_TRUE(eventually([&] { return phase("alice") == "Running"; }))
      << status("alice") << process->log();
}

TEST_F(StellarProcess, EC3_ARetainedClaimStaysAndIsUsedAgain) {
  const auto process = run_operator("retained");
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
  auto started = Meddler::start(server_->access(), directory_.path() / "meddler");
  ASSERT_TRUE(started.has_value());
  const auto meddler = *std::move(started);
  const auto process = run({.kubeconfig = meddler->kubeconfig(),
                            .log = directory_.path() / "partition.log",
                            .operators = "stellar"});
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
  const auto process = run_operator("quota");
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
    const auto process = run_operator("first");
    make("alice");
    ASSERT_TRUE(eventually([&] { return phase("alice") == "Running"; })) << status("alice");
    EXPECT_EQ(process->stop(), 0);
  }
  auto started = Meddler::start(server_->access(), directory_.path() / "meddler");
  ASSERT_TRUE(started.has_value());
  const auto meddler = *std::move(started);
  const auto process = run({.kubeconfig = meddler->kubeconfig(),
                            .log = directory_.path() / "second.log",
                            .operators = "stellar"});
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
