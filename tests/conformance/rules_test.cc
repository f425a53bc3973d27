// SPDX-License-Identifier: Apache-2.0
//
// The 48 rules without a real server: our core answers what a real one was recorded to answer.
#include "tests/conformance/compare.h"
#include "tests/conformance/rules_run.h"

#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

TEST(RuleTable, HasEveryRuleAndSaysWhereItIsShown) {
  const auto& all = rules();

  ASSERT_EQ(all.size(), 48U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].number, static_cast<int>(i) + 1);
    EXPECT_FALSE(all[i].says.empty());
    EXPECT_TRUE(!all[i].shown_by.empty() || !all[i].elsewhere.empty()) << all[i].number;
  }
}

TEST(RuleTable, IsAnsweredAsTheRealServerDid) {
  const auto recorded = read_record();
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;

  const auto ours = run_rules(*make_core_server(rules_store()));

  std::size_t parts = 0;
  for (const auto& rule : rules()) {
    for (std::size_t i = 0; i < rule.shown_by.size(); ++i) {
      const auto name = part_name(rule, i);
      ASSERT_TRUE(recorded->contains(name)) << name << ": record it with FIXPOINT_RECORD=1";
      if (rule.shown_by[i].sequence.http_only) continue;
      ++parts;
      const auto difference =
          compare(rule.shown_by[i].sequence, recorded->find(name)->second, ours.find(name)->second);
      EXPECT_FALSE(difference.has_value()) << name << " " << rule.shown_by[i].says << ": step "
                                           << difference->step + 1 << ", " << difference->signature;
    }
  }
  EXPECT_EQ(parts, ours.size());
}

}  // namespace
}  // namespace fixpoint::conformance
