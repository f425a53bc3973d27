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
#include <utility>
#include <vector>

namespace fixpoint::runtime {

double in_seconds(Duration duration);

// The series of one controller, found once: a pass that does nothing takes about a microsecond, and
// looking up its series would take longer.
class ControllerSeries {
 public:
  enum class Result : std::uint8_t { Success, Error, Requeue, RequeueAfter };
  struct Ended {
    Result result = Result::Success;
    Duration took{};
    bool terminal = false;   // an error that is not tried again
    bool timed_out = false;  // the reconcile deadline passed
  };
  // `waited` in the queue.
  void pass_began(Duration waited);
  void pass_ended(const Ended& ended);

  struct Queue {
    std::uint64_t adds = 0;  // since the beginning
    std::uint64_t retries = 0;
    std::vector<std::pair<int, std::size_t>> depths;  // keys of each priority
    Duration running_all{};                           // of all running passes together
    Duration running_longest{};
  };
  // Before a page is made.
  void queue(const Queue& queue);

 private:
  friend class ControllerMetrics;
  std::string name_;
  Counter* results_[4] = {};
  Counter* errors_ = nullptr;
  Counter* terminal_errors_ = nullptr;
  Counter* timeouts_ = nullptr;
  Histogram* pass_seconds_ = nullptr;
  Histogram* queue_seconds_ = nullptr;
  Histogram* work_seconds_ = nullptr;
  Gauge* active_ = nullptr;
  Gauge* unfinished_ = nullptr;
  Gauge* longest_ = nullptr;
  Counter* adds_ = nullptr;
  Counter* retries_ = nullptr;
  Family<Gauge>* depth_ = nullptr;
};

// Of every controller; one object for the whole process.
class ControllerMetrics {
 public:
  explicit ControllerMetrics(MetricsRegistry& registry);

  // Makes the series of a controller; good as long as the registry.
  ControllerSeries add(const std::string& controller, int concurrency);

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
