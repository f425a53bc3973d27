// SPDX-License-Identifier: Apache-2.0
//
// The shipped operators on a real server: the stories of tests/integration/operator_test.cc, told
// of the Kubernetes they are meant for.
#include "store/scratch_directory.h"
#include "tests/conformance/real_cluster.h"
#include "tests/integration/operator_scenarios.h"

#include <memory>

#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

class OperatorStoryOnKube : public testing::Test, protected OperatorStage {
 protected:
  static void SetUpTestSuite() {
    auto started = RealCluster::start("none");
    if (started) cluster_ = *std::move(started);
  }
  static void TearDownTestSuite() { cluster_.reset(); }
  void SetUp() override {
    ASSERT_NE(cluster_, nullptr) << "no real cluster";
    set(*access_of(cluster_->kubeconfig()), directory_.path());
    install();
    clean();
  }

  store::ScratchDirectory directory_;
  static inline std::unique_ptr<RealCluster> cluster_;
};

TEST_F(OperatorStoryOnKube, OneBadBranchIsIsolated) {
  isolates_a_bad_branch(*this);
}
TEST_F(OperatorStoryOnKube, AnEditWarWithKubectlIsPausedAndResumed) {
  is_fought_with_kubectl(*this);
}
TEST_F(OperatorStoryOnKube, ItsOwnRightsAreEnough) {
  runs_with_its_own_rights(*this);
}
TEST_F(OperatorStoryOnKube, AKilledLeadersWorkIsNeitherLostNorDoneTwice) {
  takes_over_from_a_killed_leader(*this);
}
TEST_F(OperatorStoryOnKube, ALeaderThatSleptWritesNothing) {
  writes_nothing_after_a_long_sleep(*this);
}
TEST_F(OperatorStoryOnKube, EveryFaultIsSurvived) {
  survives_every_fault(*this);
}
TEST_F(OperatorStoryOnKube, RandomFaultsAreSurvived) {
  survives_random_faults(*this);
}
TEST_F(OperatorStoryOnKube, IsQuietWhileTheServerIsAway) {
  is_quiet_while_the_server_is_away(*this);
}
TEST_F(OperatorStoryOnKube, RotatedTokensAndCertificatesAreRead) {
  reads_rotated_tokens_and_certificates(*this);
}
TEST_F(OperatorStoryOnKube, AKindThatIsGoneIsWaitedFor) {
  waits_for_a_kind_that_is_gone(*this);
}
TEST_F(OperatorStoryOnKube, AStolenLeaseIsStoodBackFrom) {
  stands_by_while_its_lease_is_stolen(*this);
}
TEST_F(OperatorStoryOnKube, AnAnswerThatNeverComesIsGivenUpOn) {
  gives_up_on_an_answer_that_never_comes(*this);
}

// A second cluster that has just begun is the first one, long ago.
TEST_F(OperatorStoryOnKube, AServerThatWentBackInTimeIsFollowed) {
  auto younger = RealCluster::start("none");
  ASSERT_TRUE(younger.has_value()) << younger.error().message;
  // The first is older by a few hundred writes.
  for (int i = 0; i < 300; ++i) {
    call("PATCH", "/api/v1/namespaces/default",
         R"({"metadata":{"annotations":{"turn":")" + std::to_string(i) + R"("}}})");
  }

  follows_a_server_that_went_back_in_time(*this, [&] {
    OperatorStage past(*access_of((*younger)->kubeconfig()), directory_.path());
    past.install();
    return past;
  });
}

}  // namespace
}  // namespace fixpoint::conformance
