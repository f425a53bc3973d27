// SPDX-License-Identifier: Apache-2.0
//
// Every mistake of the stellar operator is noticed by the case it belongs to. The cases themselves,
// as they should be, are explored by the test `verify`.
#include "trials/stellar/trial.h"
#include "verify/world/mutants.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::trials::stellar {
namespace {

const verify::world::Trial& stellar_trial() {
  static const verify::world::Trial kTrial = trial();
  return kTrial;
}

TEST(StellarTrial, HasAWorldAndAMistakeForEachOfTheTwelveCases) {
  std::set<std::string> scenarios;
  std::set<std::string> mistaken;
  for (const auto& scenario : stellar_trial().scenarios) scenarios.insert(scenario.name);
  for (const auto& variant : stellar_trial().variants) {
    mistaken.insert(variant.belongs_to);
    EXPECT_TRUE(scenarios.contains(variant.belongs_to)) << variant.belongs_to;
  }

  for (int number = 1; number <= 12; ++number) {
    const auto name = "ec" + std::to_string(number);
    EXPECT_TRUE(scenarios.contains(name)) << name;
    EXPECT_TRUE(mistaken.contains(name)) << name;
  }
  EXPECT_GE(stellar_trial().variants.size(), 60U);
}

// The first mistake of each world is the root cause of its case. The others take minutes:
// `fixpoint verify stellar --mutants --group case`. So do those of the largest worlds.
const std::vector<verify::world::Mutation>& all_mistakes() {
  static const auto kAll = verify::world::variants_of(stellar_trial());
  return kAll;
}

bool is_large(const std::string& name) {
  const auto& all = stellar_trial().scenarios;
  const auto found = std::ranges::find(all, name, &verify::world::Scenario::name);
  return found != all.end() && found->by_name_only;
}

std::vector<std::size_t> root_causes() {
  std::set<std::string> seen;
  std::vector<std::size_t> first;
  for (std::size_t at = 0; at < all_mistakes().size(); ++at) {
    const auto& name = all_mistakes()[at].first_in;
    if (seen.insert(name).second && !is_large(name)) first.push_back(at);
  }
  return first;
}

class StellarMistakes : public testing::TestWithParam<std::size_t> {};

TEST_P(StellarMistakes, AreNoticed) {
  const auto& mutation = all_mistakes()[GetParam()];
  verify::world::MutantHunt hunt{stellar_trial(), {.scenario = mutation.first_in}};

  const auto mutant = hunt.hunt(mutation);

  EXPECT_TRUE(mutant.killed()) << mutation.group << ": " << mutation.name << ", after "
                               << mutant.states << " states";
}

INSTANTIATE_TEST_SUITE_P(RootCauses, StellarMistakes, testing::ValuesIn(root_causes()));

}  // namespace
}  // namespace fixpoint::trials::stellar
