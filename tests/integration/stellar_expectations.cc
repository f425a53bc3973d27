// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/stellar_expectations.h"

#include <string>

#include <gtest/gtest.h>

namespace fixpoint {

bool is_ours(const Meddler::Seen& seen) {
  return seen.is_write() && seen.path.find("/namespaces/default/") != std::string::npos &&
         seen.path.find("/leases") == std::string::npos &&
         seen.path.find("/events") == std::string::npos;
}

void expect_running(const StellarStage& stage, const RunningOperator& process) {
  EXPECT_TRUE(eventually([&] {
    stage.start_pods("alice");
    const auto node = stage.cluster().get(kNodes + "/alice");
    return node.get("status", "phase").as_string() == "Running" &&
           node.get("status", "observedGeneration") == node.get("metadata", "generation");
  })) << stage.status("alice")
      << process.log();
}

void expect_golden(const StellarStage& stage, const RunningOperator& process) {
  expect_running(stage, process);
  EXPECT_EQ(stage.picture("alice"), stage.golden());
}

void expect_gone(const StellarStage& stage, const RunningOperator& process) {
  EXPECT_TRUE(eventually([&] {
    return stage.gone("alice") && stage.call("GET", kClaims + "/alice-data").status == 404 &&
           stage.call("GET", kPods + "/alice-0").status == 404;
  })) << stage.status("alice")
      << process.log();
}

void remove_alice(const StellarStage& stage, const RunningOperator& process) {
  stage.call("DELETE", kNodes + "/alice");
  expect_gone(stage, process);
}

}  // namespace fixpoint
