// SPDX-License-Identifier: Apache-2.0
//
// Metrics of the API server in Prometheus' text form, under the names dashboards already query.
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace fixpoint::front {

// Distinct (verb, resource, code) counters kept; further ones are counted together as "other".
inline constexpr std::size_t kRequestSeriesMax = 2000;

struct Gauges {
  std::uint64_t objects = 0;
  std::uint64_t revision = 0;
  std::uint64_t durable_revision = 0;
  std::uint64_t watchers = 0;
};

class Metrics {
 public:
  void count(std::string_view verb, std::string_view resource, int code, Duration took);
  std::string text(const Gauges& gauges) const;

 private:
  struct Series {
    std::uint64_t requests = 0;
    double seconds = 0;
  };
  std::map<std::tuple<std::string, std::string, int>, Series> requests_;
};

}  // namespace fixpoint::front
