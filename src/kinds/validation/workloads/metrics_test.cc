// SPDX-License-Identifier: Apache-2.0
//
// Metrics of an autoscaler: names, targets, and one source each.
#include "kinds/validation/workloads/metrics.h"

#include "json/parsing/parse.h"
#include "kinds/validation/field_errors_for_tests.h"

#include <gtest/gtest.h>

namespace fixpoint::kinds {
namespace {

std::string problems(std::string_view metrics) {
  const auto value = json::parse(metrics).value();
  FieldErrors errors;
  check_metrics(value, FieldPath{"metrics"}, errors);
  return texts(errors);
}

TEST(Metrics, HaveNames) {
  EXPECT_EQ(problems(R"([{"type":"Pods","pods":{"metric":{"name":""},
                "target":{"type":"AverageValue","averageValue":"1"}}}])"),
            "metrics[0].pods.metric.name: Required value: must specify a metric name\n");
}

TEST(Metrics, HaveTargetsOfTheirSource) {
  EXPECT_EQ(problems(R"([{"type":"External","external":{"metric":{"name":"m"},
                "target":{"type":"Value"}}}])"),
            "metrics[0].external.target.averageValue: Required value: must set either a target "
            "value for metric or a per-pod target\n");
}

TEST(Metrics, HaveOneSource) {
  EXPECT_EQ(problems(R"([{"type":"Pods",
                "pods":{"metric":{"name":"m"},"target":{"type":"AverageValue","averageValue":"1"}},
                "resource":{"name":"cpu","target":{"type":"Utilization"}}}])"),
            "metrics[0].resource: Forbidden: must populate the given metric source only\n");
}

}  // namespace
}  // namespace fixpoint::kinds
