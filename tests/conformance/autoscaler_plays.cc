// SPDX-License-Identifier: Apache-2.0
//
// Plays of HorizontalPodAutoscalers. Neither side has metrics: bounds, conditions and words remain.
#include "tests/conformance/workloads.h"

#include <chrono>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

using Pods = Act::Pods;

// A real controller looks every 15 seconds, at a new autoscaler too; after a change once more.
constexpr std::chrono::seconds kLooked{34};

constexpr std::string_view kCpu =
    R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization",)"
    R"("averageUtilization":50}}})";

Deed make_target(int replicas) {
  return {"POST", "apps/deployments",
          fmt::format(R"({{"metadata":{{"name":"web"}},"spec":{{"replicas":{},"selector":)"
                      R"({{"matchLabels":{{"app":"web"}}}},"template":{{"metadata":{{"labels":)"
                      R"({{"app":"web"}}}},"spec":{{"schedulerName":"nobody","containers":)"
                      R"([{{"name":"c","image":"a"}}]}}}}}}}})",
                      replicas)};
}

Deed make_autoscaler(std::string_view metrics) {
  return {
      "POST", "autoscaling/horizontalpodautoscalers",
      fmt::format(R"({{"metadata":{{"name":"scaler"}},"spec":{{"scaleTargetRef":{{"apiVersion":)"
                  R"("apps/v1","kind":"Deployment","name":"web"}},"minReplicas":2,)"
                  R"("maxReplicas":3,"metrics":[{}]}}}})",
                  metrics)};
}

// The target rests before its scaler comes: with both at once it is a matter of moments what the
// Deployment last said of its progress.
Act deployed(int replicas) {
  return {"deployed", {make_target(replicas)}, Pods::AllAtOnce};
}

Act scaler_act(std::string name, std::vector<Deed> deeds) {
  return {std::move(name), std::move(deeds), Pods::AllAtOnce, kLooked};
}

}  // namespace

std::vector<Play> autoscaler_plays() {
  return {
      {"scaler-above",
       "more than the most is too many",                                {deployed(5), scaler_act("made", {make_autoscaler(kCpu)})}                          },
      {"scaler-below",
       "fewer than the least is too few",                               {deployed(1), scaler_act("made", {make_autoscaler(kCpu)})}                          },
      {"scaler-none",
       "nothing stays nothing, and what is not there cannot be scaled", {scaler_act("made", {make_autoscaler(kCpu)}), scaler_act("there", {make_target(0)})}},
      {"scaler-metrics",
       "metrics that nobody serves",                                    {deployed(2),
        scaler_act(
            "made",
            {make_autoscaler(
                R"({"type":"Pods","pods":{"metric":{"name":"hits"},"target":{"type":)"
                R"("AverageValue","averageValue":"10"}}},{"type":"Object","object":{"metric":)"
                R"({"name":"hits"},"describedObject":{"apiVersion":"v1","kind":"Service","name":)"
                R"("s"},"target":{"type":"Value","value":"10"}}},{"type":"External","external":)"
                R"({"metric":{"name":"queue"},"target":{"type":"AverageValue","averageValue":)"
                R"("30"}}})")})}                                                                                        },
  };
}

}  // namespace fixpoint::conformance
