// SPDX-License-Identifier: Apache-2.0
#include "front/pages/metrics.h"

#include <string_view>

#include <fmt/format.h>

namespace fixpoint::front {

void Metrics::count(std::string_view verb, std::string_view resource, int code, Duration took) {
  std::tuple key{std::string{verb}, std::string{resource}, code};
  if (requests_.size() >= kRequestSeriesMax && !requests_.contains(key)) {
    key = {"other", "other", code};
  }
  auto& series = requests_[std::move(key)];
  ++series.requests;
  series.seconds += std::chrono::duration<double>(took).count();
}

std::string Metrics::text(const Gauges& gauges) const {
  std::string out;
  out += "# HELP apiserver_request_total Requests answered, by verb, resource and code.\n";
  out += "# TYPE apiserver_request_total counter\n";
  for (const auto& [key, series] : requests_) {
    const auto& [verb, resource, code] = key;
    out += fmt::format("apiserver_request_total{{code=\"{}\",resource=\"{}\",verb=\"{}\"}} {}\n",
                       code, resource, verb, series.requests);
  }
  out += "# HELP apiserver_request_duration_seconds Time from the whole request to its answer.\n";
  out += "# TYPE apiserver_request_duration_seconds summary\n";
  for (const auto& [key, series] : requests_) {
    const auto& [verb, resource, code] = key;
    const auto labels =
        fmt::format("{{code=\"{}\",resource=\"{}\",verb=\"{}\"}}", code, resource, verb);
    out += fmt::format("apiserver_request_duration_seconds_sum{} {}\n", labels, series.seconds);
    out += fmt::format("apiserver_request_duration_seconds_count{} {}\n", labels, series.requests);
  }
  const auto gauge = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    out += fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n{0} {2}\n", name, help, value);
  };
  gauge("apiserver_longrunning_requests", "Watches open now.", gauges.watchers);
  gauge("fixpoint_store_objects", "Objects stored.", gauges.objects);
  gauge("fixpoint_store_revision", "Newest revision in memory.", gauges.revision);
  gauge("fixpoint_store_durable_revision", "Newest revision on disk.", gauges.durable_revision);
  return out;
}

}  // namespace fixpoint::front
