// SPDX-License-Identifier: Apache-2.0
#include "cluster/autoscaling/autoscaler.h"

#include "cluster/workloads/workload_fixture.h"

#include <chrono>

#include <gmock/gmock.h>

namespace fixpoint::cluster::autoscaling {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;

class Autoscalers : public WorkloadFixture {
 protected:
  void deployment(int replicas) {
    made("deployments",
         R"({"metadata":{"name":"web"},"spec":{"replicas":)" + std::to_string(replicas) +
             R"(,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":
             "web"}},"spec":{"schedulerName":"nobody","containers":[{"name":"c","image":"i",
             "resources":{"requests":{"cpu":"100m","memory":"10Mi"}}}]}}}})");
    converge();
  }
  void autoscaler(std::string_view metrics, std::string_view more = {}) {
    made("horizontalpodautoscalers",
         R"({"metadata":{"name":"hpa"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":
         "Deployment","name":"web"},"minReplicas":1,"maxReplicas":10)" +
             std::string{more} + R"(,"metrics":[)" + std::string{metrics} + "]}}");
    settle();
  }
  // Every pod uses so much, and has run for long.
  void load(std::string_view metric, std::string_view value) {
    run_all();
    for (const auto& pod : all("pods")) {
      change("pods", kube::name_of(pod),
             R"({"metadata":{"annotations":{"metrics.fixpoint.dev/)" + std::string{metric} +
                 R"(":")" + std::string{value} + R"("}}})");
      change("pods", std::string{kube::name_of(pod)} + "/status",
             R"({"status":{"startTime":"2025-01-01T00:00:00Z"}})");
    }
    wait(seconds(15));
  }
  void wait(seconds time) {
    clock_.advance(time);
    settle();
  }
  std::int64_t replicas() { return read("deployments", "web").get("spec", "replicas").as_int(); }
  json::View status() { return read("horizontalpodautoscalers", "hpa").get("status"); }
  std::string reason(std::string_view condition) {
    const json::View hpa = read("horizontalpodautoscalers", "hpa");
    return std::string{kube::condition_of(hpa, condition).get("reason").as_string()};
  }
};

constexpr auto kCpu = R"({"type":"Resource","resource":{"name":"cpu","target":{"type":
  "Utilization","averageUtilization":50}}})";

TEST_F(Autoscalers, WithoutMetricsSaySoAndLeaveTheNumberAlone) {
  deployment(2);
  autoscaler(kCpu);
  EXPECT_EQ(replicas(), 2);
  EXPECT_EQ(reason("AbleToScale"), "SucceededGetScale");
  EXPECT_EQ(reason("ScalingActive"), "FailedGetResourceMetric");
  EXPECT_THAT(told("HorizontalPodAutoscaler"),
              Contains("FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first "
                       "error is: failed to get cpu resource metric value: failed to get cpu "
                       "utilization: unable to get metrics for resource cpu: unable to fetch "
                       "metrics from resource metrics API: the server could not find the requested "
                       "resource (get pods.metrics.k8s.io)"));
}

TEST_F(Autoscalers, GrowWithTheLoadAndShrinkWhenItHasBeenLowForAWhile) {
  deployment(2);
  autoscaler(kCpu);
  load("cpu", "100m");
  EXPECT_EQ(replicas(), 4);
  EXPECT_EQ(
      status().get("currentMetrics")[0].get("resource", "current", "averageUtilization").as_int(),
      100);
  EXPECT_THAT(told("HorizontalPodAutoscaler"),
              Contains("SuccessfulRescale: New size: 4; reason: cpu resource utilization "
                       "(percentage of request) above target"));

  load("cpu", "10m");
  EXPECT_EQ(replicas(), 4);
  EXPECT_EQ(reason("AbleToScale"), "ScaleDownStabilized");
  wait(minutes(6));

  EXPECT_EQ(replicas(), 1);
  EXPECT_THAT(told("HorizontalPodAutoscaler"),
              Contains("SuccessfulRescale: New size: 1; reason: All metrics below target"));
}

