// SPDX-License-Identifier: Apache-2.0
//
// The 48 rules on a real server and on ours, over HTTP and in process: the same answers, and the
// same as when they were recorded. FIXPOINT_RECORD=1 records them anew.
#include "json/print.h"
#include "tests/conformance/compare.h"
#include "tests/conformance/real_cluster.h"
#include "tests/conformance/rules_run.h"

#include <cstdlib>
#include <fstream>

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

void expect_same(const RuleAnswers& real, const RuleAnswers& ours, std::string_view server) {
  for (const auto& rule : rules()) {
    for (std::size_t i = 0; i < rule.shown_by.size(); ++i) {
      const auto name = part_name(rule, i);
      const auto own = ours.find(name);
      if (own == ours.end()) continue;
      const auto theirs = real.find(name);
      ASSERT_NE(theirs, real.end()) << name;
      const auto difference = compare(rule.shown_by[i].sequence, theirs->second, own->second);
      EXPECT_FALSE(difference.has_value())
          << name << " " << rule.shown_by[i].says << ": " << server << " differs at step "
          << difference->step + 1 << ", " << difference->signature;
    }
  }
}

TEST(Rules, AreKeptByBothServersAlike) {
  auto cluster = RealCluster::start("none");
  ASSERT_TRUE(cluster.has_value()) << cluster.error().message;
  const Local local{Loops::OnlyDefinitions};
  const auto real = make_http_server((*cluster)->endpoint());
  const auto ours = make_http_server(local.endpoint());
  for (auto* server : {real.get(), ours.get()}) {
    const auto ready = set_up_rules(*server);
    ASSERT_TRUE(ready.has_value()) << ready.error().message;
  }

  const auto truth = run_rules(*real);
  const auto over_http = run_rules(*ours);
  const auto in_process = run_rules(*make_core_server(local.fork()));

  expect_same(truth, over_http, "our server");
  expect_same(truth, in_process, "our core");
  const auto table = rules_table(truth, over_http);
  fmt::print("{}", table);
  if (const char* directory = std::getenv("FIXPOINT_SUMMARY_DIR")) {
    std::ofstream(std::string{directory} + "/rules.md") << table;
  }
  if (std::getenv("FIXPOINT_RECORD") != nullptr) {
    const auto written = write_record(truth);
    ASSERT_TRUE(written.has_value()) << written.error().message;
    return;
  }
  const auto recorded = read_record();
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  expect_same(truth, *recorded, "the record");
  EXPECT_EQ(truth.size(), recorded->size());
}

}  // namespace
}  // namespace fixpoint::conformance
