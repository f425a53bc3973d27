// SPDX-License-Identifier: Apache-2.0
//
// metrics.k8s.io: what `kubectl top` asks for, made of two measurements.
//
// Nothing is measured while nobody asks: a question is answered a second later, and says how much
// was used during that second. Read next: meter.h, who measures.
#pragma once

#include "apiserver/request.h"
#include "base/clock.h"
#include "front/pages/meter.h"
#include "json/draft.h"
#include "kube/errors/status.h"
#include "store/store.h"

#include <chrono>
#include <optional>
#include <string_view>

namespace fixpoint::front {

inline constexpr std::string_view kMetricsGroup = "metrics.k8s.io";
inline constexpr std::string_view kMetricsVersion = "v1beta1";
// The kernel counts in hundredths of a second, so this is exact to a percent of a core.
inline constexpr Duration kUsageWindow = std::chrono::seconds(1);

struct UsageQuestion {
  const apiserver::Request& request;
  const store::Snapshot& snapshot;
  const Measurement& before;
  const Measurement& after;
  Duration window;  // between the two
  Instant now;
};

// Whether it can be asked at all; else the 404 or 405.
kube::Answer<void> check_usage_request(const apiserver::Request& request);
// PodMetrics, NodeMetrics or a list of them.
kube::Answer<json::Value> usage_of(const UsageQuestion& question);

// How discovery tells of it. The documents are those without; `path` is theirs.
json::Value with_usage_group(const json::Value& document);
std::optional<json::Value> usage_document(std::string_view path);

}  // namespace fixpoint::front