TEST_F(Autoscalers, StayWithinTheirTolerance) {
  deployment(2);
  autoscaler(kCpu);
  load("cpu", "54m");
  EXPECT_EQ(replicas(), 2);
  EXPECT_EQ(reason("ScalingLimited"), "DesiredWithinRange");
}

TEST_F(Autoscalers, StayWithinTheirBounds) {
  deployment(2);
  autoscaler(kCpu);
  load("cpu", "900m");
  EXPECT_EQ(replicas(), 4);
  EXPECT_EQ(reason("ScalingLimited"), "ScaleUpLimit");

  change("horizontalpodautoscalers", "hpa", R"({"spec":{"maxReplicas":3}})");
  settle();

  EXPECT_EQ(replicas(), 3);
  EXPECT_THAT(told("HorizontalPodAutoscaler"),
              Contains("SuccessfulRescale: New size: 3; reason: Current number of replicas above "
                       "Spec.MaxReplicas"));
}

TEST_F(Autoscalers, ChangeNoFasterThanTheirPoliciesAllow) {
  deployment(2);
  autoscaler(kCpu, R"(,"behavior":{"scaleUp":{"policies":[{"type":"Pods","value":1,
    "periodSeconds":60}]},"scaleDown":{"stabilizationWindowSeconds":0,"selectPolicy":"Disabled"}})");
  load("cpu", "200m");
  EXPECT_EQ(replicas(), 3);
  load("cpu", "200m");
  EXPECT_EQ(replicas(), 3);
  EXPECT_EQ(reason("ScalingLimited"), "ScaleUpLimit");
  wait(seconds(60));
  EXPECT_EQ(replicas(), 4);

  load("cpu", "1m");
  EXPECT_EQ(replicas(), 4);
  EXPECT_EQ(reason("ScalingLimited"), "ScaleDownLimit");
}

TEST_F(Autoscalers, GoByMetricsOfPodsObjectsAndTheWorld) {
  deployment(2);
  autoscaler(R"({"type":"Pods","pods":{"metric":{"name":"hits"},"target":{"type":"AverageValue",
    "averageValue":"10"}}},{"type":"External","external":{"metric":{"name":"queue"},"target":{"type":
    "AverageValue","averageValue":"10"}}})");
  change("horizontalpodautoscalers", "hpa",
         R"({"metadata":{"annotations":{"metrics.fixpoint.dev/queue":"30"}}})");
  load("hits", "11");
  EXPECT_EQ(replicas(), 3);
  EXPECT_THAT(told("HorizontalPodAutoscaler"),
              Contains("SuccessfulRescale: New size: 3; reason: external metric queue(nil) above "
                       "target"));
  EXPECT_EQ(
      status().get("currentMetrics")[1].get("external", "current", "averageValue").as_string(),
      "15");
}

TEST_F(Autoscalers, ATargetThatIsNotThereIsACondition) {
  autoscaler(kCpu);
  EXPECT_EQ(reason("AbleToScale"), "FailedGetScale");
  EXPECT_THAT(told("HorizontalPodAutoscaler"),
              Contains("FailedGetScale: deployments.apps \"web\" not found"));
}

TEST_F(Autoscalers, ATargetOfNoReplicasIsLeftAtThat) {
  deployment(0);
  autoscaler(kCpu);
  wait(minutes(1));
  EXPECT_EQ(replicas(), 0);
  EXPECT_EQ(reason("ScalingActive"), "ScalingDisabled");
}

TEST_F(Autoscalers, AtRestWriteNothing) {
  deployment(2);
  autoscaler(kCpu);
  load("cpu", "50m");
  const auto before = kube::resource_version_of(read("horizontalpodautoscalers", "hpa"));
  wait(seconds(15));
  wait(seconds(15));
  EXPECT_EQ(kube::resource_version_of(read("horizontalpodautoscalers", "hpa")), before);
}

}  // namespace
}  // namespace fixpoint::cluster::autoscaling
