// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics/controller_metrics.h"

#include "runtime/metrics/page_check.h"

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using std::chrono::milliseconds;

TEST(ControllerMetrics, AreThereAtZeroFromTheStart) {
  MetricsRegistry registry;
  ControllerMetrics metrics(registry);

  metrics.add("web", 16);

  const auto page = check_page(registry.page());
  EXPECT_EQ(page.problem, "");
  for (const auto* series : {
           R"(controller_runtime_reconcile_total{controller="web",result="requeue_after"})",
           R"(controller_runtime_reconcile_errors_total{controller="web"})",
           R"(controller_runtime_terminal_reconcile_errors_total{controller="web"})",
           R"(controller_runtime_reconcile_panics_total{controller="web"})",
           R"(controller_runtime_reconcile_timeouts_total{controller="web"})",
           R"(controller_runtime_reconcile_time_seconds_count{controller="web"})",
           R"(controller_runtime_active_workers{controller="web"})",
           R"(workqueue_depth{name="web",controller="web",priority="0"})",
           R"(workqueue_adds_total{name="web",controller="web"})",
           R"(workqueue_retries_total{name="web",controller="web"})",
           R"(workqueue_queue_duration_seconds_count{name="web",controller="web"})",
           R"(workqueue_work_duration_seconds_count{name="web",controller="web"})",
           R"(workqueue_unfinished_work_seconds{name="web",controller="web"})",
           R"(workqueue_longest_running_processor_seconds{name="web",controller="web"})",
       }) {
    ASSERT_TRUE(page.samples.contains(series)) << series;
    EXPECT_EQ(page.samples.at(series), 0) << series;
  }
  EXPECT_EQ(page.samples.at(R"(controller_runtime_max_concurrent_reconciles{controller="web"})"),
            16);
}

TEST(ControllerMetrics, CountAPassByItsResult) {
  MetricsRegistry registry;
  ControllerMetrics metrics(registry);
  auto series = metrics.add("web", 1);

  series.pass_began(milliseconds(1));
  EXPECT_EQ(check_page(registry.page())
                .samples.at(R"(controller_runtime_active_workers{controller="web"})"),
            1);
  series.pass_ended(
      {.result = ControllerSeries::Result::Error, .took = milliseconds(20), .terminal = true});

  const auto page = check_page(registry.page()).samples;
  EXPECT_EQ(page.at(R"(controller_runtime_active_workers{controller="web"})"), 0);
  EXPECT_EQ(page.at(R"(controller_runtime_reconcile_total{controller="web",result="error"})"), 1);
  EXPECT_EQ(page.at(R"(controller_runtime_reconcile_errors_total{controller="web"})"), 1);
  EXPECT_EQ(page.at(R"(controller_runtime_terminal_reconcile_errors_total{controller="web"})"), 1);
  EXPECT_EQ(
      page.at(R"(controller_runtime_reconcile_time_seconds_bucket{controller="web",le="0.01"})"),
      0);
  EXPECT_EQ(
      page.at(R"(controller_runtime_reconcile_time_seconds_bucket{controller="web",le="0.025"})"),
      1);
}

TEST(ControllerMetrics, KeepTheNumberOfPrioritiesBounded) {
  MetricsRegistry registry;
  ControllerMetrics metrics(registry);
  auto series = metrics.add("web", 1);

  for (int round = 0; round < 2; ++round) {
    ControllerSeries::Queue queue{.adds = 7};
    for (int priority = 0; priority < 100; ++priority) queue.depths.emplace_back(priority, 1);
    series.queue(queue);
  }

  const auto page = check_page(registry.page()).samples;
  EXPECT_TRUE(page.contains(
      R"(workqueue_depth{name="web",controller="web",priority="exceeded_cardinality_limit"})"));
  EXPECT_FALSE(page.contains(R"(workqueue_depth{name="web",controller="web",priority="99"})"));
  EXPECT_EQ(page.at(R"(workqueue_depth{name="web",controller="web",priority="3"})"), 1);
  EXPECT_EQ(page.at(R"(workqueue_adds_total{name="web",controller="web"})"), 7);
}

TEST(ClientMetrics, CountRequestsAndPassWarningsOn) {
  MetricsRegistry registry;
  std::string warned;
  ClientMetrics metrics(registry, [&](std::string_view text) { warned = text; });

  metrics.exchanged(
      {.method = "PUT", .verb = "PUT", .host = "a:6443", .code = 409, .took = milliseconds(3)});
  metrics.exchanged({.method = "GET", .verb = "GET", .host = "a:6443", .code = 0});
  metrics.retried({.method = "GET", .verb = "GET", .host = "a:6443", .code = 429});
  metrics.warned("old version");

  const auto page = check_page(registry.page());
  EXPECT_EQ(page.problem, "");
  EXPECT_EQ(page.samples.at(R"(rest_client_requests_total{code="409",method="PUT",host="a:6443"})"),
            1);
  EXPECT_EQ(
      page.samples.at(R"(rest_client_requests_total{code="<error>",method="GET",host="a:6443"})"),
      1);
  EXPECT_EQ(
      page.samples.at(R"(rest_client_request_retries_total{code="429",verb="GET",host="a:6443"})"),
      1);
  EXPECT_EQ(warned, "old version");
}

TEST(ProcessMetrics, SayWhatTheKernelKnows) {
  MetricsRegistry registry;
  add_process_metrics(registry);

  const auto page = check_page(registry.page());

  EXPECT_EQ(page.problem, "");
  EXPECT_GT(page.samples.at("process_resident_memory_bytes"), 1e5);
  EXPECT_GT(page.samples.at("process_virtual_memory_bytes"),
            page.samples.at("process_resident_memory_bytes"));
  EXPECT_GE(page.samples.at("process_open_fds"), 1);
  EXPECT_GT(page.samples.at("process_start_time_seconds"), 1.6e9);
  EXPECT_GE(page.samples.at("process_cpu_seconds_total"), 0);
}

}  // namespace
}  // namespace fixpoint::runtime
