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
LabelValues queue(const std::string& controller) {
  return {controller, controller};
}

std::string code_label(int code) {
  return code == 0 ? "<error>" : fmt::format("{}", code);
}

}  // namespace

double seconds(Duration duration) {
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

void ControllerMetrics::add(const std::string& controller, int concurrency) {
  for (const auto* result : kResults) passes_.with({controller, result});
  for (auto* family : {&errors_, &terminal_errors_, &panics_, &timeouts_}) {
    family->with({controller});
  }
  pass_seconds_.with({controller});
  concurrency_.with({controller}).set(concurrency);
  active_.with({controller});
  depth_.with({controller, controller, "0"});
  for (auto* family : {&adds_, &retries_}) family->with(queue(controller));
  for (auto* family : {&queue_seconds_, &work_seconds_}) family->with(queue(controller));
  for (auto* family : {&unfinished_, &longest_}) family->with(queue(controller));
}

void ControllerMetrics::pass_began(const std::string& controller) {
  active_.with({controller}).add(1);
}

void ControllerMetrics::pass_ended(const std::string& controller, const Ended& ended) {
  active_.with({controller}).add(-1);
  passes_.with({controller, std::string{ended.result}}).add();
  if (ended.result == "error") errors_.with({controller}).add();
  if (ended.terminal) terminal_errors_.with({controller}).add();
  if (ended.timed_out) timeouts_.with({controller}).add();
  pass_seconds_.with({controller}).observe(seconds(ended.took));
  work_seconds_.with(queue(controller)).observe(seconds(ended.took));
}

void ControllerMetrics::queue_added(const std::string& controller) {
  adds_.with(queue(controller)).add();
}

void ControllerMetrics::queue_retried(const std::string& controller) {
  retries_.with(queue(controller)).add();
}

void ControllerMetrics::queue_waited(const std::string& controller, Duration waited) {
  queue_seconds_.with(queue(controller)).observe(seconds(waited));
}

void ControllerMetrics::queue_depth(const std::string& controller, int priority,
                                    std::size_t depth) {
  LabelValues values{controller, controller, fmt::format("{}", priority)};
  if (!depth_.series().contains(values)) {
    std::size_t priorities = 0;
    for (const auto& [known, gauge] : depth_.series()) priorities += known[1] == controller;
    if (priorities >= kPrioritiesMax) values[2] = std::string{kOverflow};
  }
  depth_.with(values).set(static_cast<double>(depth));
}

void ControllerMetrics::running(const std::string& controller, const Running& running) {
  unfinished_.with(queue(controller)).set(seconds(running.all));
  longest_.with(queue(controller)).set(seconds(running.longest));
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
  request_seconds_.with({std::string{exchange.verb}, host}).observe(seconds(exchange.took));
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
