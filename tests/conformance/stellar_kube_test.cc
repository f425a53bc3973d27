// SPDX-License-Identifier: Apache-2.0
//
// The stories of tests/integration/stellar_stories.h on a real server with its own controllers.
// They end with the same objects as on ours: both are held to one file.
#include "store/scratch_directory.h"
#include "tests/conformance/real_cluster.h"
#include "tests/integration/running_server.h"
#include "tests/integration/stellar_stories.h"

#include <memory>

#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

class StellarOnKube : public testing::Test, protected StellarStage {
 protected:
  static void SetUpTestSuite() {
    auto started = RealCluster::start("all");
    if (started) cluster_ = *std::move(started);
  }
  // Takes what our own server ends with.
  void learn() {
    const store::ScratchDirectory scratch;
    const auto ours = RunningServer::start(scratch.path(), {"--ephemeral", "--nodes", "none"});
    ASSERT_TRUE(ours.has_value()) << ours.error().message;
    const StellarStage stage((*ours)->access(), scratch.path());
    stage.install_stellar();
    golden_ = golden_picture(stage);
  }
  static void TearDownTestSuite() { cluster_.reset(); }
  void SetUp() override {
    ASSERT_NE(cluster_, nullptr) << "no real cluster";
    set(*access_of(cluster_->kubeconfig()), directory_.path());
    install_stellar();
    learn();
  }

  store::ScratchDirectory directory_;
  static inline std::unique_ptr<RealCluster> cluster_;
};

TEST_F(StellarOnKube, EC1_EveryCallFailsOnce) {
  survives_failed_calls(*this);
}
TEST_F(StellarOnKube, EC1_EveryAnswerIsLostOnce) {
  survives_lost_answers(*this);
}
TEST_F(StellarOnKube, EC1_TheOperatorIsKilledInMidCreation) {
  survives_a_kill(*this);
}
TEST_F(StellarOnKube, EC2_PoliciesComeAfterTheWorkload) {
  adds_policies_after_the_workload(*this);
}
TEST_F(StellarOnKube, EC2_AKindOfTheMeshGoesAndComesBack) {
  outlives_a_kind_of_the_mesh(*this);
}
TEST_F(StellarOnKube, EC3_TheFinalizerStaysUntilAllIsGone) {
  keeps_the_finalizer_until_all_is_gone(*this);
}
TEST_F(StellarOnKube, EC3_ARetainedClaimStaysAndIsUsedAgain) {
  keeps_a_retained_claim(*this);
}
TEST_F(StellarOnKube, EC4_EditsOfANodeThatGoesMakeNothing) {
  makes_nothing_once_deleted(*this);
}
TEST_F(StellarOnKube, EC4_ASecondLeaderFinishesTheWork) {
  hands_over_to_a_second_leader(*this);
}
TEST_F(StellarOnKube, EC5_AHangingNodeHoldsUpNothing) {
  outlives_a_hanging_node(*this);
}
TEST_F(StellarOnKube, EC6_ABadSettingChangesNothing) {
  refuses_a_bad_setting(*this);
}
TEST_F(StellarOnKube, EC7_AForeignObjectIsLeftAlone) {
  leaves_foreign_objects_alone(*this);
}
TEST_F(StellarOnKube, EC8_ADeletionGoesThroughAPartition) {
  deletes_through_a_partition(*this);
}
TEST_F(StellarOnKube, EC9_AnIdleNodeIsWrittenToByNobody) {
  is_quiet_when_idle(*this);
}
TEST_F(StellarOnKube, EC10_EditsBetweenAnyTwoWritesAreFollowed) {
  follows_edits_during_a_pass(*this);
}
TEST_F(StellarOnKube, EC11_AQuotaIsNamedAndItsEndIsEnough) {
  waits_for_a_quota(*this);
}
TEST_F(StellarOnKube, ItsOwnRightsAreEnough) {
  lives_with_its_own_rights(*this);
}
TEST_F(StellarOnKube, EC12_ASecondStartWritesNothing) {
  writes_nothing_at_a_second_start(*this);
}

}  // namespace
}  // namespace fixpoint::conformance
