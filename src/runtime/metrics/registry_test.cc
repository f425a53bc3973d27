// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics/registry.h"

#include "runtime/metrics/page_check.h"

#include <cmath>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

TEST(MetricsRegistryTest, PrintsEachKindAsPrometheusReadsIt) {
  MetricsRegistry registry;
  auto& passes = registry.counter({
      "passes_total", "Passes.", {"controller", "result"}
  });
  auto& depth = registry.gauge({"depth", "How\nmany \\ things.", {}});
  auto& took = registry.histogram({"took_seconds", "Time.", {"name"}}, {0.01, 1, 10});

  passes.with({"web", "success"}).add();
  passes.with({"web", "error"});
  depth.with({}).set(2.5);
  for (const double measured : {0.01, 0.5, 99.0}) took.with({"a"}).observe(measured);

  EXPECT_EQ(registry.page(),
            "# HELP passes_total Passes.\n"
            "# TYPE passes_total counter\n"
            "passes_total{controller=\"web\",result=\"error\"} 0\n"
            "passes_total{controller=\"web\",result=\"success\"} 1\n"
            "# HELP depth How\\nmany \\\\ things.\n"
            "# TYPE depth gauge\n"
            "depth 2.5\n"
            "# HELP took_seconds Time.\n"
            "# TYPE took_seconds histogram\n"
            "took_seconds_bucket{name=\"a\",le=\"0.01\"} 1\n"
            "took_seconds_bucket{name=\"a\",le=\"1\"} 2\n"
            "took_seconds_bucket{name=\"a\",le=\"10\"} 2\n"
            "took_seconds_bucket{name=\"a\",le=\"+Inf\"} 3\n"
            "took_seconds_sum{name=\"a\"} 99.51\n"
            "took_seconds_count{name=\"a\"} 3\n");
  EXPECT_EQ(check_page(registry.page()).problem, "");
}

TEST(MetricsRegistryTest, EscapesWhatOthersChose) {
  MetricsRegistry registry;
  registry.gauge({"it", "It.", {"who"}}).with({"a\"b\\c\nd"}).set(1);

  EXPECT_EQ(registry.page(), "# HELP it It.\n# TYPE it gauge\nit{who=\"a\\\"b\\\\c\\nd\"} 1\n");
  EXPECT_EQ(check_page(registry.page()).problem, "");
}

TEST(MetricsRegistryTest, CountsWhatComesAfterTheBoundTogether) {
  MetricsRegistry registry;
  auto& family = registry.counter({"seen_total", "Seen.", {"who"}, 2});

  for (const auto* who : {"a", "b", "c", "d", "a"}) family.with({who}).add();

  const auto page = check_page(registry.page());
  EXPECT_EQ(page.samples.size(), 3U);
  EXPECT_EQ(page.samples.at("seen_total{who=\"a\"}"), 2);
  EXPECT_EQ(page.samples.at("seen_total{who=\"exceeded_cardinality_limit\"}"), 2);
}

TEST(MetricsRegistryTest, ForgetsARemovedSeriesAndAnEmptyFamily) {
  MetricsRegistry registry;
  auto& family = registry.gauge({"here", "Here.", {"who"}});
  family.with({"a"});

  family.remove({"a"});

  EXPECT_EQ(registry.page(), "");
}

TEST(MetricsRegistryTest, RefreshesBeforeEachPage) {
  MetricsRegistry registry;
  auto& gauge = registry.gauge({"pages", "Pages.", {}}).with({});
  registry.before_page([&] { gauge.add(1); });

  registry.page();

  EXPECT_NE(registry.page().find("pages 2\n"), std::string::npos);
}

TEST(MetricsRegistryTest, PrintsNumbersThatAreNone) {
  MetricsRegistry registry;
  auto& family = registry.gauge({"odd", "Odd.", {"is"}});
  family.with({"nan"}).set(std::nan(""));
  family.with({"inf"}).set(INFINITY);
  family.with({"big"}).set(1e300);
  family.with({"small"}).set(1e-8);

  const auto page = registry.page();

  EXPECT_EQ(check_page(page).problem, "");
  EXPECT_NE(page.find("{is=\"nan\"} NaN"), std::string::npos);
  EXPECT_NE(page.find("{is=\"inf\"} +Inf"), std::string::npos);
  EXPECT_NE(page.find("{is=\"small\"} 1e-08"), std::string::npos);
}

TEST(MetricsPageCheck, SeesEachFault) {
  const auto problem = [](std::string_view page) { return check_page(page).problem; };
  EXPECT_NE(problem("a 1\n"), "");
  EXPECT_NE(problem("# HELP a A.\n# TYPE a gauge\na 1"), "");
  EXPECT_NE(problem("# HELP a A.\n# TYPE a gauge\na 1\na 1\n"), "");
  EXPECT_NE(problem("# HELP a A.\n# TYPE a counter\na -1\n"), "");
  EXPECT_NE(problem("# HELP a A.\n# TYPE a gauge\na{b=\"c} 1\n"), "");
  EXPECT_NE(problem("# HELP a A.\n# TYPE a gauge\na x\n"), "");
  EXPECT_NE(problem("# HELP a A.\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_count 1\n"), "");
  EXPECT_NE(problem("# HELP a A.\n# TYPE a gauge\na 1\n# HELP b B.\n# TYPE b gauge\na{c=\"\"} 1\n"),
            "");
}

}  // namespace
}  // namespace fixpoint::runtime
