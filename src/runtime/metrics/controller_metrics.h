// SPDX-License-Identifier: Apache-2.0
//
// The metrics of controllers, queues, the client and the process, under the names and labels that
// dashboards for controller-runtime already query. Every series that can be known is there at zero
// from the start.
#pragma once

#include "base/clock.h"
#include "client/client.h"
#include "runtime/metrics/registry.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace fixpoint::runtime {

double seconds(Duration duration);

// Of every controller; one object for the whole process.
class ControllerMetrics {
 public:
  explicit ControllerMetrics(MetricsRegistry& registry);

  // Makes the series of a controller.
  void add(const std::string& controller, int concurrency);

  struct Ended {
    std::string_view result;  // success, error, requeue, requeue_after
    Duration took{};
    bool terminal = false;   // an error that is not tried again
    bool timed_out = false;  // the reconcile deadline passed
  };
  void pass_began(const std::string& controller);
  void pass_ended(const std::string& controller, const Ended& ended);

  void queue_added(const std::string& controller);
  void queue_retried(const std::string& controller);
  // From being added to being taken.
  void queue_waited(const std::string& controller, Duration waited);
  void queue_depth(const std::string& controller, int priority, std::size_t depth);
  struct Running {
    Duration all{};      // of all running passes together
    Duration longest{};  // of the one that runs longest
  };
  void running(const std::string& controller, const Running& running);

 private:
  Family<Counter>& passes_;
  Family<Counter>& errors_;
  Family<Counter>& terminal_errors_;
  Family<Counter>& panics_;
  Family<Counter>& timeouts_;
  Family<Histogram>& pass_seconds_;
  Family<Gauge>& concurrency_;
  Family<Gauge>& active_;
  Family<Gauge>& depth_;
  Family<Counter>& adds_;
  Family<Counter>& retries_;
  Family<Histogram>& queue_seconds_;
  Family<Histogram>& work_seconds_;
  Family<Gauge>& unfinished_;
  Family<Gauge>& longest_;
};

// rest_client_*; warnings go on to `warn`.
class ClientMetrics final : public client::Listener {
 public:
  using Warn = std::function<void(std::string_view)>;
  ClientMetrics(MetricsRegistry& registry, Warn warn);

  void warned(std::string_view warning) override;
  void exchanged(const Exchange& exchange) override;
  void retried(const Exchange& exchange) override;

 private:
  Family<Counter>& requests_;
  Family<Histogram>& request_seconds_;
  Family<Counter>& retries_;
  Warn warn_;
};

// leader_election_master_status; the series is there at 0 before the first election.
class ElectionMetrics {
 public:
  ElectionMetrics(MetricsRegistry& registry, std::string lease);
  void leading(bool leads);

 private:
  Gauge& status_;
};

// process_*, read from the kernel for each page.
void add_process_metrics(MetricsRegistry& registry);

}  // namespace fixpoint::runtime
