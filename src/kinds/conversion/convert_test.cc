// SPDX-License-Identifier: Apache-2.0
#include "kinds/conversion/convert.h"

#include "json/parsing/parse.h"
#include "json/print.h"
#include "kinds/kind.h"

#include <gtest/gtest.h>

namespace fixpoint::kinds {
namespace {

std::string converted(std::string_view text, void (*convert)(json::Draft&)) {
  const auto parsed = json::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  json::Draft draft{*parsed};
  convert(draft);
  const auto frozen = draft.freeze();
  return json::to_text(frozen);
}

TEST(EventConversion, RenamesFieldsAndPrintsTheCoreZeroValues) {
  const auto core = converted(
      R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"e"},"note":"hi",
          "eventTime":"2020-01-01T00:00:00.000000Z","regarding":{"name":"p"},"reportingController":"c"})",
      event_to_core);

  EXPECT_EQ(
      core,
      R"({"apiVersion":"v1","eventTime":"2020-01-01T00:00:00.000000Z","firstTimestamp":null,)"
      R"("involvedObject":{"name":"p"},"kind":"Event","lastTimestamp":null,"message":"hi",)"
      R"("metadata":{"name":"e"},"reportingComponent":"c","reportingInstance":"","source":{}})");
}

TEST(EventConversion, ComesBackUnchanged) {
  const std::string event =
      R"({"apiVersion":"events.k8s.io/v1","deprecatedCount":3,"deprecatedFirstTimestamp":null,)"
      R"("deprecatedLastTimestamp":null,"deprecatedSource":{},"eventTime":null,"kind":"Event",)"
      R"("metadata":{"name":"e"},"note":"hi","regarding":{"kind":"Pod"}})";

  EXPECT_EQ(converted(converted(event, event_to_core), event_from_core), event);
}

TEST(AutoscalerConversion, TurnsTheCpuPercentageIntoAMetricAndBack) {
  const std::string v1 =
      R"({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},)"
      R"("spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"D","name":"d"},)"
      R"("targetCPUUtilizationPercentage":50},"status":{"currentReplicas":0,"desiredReplicas":0}})";

  const auto v2 = converted(v1, autoscaler_to_v2);

  EXPECT_EQ(
      v2,
      R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},)"
      R"("spec":{"maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":)"
      R"({"averageUtilization":50,"type":"Utilization"}},"type":"Resource"}],)"
      R"("scaleTargetRef":{"kind":"D","name":"d"}},)"
      R"("status":{"currentMetrics":null,"desiredReplicas":0}})");
  EXPECT_EQ(converted(v2, autoscaler_to_v1), v1);
}

TEST(AutoscalerConversion, CarriesOtherMetricsInAnnotations) {
  const std::string v2 =
      R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},)"
      R"("spec":{"behavior":{"scaleDown":{"policies":[{"periodSeconds":15,"type":"Percent","value":100}],)"
      R"("selectPolicy":"Max","stabilizationWindowSeconds":5},"scaleUp":{"policies":)"
      R"([{"periodSeconds":60,"type":"Pods","value":4}],"selectPolicy":"Min","stabilizationWindowSeconds":0}},)"
      R"("maxReplicas":3,"metrics":)"
      R"([{"pods":{"metric":{"name":"m"},"target":{"averageValue":"5","type":"AverageValue"}},"type":"Pods"}],)"
      R"("scaleTargetRef":{"kind":"D","name":"d"}},)"
      R"("status":{"conditions":[{"lastTransitionTime":null,"status":"True","type":"AbleToScale"}],)"
      R"("currentMetrics":null,"desiredReplicas":0}})";

  const auto v1 = converted(v2, autoscaler_to_v1);

  const auto parsed = json::parse(v1);
  const auto annotations = parsed->get("metadata", "annotations");
  EXPECT_EQ(annotations.get("autoscaling.alpha.kubernetes.io/metrics").as_string(),
            R"([{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"5"}}])");
  EXPECT_EQ(annotations.get("autoscaling.alpha.kubernetes.io/behavior").as_string(),
            R"({"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Min",)"
            R"("Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":60}],"Tolerance":null},)"
            R"("ScaleDown":{"StabilizationWindowSeconds":5,"SelectPolicy":"Max",)"
            R"("Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null}})");
  EXPECT_FALSE(parsed->get("spec").contains("metrics"));
  EXPECT_EQ(converted(v1, autoscaler_to_v2), v2);
}

TEST(AutoscalerConversion, OverlooksAnnotationsThatAreSomethingElse) {
  const auto v2 = converted(
      R"({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"h","annotations":)"
      R"({"autoscaling.alpha.kubernetes.io/conditions":"1","autoscaling.alpha.kubernetes.io/current-metrics":"[1]",)"
      R"("autoscaling.alpha.kubernetes.io/behavior":"[]"}},"spec":{"maxReplicas":3}})",
      autoscaler_to_v2);

  const auto parsed = json::parse(v2);
  EXPECT_FALSE(parsed->get("status").contains("conditions"));
  EXPECT_FALSE(parsed->get("spec").contains("behavior"));
  EXPECT_TRUE(parsed->get("status", "currentMetrics").is_null());
}

TEST(Conversions, AreWhereTheRowsSayTheyAre) {
  for (const auto& kind : all()) {
    EXPECT_EQ(kind.stored_as.resource.empty(), kind.to_stored == nullptr) << kind.gvk.to_string();
    EXPECT_EQ(kind.stored_as.resource.empty(), kind.from_stored == nullptr) << kind.gvk.to_string();
  }
}

}  // namespace
}  // namespace fixpoint::kinds
