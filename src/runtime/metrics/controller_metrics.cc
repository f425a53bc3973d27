// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics/controller_metrics.h"

#include <array>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

// Priorities an operator may use; more distinct values than this are counted together.
constexpr std::size_t kPrioritiesMax = 25;
constexpr std::array kResults{"success", "error", "requeue", "requeue_after"};

std::vector<double> pass_bounds() {
  return {0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
          0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
          6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
}

std::vector<double> queue_bounds() {
  return {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
}

std::vector<double> request_bounds() {
  return {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
}

// controller-runtime says the controller's name twice, kube-controller-manager only in `name`.
LabelValues queue_labels(const std::string& controller) {
  return {controller, controller};
}

std::string code_label(int code) {
  return code == 0 ? "<error>" : fmt::format("{}", code);
}

}  // namespace

double in_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

ControllerMetrics::ControllerMetrics(MetricsRegistry& registry)
    : passes_(registry.counter({
          "controller_runtime_reconcile_total",
          "Reconciliations per controller.",
          {"controller", "result"}
})),
      errors_(registry.counter({"controller_runtime_reconcile_errors_total",
                                "Reconciliations that ended in an error, per controller.",
                                {"controller"}})),
      terminal_errors_(
          registry.counter({"controller_runtime_terminal_reconcile_errors_total",
                            "Errors that are not tried again before the object changes.",
                            {"controller"}})),
      panics_(registry.counter({"controller_runtime_reconcile_panics_total",
                                "Always 0: a broken invariant ends the process instead.",
                                {"controller"}})),
      timeouts_(registry.counter({"controller_runtime_reconcile_timeouts_total",
                                  "Reconciliations that passed their deadline.",
                                  {"controller"}})),
      pass_seconds_(registry.histogram({"controller_runtime_reconcile_time_seconds",
                                        "Length of a reconciliation.",
                                        {"controller"}},
                                       pass_bounds())),
      concurrency_(registry.gauge({"controller_runtime_max_concurrent_reconciles",
                                   "How many objects are reconciled at once at most.",
                                   {"controller"}})),
      active_(registry.gauge(
          {"controller_runtime_active_workers", "Reconciliations running now.", {"controller"}})),
      depth_(registry.gauge({"workqueue_depth",
                             "Objects waiting to be reconciled.",
                             {"name", "controller", "priority"}})),
      adds_(registry.counter(
          {"workqueue_adds_total", "Objects added to the queue.", {"name", "controller"}})),
      retries_(registry.counter({"workqueue_retries_total",
                                 "Objects added again after an error.",
                                 {"name", "controller"}})),
      queue_seconds_(registry.histogram({"workqueue_queue_duration_seconds",
                                         "How long an object waited in the queue.",
                                         {"name", "controller"}},
                                        queue_bounds())),
      work_seconds_(registry.histogram({"workqueue_work_duration_seconds",
                                        "How long an object of the queue was worked on.",
                                        {"name", "controller"}},
                                       queue_bounds())),
      unfinished_(registry.gauge({"workqueue_unfinished_work_seconds",
                                  "How long all running reconciliations have been running.",
                                  {"name", "controller"}})),
      longest_(registry.gauge({"workqueue_longest_running_processor_seconds",
                               "How long the longest running reconciliation has been running.",
                               {"name", "controller"}})) {}

ControllerSeries ControllerMetrics::add(const std::string& controller, int concurrency) {
  ControllerSeries series;
  series.name_ = controller;
  for (std::size_t i = 0; i < kResults.size(); ++i) {
    series.results_[i] = &passes_.with({controller, kResults[i]});
  }
  series.errors_ = &errors_.with({controller});
  series.terminal_errors_ = &terminal_errors_.with({controller});
  panics_.with({controller});
  series.timeouts_ = &timeouts_.with({controller});
  series.pass_seconds_ = &pass_seconds_.with({controller});
  concurrency_.with({controller}).set(concurrency);
  series.active_ = &active_.with({controller});
  const auto queue = queue_labels(controller);
  series.adds_ = &adds_.with(queue);
  series.retries_ = &retries_.with(queue);
  series.queue_seconds_ = &queue_seconds_.with(queue);
  series.work_seconds_ = &work_seconds_.with(queue);
  series.unfinished_ = &unfinished_.with(queue);
  series.longest_ = &longest_.with(queue);
  series.depth_ = &depth_;
  depth_.with({controller, controller, "0"});
  return series;
}

void ControllerSeries::pass_began(Duration waited) {
  active_->add(1);
  queue_seconds_->observe(in_seconds(waited));
}

void ControllerSeries::pass_ended(const Ended& ended) {
  active_->add(-1);
  results_[static_cast<std::size_t>(ended.result)]->add();
  if (ended.result == Result::Error) errors_->add();
  if (ended.terminal) terminal_errors_->add();
  if (ended.timed_out) timeouts_->add();
  pass_seconds_->observe(in_seconds(ended.took));
  work_seconds_->observe(in_seconds(ended.took));
}

void ControllerSeries::queue(const Queue& queue) {
  adds_->raise_to(static_cast<double>(queue.adds));
  retries_->raise_to(static_cast<double>(queue.retries));
  unfinished_->set(in_seconds(queue.running_all));
  longest_->set(in_seconds(queue.running_longest));
  std::vector<LabelValues> known;
  for (const auto& [values, gauge] : depth_->series()) {
    if (values[1] == name_) known.push_back(values);
  }
  for (const auto& values : known) depth_->with(values).set(0);
  for (const auto& [priority, keys] : queue.depths) {
    LabelValues values{name_, name_, fmt::format("{}", priority)};
    const bool is_new = !depth_->series().contains(values);
    if (is_new && known.size() >= kPrioritiesMax) values[2] = std::string{kOverflow};
    if (is_new) known.push_back(values);
    depth_->with(values).add(static_cast<double>(keys));
  }
}

ClientMetrics::ClientMetrics(MetricsRegistry& registry, Warn warn)
    : requests_(registry.counter({
          "rest_client_requests_total",
          "Requests by status code, method and host.",
          {"code", "method", "host"}
})),
      request_seconds_(registry.histogram(
          {"rest_client_request_duration_seconds", "Length of a request.", {"verb", "host"}},
          request_bounds())),
      retries_(registry.counter(
          {"rest_client_request_retries_total", "Requests sent again.", {"code", "verb", "host"}})),
      warn_(std::move(warn)) {}

void ClientMetrics::warned(std::string_view warning) {
  if (warn_) warn_(warning);
}

void ClientMetrics::exchanged(const Exchange& exchange) {
  const std::string host{exchange.host};
  requests_.with({code_label(exchange.code), std::string{exchange.method}, host}).add();
  request_seconds_.with({std::string{exchange.verb}, host}).observe(in_seconds(exchange.took));
}

void ClientMetrics::retried(const Exchange& exchange) {
  retries_.with({code_label(exchange.code), std::string{exchange.verb}, std::string{exchange.host}})
      .add();
}

ElectionMetrics::ElectionMetrics(MetricsRegistry& registry, std::string lease)
    : status_(registry
                  .gauge({"leader_election_master_status",
                          "1 while this process holds the lease, 0 otherwise.",
                          {"name"}})
                  .with({std::move(lease)})) {}

void ElectionMetrics::leading(bool leads) {
  status_.set(leads ? 1 : 0);
}

}  // namespace fixpoint::runtime
