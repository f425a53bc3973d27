// SPDX-License-Identifier: Apache-2.0
//
// A comparison that never fails shows nothing. Here our core breaks one rule after the other, and
// that rule's requests must tell it from the real server every time. FIXPOINT_SUMMARY_DIR gets the
// table: rule, weakness, what noticed.
#include "apiserver/weakness.h"

#include "base/thoroughness_for_tests.h"
#include "tests/conformance/campaign.h"
#include "tests/conformance/compare.h"
#include "tests/conformance/rules_run.h"

#include <cstdlib>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

// How this server's answers to one part differ from the recorded ones.
std::optional<Difference> differs(Server& server, const RuleAnswers& recorded, const Rule& rule,
                                  std::size_t part) {
  const auto& sequence = rule.shown_by[part].sequence;
  const auto theirs = recorded.find(part_name(rule, part));
  if (sequence.http_only || theirs == recorded.end()) return std::nullopt;
  return compare(sequence, theirs->second, normalise(record(server, sequence, fresh_id())));
}

// "13.2 with finalizers it is stamped, once | DELETE …", of the first part that notices.
std::optional<std::string> noticed_by(Server& weak, Server& strong, const RuleAnswers& recorded,
                                      const Rule& rule) {
  for (std::size_t i = 0; i < rule.shown_by.size(); ++i) {
    const auto difference = differs(weak, recorded, rule, i);
    // What differs anyway notices nothing.
    if (!difference || differs(strong, recorded, rule, i)) continue;
    const auto& [says, sequence] = rule.shown_by[i];
    return fmt::format("{} {} | {}", part_name(rule, i), says,
                       difference->step < sequence.steps.size()
                           ? "`" + to_text(sequence.steps[difference->step]) + "`"
                           : "its events");
  }
  return std::nullopt;
}

TEST(Weaknesses, AreAllNoticedByTheRuleThatTheyBreak) {
  const auto recorded = read_record();
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  const auto base = rules_store();
  const auto strong = make_core_server(base.fork());
  std::string table =
      "| rule | a server that gets this wrong | is noticed by | at |\n|---|---|---|---|\n";

  std::size_t cases = 0;
  for (const auto& row : apiserver::weaknesses()) {
    if (cases++ % kCasesStride != 0) continue;
    const auto& rule = rules()[static_cast<std::size_t>(row.rule) - 1];
    const auto weak = make_core_server(base.fork(), row.weakness);
    const auto noticed = noticed_by(*weak, *strong, *recorded, rule);
    EXPECT_TRUE(noticed.has_value())
        << "nothing of rule " << row.rule << " notices that " << row.what;
    table += fmt::format("| {} | {} | {} |\n", row.rule, row.what, noticed.value_or("nothing | "));
  }

  fmt::print("{}", table);
  if (const char* directory = std::getenv("FIXPOINT_SUMMARY_DIR")) {
    std::ofstream(std::string{directory} + "/weaknesses.md") << table;
  }
}

}  // namespace
}  // namespace fixpoint::conformance
