// SPDX-License-Identifier: Apache-2.0
//
// The rules of the runtime, one by one taken away: each is missed, by a property that says why.
#include "verify/world/mutants.h"

#include "base/thoroughness_for_tests.h"
#include "verify/world/boats_for_tests.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace fixpoint::verify::world {
namespace {

class WorldMutants : public testing::TestWithParam<std::size_t> {};

TEST_P(WorldMutants, AMissingRuleIsNoticed) {
  const Trial trial = boat_trial();

  const auto mutant = MutantHunt{trial, {}}.hunt(without(static_cast<runtime::Rule>(GetParam())));

  EXPECT_TRUE(mutant.killed()) << to_text(mutant);
}

// Under a sanitizer some of them: it looks at how they are hunted, not at who is caught.
INSTANTIATE_TEST_SUITE_P(EachRule, WorldMutants,
                         testing::Range<std::size_t>(0, runtime::kRuleCount, kFewCasesStride),
                         [](const auto& row) {
                           return to_string(static_cast<runtime::Rule>(row.param));
                         });

// The first scenario is enough for these.
Trial small_trial() {
  Trial trial = boat_trial();
  trial.scenarios.resize(1);
  return trial;
}

Mutation weak(apiserver::Weakness weakness) {
  return {.group = "rules of the API", .name = "weak", .weakness = weakness};
}

TEST(WorldMutantsOfTheServer, AreNoticedWhereTheyMatter) {
  const Trial trial = small_trial();
  MutantHunt hunt{trial, {}};

  const auto wrong = hunt.hunt(weak(apiserver::Weakness::IgnoresFinalizersOnDelete));
  const auto harmless = hunt.hunt(weak(apiserver::Weakness::GivesGraceToFinished));

  EXPECT_EQ(wrong.property, "server: finalizers decide when an object goes");
  EXPECT_FALSE(harmless.killed());
  EXPECT_TRUE(harmless.same);
}

TEST(WorldMutantsOfTheOperator, AreMadeOfEveryStepAndField) {
  const Trial trial = small_trial();

  const auto all = mutations_of(trial);

  const auto has = [&](std::string_view name) {
    return std::ranges::find(all, name, &Mutation::name) != all.end();
  };
  EXPECT_TRUE(has("drop \"apply ConfigMap a-map\""));
  EXPECT_TRUE(has("change /data/color of \"apply ConfigMap a-map\""));
  EXPECT_TRUE(has("keep the first phase"));
  EXPECT_TRUE(has("deaf to configmaps"));
  EXPECT_TRUE(has("without FinalizerFirst"));
  EXPECT_GE(all.size(), 150U);
}

TEST(WorldMutantsOfTheOperator, SurviveWhenTheyAreTheOperator) {
  const Trial trial = small_trial();

  const auto mutant = MutantHunt{trial, {}}.hunt({.group = "none", .name = "nothing"});

  EXPECT_FALSE(mutant.killed());
  EXPECT_TRUE(mutant.same);
}

TEST(WorldMutantsOfTheOperator, AreExplainedByTheirAuthor) {
  Trial trial = small_trial();
  trial.explained["operator: another finalizer"] = "as good";
  const auto all = mutations_of(trial);

  const auto mutant =
      MutantHunt{trial, {}}.hunt(*std::ranges::find(all, "another finalizer", &Mutation::name));

  EXPECT_FALSE(mutant.open());
  EXPECT_EQ(mutant.explained, "as good");
}

}  // namespace
}  // namespace fixpoint::verify::world
