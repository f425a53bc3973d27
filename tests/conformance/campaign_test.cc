// SPDX-License-Identifier: Apache-2.0
//
// Thousands of generated sequences, area by area: both servers answer alike, in every word.
//
// FIXPOINT_SEQUENCES is the number over all areas, FIXPOINT_SEED the first number of all. A
// difference is shrunk and printed with the commands to see it again; tests/conformance/main.cc is
// the tool to look closer.
#include "tests/conformance/real_cluster.h"
#include "tests/conformance/report.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

constexpr std::uint64_t kSequences = 20'000;
constexpr std::size_t kFindingsShown = 5;
constexpr int kLanesOfDefinitions = 8;

std::uint64_t from_environment(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  if (text == nullptr) return fallback;
  std::uint64_t value = fallback;
  std::from_chars(text, text + std::char_traits<char>::length(text), value);
  return value;
}

std::uint64_t share_of(const Area& area) {
  int total = 0;
  for (const auto& each : areas()) total += each.weight;
  const auto all = from_environment("FIXPOINT_SEQUENCES", kSequences);
  return all * static_cast<std::uint64_t>(area.weight) / static_cast<std::uint64_t>(total) + 1;
}

// What tools/conformance-summary adds up, and docs/CONFORMANCE.md quotes.
void write_summary(const Area& area, const CampaignResult& result, std::uint64_t seed) {
  const char* directory = std::getenv("FIXPOINT_SUMMARY_DIR");
  if (directory == nullptr) return;
  const std::filesystem::path where{directory};
  std::ofstream(where / fmt::format("campaign-{}.json", area.name)) << fmt::format(
      R"({{"area":"{}","seed":{},"sequences":{},"in_process":{},"requests":{},"kinds":{},)"
      R"("undecided":{},"seen_once":{},"differences":{}}})",
      area.name, seed, result.sequences, result.core_sequences, result.requests,
      result.coverage.kinds(), result.undecided.size(), result.seen_once.size(),
      result.findings.size());
  std::ofstream(where / fmt::format("coverage-{}.md", area.name)) << result.coverage.to_markdown();
}

class Campaign : public testing::TestWithParam<const Area*> {};

TEST_P(Campaign, BothServersAnswerAlike) {
  const Area& area = *GetParam();
  auto real = RealCluster::start("none");
  ASSERT_TRUE(real.has_value()) << real.error().message;
  const Local local{Loops::OnlyDefinitions};
  for (const auto& endpoint : {(*real)->endpoint(), local.endpoint()}) {
    const auto ready = set_up(endpoint);
    ASSERT_TRUE(ready.has_value()) << ready.error().message;
  }
  CampaignOptions options;
  options.real = (*real)->endpoint();
  options.areas = {&area};
  options.seed = from_environment("FIXPOINT_SEED", 1);
  options.sequences = share_of(area);
  // A definition's life is mostly waiting until a real server has taken note of it.
  if (area.name == "definition") options.lanes = kLanesOfDefinitions;

  const auto result = run_campaign(options, local);

  fmt::print(
      "{}: seed {}, {} sequences ({} also in process), {} requests, {} undecided by the real "
      "server itself, {} seen once and not again\n",
      area.name, options.seed, result.sequences, result.core_sequences, result.requests,
      result.undecided.size(), result.seen_once.size());
  for (const auto& [signature, count] : result.undecided) {
    fmt::print("  undecided {} × {}\n", count, signature);
  }
  for (const auto& [signature, count] : result.seen_once) {
    fmt::print("  seen once {} × {}\n", count, signature);
  }
  write_summary(area, result, options.seed);
  EXPECT_EQ(result.sequences, options.sequences);
  std::string shown;
  std::size_t count = 0;
  for (const auto& [signature, finding] : result.findings) {
    const bool whole = ++count <= kFindingsShown;
    shown += whole ? explain(finding, options.real, local, Explain::Shrunk) : signature + "\n";
  }
  fmt::print("{}", shown);
  EXPECT_EQ(result.findings.size(), 0U);
}

std::vector<const Area*> all_areas() {
  std::vector<const Area*> all;
  for (const auto& area : areas()) all.push_back(&area);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Area, Campaign, testing::ValuesIn(all_areas()),
                         [](const auto& area) { return std::string{area.param->name}; });

}  // namespace
}  // namespace fixpoint::conformance
