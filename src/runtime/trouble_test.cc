// SPDX-License-Identifier: Apache-2.0
#include "runtime/trouble.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

Outcome outcome(StepState state, std::string reason, std::string name) {
  Outcome made{.what = "apply ConfigMap ns/" + name, .state = state, .reason = std::move(reason)};
  made.message = "because";
  made.object = std::make_shared<const ObjectRef>(ObjectRef{
      {"", "v1", "ConfigMap"},
      {"ns", std::move(name)}
  });
  return made;
}

TEST(Troubles, NameWhatFailedAndWhatWasLeftOutBecauseOfIt) {
  const Outcomes outcomes{
      {outcome(StepState::Done, "", "a"), outcome(StepState::Failed, "Forbidden", "b"),
       outcome(StepState::Skipped, "DependencyFailed", "c"),
       outcome(StepState::Waiting, "NotReady", "d"),
       outcome(StepState::Skipped, "DependencyWaiting", "e"),
       outcome(StepState::Paused, "Paused", "f"), outcome(StepState::Unchanged, "", "g")}
  };

  const auto all = troubles(outcomes);

  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0], (Trouble{"ConfigMap", "ns", "b", "Forbidden", "because"}));
  EXPECT_EQ(all[1].name, "c");
  EXPECT_EQ(all[2].reason, "Paused");
}

TEST(Troubles, OfWhatIsNoObjectSayWhatWasToBeDone) {
  Outcomes outcomes;
  outcomes.steps.push_back({.what = "effect reload", .state = StepState::Failed});

  EXPECT_EQ(troubles(outcomes).at(0).name, "effect reload");
  EXPECT_EQ(troubles(outcomes).at(0).kind, "");
}

TEST(Troubles, AreAsManyAsPeopleRead) {
  Outcomes outcomes;
  outcomes.steps.assign(1'000, outcome(StepState::Failed, "Forbidden", "b"));
  for (auto& step : outcomes.steps) step.message.assign(10'000, 'x');

  const auto all = troubles(outcomes);

  EXPECT_EQ(all.size(), kTroublesMax);
  EXPECT_EQ(all[0].message.size(), kTroubleMessageBytesMax);
  EXPECT_TRUE(types::mistakes(types::table_of<Trouble>()).empty());
}

}  // namespace
}  // namespace fixpoint::runtime
