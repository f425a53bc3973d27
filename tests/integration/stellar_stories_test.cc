// SPDX-License-Identifier: Apache-2.0
//
// The stories of stellar_stories.h on our server. No pod runs: the story says when one is ready.
#include "tests/integration/stellar_stories.h"

#include "tests/integration/running_server.h"

#include <memory>

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

class StellarStory : public testing::Test, protected StellarStage {
 protected:
  void SetUp() override {
    auto started = RunningServer::start(directory_.path(), {"--ephemeral", "--nodes", "none"});
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server_ = *std::move(started);
    set(server_->access(), directory_.path());
    install_stellar();
    golden_ = golden_picture(*this);
  }

  ScratchDirectory directory_;
  std::unique_ptr<RunningServer> server_;
};

TEST_F(StellarStory, EC1_EveryCallFailsOnce) {
  survives_failed_calls(*this);
}
TEST_F(StellarStory, EC1_EveryAnswerIsLostOnce) {
  survives_lost_answers(*this);
}
TEST_F(StellarStory, EC1_TheOperatorIsKilledInMidCreation) {
  survives_a_kill(*this);
}
TEST_F(StellarStory, EC2_PoliciesComeAfterTheWorkload) {
  adds_policies_after_the_workload(*this);
}
TEST_F(StellarStory, EC2_AKindOfTheMeshGoesAndComesBack) {
  outlives_a_kind_of_the_mesh(*this);
}
TEST_F(StellarStory, EC3_TheFinalizerStaysUntilAllIsGone) {
  keeps_the_finalizer_until_all_is_gone(*this);
}
TEST_F(StellarStory, EC3_ARetainedClaimStaysAndIsUsedAgain) {
  keeps_a_retained_claim(*this);
}
TEST_F(StellarStory, EC4_EditsOfANodeThatGoesMakeNothing) {
  makes_nothing_once_deleted(*this);
}
TEST_F(StellarStory, EC4_ASecondLeaderFinishesTheWork) {
  hands_over_to_a_second_leader(*this);
}
TEST_F(StellarStory, EC5_AHangingNodeHoldsUpNothing) {
  outlives_a_hanging_node(*this);
}
TEST_F(StellarStory, EC6_ABadSettingChangesNothing) {
  refuses_a_bad_setting(*this);
}
TEST_F(StellarStory, EC7_AForeignObjectIsLeftAlone) {
  leaves_foreign_objects_alone(*this);
}
TEST_F(StellarStory, EC8_ADeletionGoesThroughAPartition) {
  deletes_through_a_partition(*this);
}
TEST_F(StellarStory, EC9_AnIdleNodeIsWrittenToByNobody) {
  is_quiet_when_idle(*this);
}
TEST_F(StellarStory, EC10_EditsBetweenAnyTwoWritesAreFollowed) {
  follows_edits_during_a_pass(*this);
}
TEST_F(StellarStory, EC11_AQuotaIsNamedAndItsEndIsEnough) {
  waits_for_a_quota(*this);
}
TEST_F(StellarStory, ItsOwnRightsAreEnough) {
  lives_with_its_own_rights(*this);
}
TEST_F(StellarStory, EC12_ASecondStartWritesNothing) {
  writes_nothing_at_a_second_start(*this);
}

}  // namespace
}  // namespace fixpoint
