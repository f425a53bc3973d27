// SPDX-License-Identifier: Apache-2.0
//
// LimitRange at admission. Every text is what a kube-apiserver 1.34 answered to the same request.
#include "apiserver/api_fixture.h"

namespace fixpoint::apiserver {
namespace {

constexpr auto kLimitRange = R"({"metadata":{"name":"l"},"spec":{"limits":[
  {"type":"Container","default":{"cpu":"500m","memory":"256Mi"},"defaultRequest":{"cpu":"100m"},
   "min":{"cpu":"50m","memory":"10Mi"},"max":{"cpu":"1","memory":"1Gi"},
   "maxLimitRequestRatio":{"cpu":"10"}},
  {"type":"Pod","max":{"cpu":"2"},"min":{"memory":"20Mi"}},
  {"type":"PersistentVolumeClaim","min":{"storage":"1Gi"},"max":{"storage":"10Gi"}}]}})";

std::string container(std::string_view name, std::string_view resources) {
  return R"({"name":")" + std::string{name} + R"(","image":"x","resources":)" +
         std::string{resources} + "}";
}

std::string pod_of_containers(std::string_view containers) {
  return R"({"metadata":{"name":"q"},"spec":{"containers":[)" + std::string{containers} + "]}}";
}

std::string claim_of_size(std::string_view storage) {
  return R"({"metadata":{"name":"v1"},"spec":{"storageClassName":"gold",)"
         R"("accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":")" +
         std::string{storage} + R"("}}}})";
}

class LimitRangeAdmission : public ApiFixture {
 protected:
  LimitRangeAdmission() {
    const auto made = create("/api/v1/namespaces/ns/limitranges", kLimitRange);
    EXPECT_EQ(made.code, 201) << message(made);
  }
  std::string refusal(std::string_view containers) {
    return message(create(kPods, pod_of_containers(containers)));
  }
};

TEST_F(LimitRangeAdmission, FillsWhatContainersLeaveOpenAndSaysSo) {
  const auto made =
      create(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"b","image":"x"},
              {"name":"a","image":"x","resources":{"requests":{"cpu":"200m"}}}],
             "initContainers":[{"name":"i","image":"x"}]}})");

  ASSERT_EQ(made.code, 201) << message(made);
  const json::View spec = made.body.get("spec");
  EXPECT_EQ(
      json::to_text(spec.get("containers")[0].get("resources")),
      R"({"limits":{"cpu":"500m","memory":"256Mi"},"requests":{"cpu":"100m","memory":"256Mi"}})");
  EXPECT_EQ(
      json::to_text(spec.get("containers")[1].get("resources")),
      R"({"limits":{"cpu":"500m","memory":"256Mi"},"requests":{"cpu":"200m","memory":"256Mi"}})");
  EXPECT_EQ(
      json::to_text(spec.get("initContainers")[0].get("resources")),
      R"({"limits":{"cpu":"500m","memory":"256Mi"},"requests":{"cpu":"100m","memory":"256Mi"}})");
  EXPECT_EQ(made.body.get("metadata", "annotations", "kubernetes.io/limit-ranger").as_string(),
            "LimitRanger plugin set: cpu, memory request for container b; cpu, memory limit for "
            "container b; memory request for container a; cpu, memory limit for container a; cpu, "
            "memory request for init container i; cpu, memory limit for init container i");
}

TEST_F(LimitRangeAdmission, SaysNothingAboutAPodThatStatesEverything) {
  const auto made =
      create(kPods, pod_of_containers(container("b", R"({"limits":{"cpu":"1","memory":"1Gi"},
                                                  "requests":{"cpu":"1","memory":"1Gi"}})")));

  ASSERT_EQ(made.code, 201) << message(made);
  EXPECT_EQ(meta(made, "annotations"), "null");
}

TEST_F(LimitRangeAdmission, TellsEveryBoundThatIsBroken) {
  EXPECT_EQ(refusal(container("b", R"({"limits":{"cpu":"2"},"requests":{"cpu":"10m"}})")),
            "pods \"q\" is forbidden: [minimum cpu usage per Container is 50m, but request is 10m, "
            "maximum cpu usage per Container is 1, but limit is 2, cpu max limit to request ratio "
            "per Container is 10, but provided ratio is 200.000000]");
  EXPECT_EQ(
      refusal(container("b", R"({"limits":{"cpu":"4","memory":"2Gi"},"requests":{"cpu":"10m"}})")),
      "pods \"q\" is forbidden: [minimum cpu usage per Container is 50m, but request is 10m, "
      "maximum cpu usage per Container is 1, but limit is 4, maximum memory usage per Container is "
      "1Gi, but limit is 2Gi, cpu max limit to request ratio per Container is 10, but provided "
      "ratio is 400.000000, maximum cpu usage per Pod is 2, but limit is 4]");
}

TEST_F(LimitRangeAdmission, ComparesLimitsWithRequests) {
  EXPECT_EQ(refusal(container("b", R"({"limits":{"cpu":"900m"},"requests":{"cpu":"70m"}})")),
            "pods \"q\" is forbidden: cpu max limit to request ratio per Container is 10, but "
            "provided ratio is 12.857143");
  EXPECT_EQ(refusal(container("b", R"({"limits":{"cpu":"0"},"requests":{"cpu":"0"}})")),
            "pods \"q\" is forbidden: [minimum cpu usage per Container is 50m, but request is 0, "
            "cpu max limit to request ratio per Container is 10, but no request is specified or "
            "request is 0]");
  EXPECT_EQ(create(kPods, pod_of_containers(container(
                              "b", R"({"limits":{"cpu":"700m"},"requests":{"cpu":"70m"}})")))
                .code,
            201);
}

TEST_F(LimitRangeAdmission, BoundsPodsByTheSumOfTheirContainers) {
  const auto resources = R"({"limits":{"cpu":"800m"},"requests":{"cpu":"800m"}})";

  EXPECT_EQ(refusal(container("a", resources) + "," + container("b", resources) + "," +
                    container("c", resources)),
            "pods \"q\" is forbidden: maximum cpu usage per Pod is 2, but limit is 2400m");
}

TEST_F(LimitRangeAdmission, BoundsWhatClaimsRequest) {
  EXPECT_EQ(message(create(kClaims, claim_of_size("11Gi"))),
            "persistentvolumeclaims \"v1\" is forbidden: maximum storage usage per "
            "PersistentVolumeClaim is 10Gi, but request is 11Gi");
  EXPECT_EQ(message(create(kClaims, claim_of_size("500Mi"))),
            "persistentvolumeclaims \"v1\" is forbidden: minimum storage usage per "
            "PersistentVolumeClaim is 1Gi, but request is 500Mi");
  EXPECT_EQ(create(kClaims, claim_of_size("10Gi")).code, 201);
}

TEST_F(LimitRangeAdmission, LeavesOtherNamespacesAndRunningPodsAlone) {
  create("/api/v1/namespaces", R"({"metadata":{"name":"free"}})");
  const auto huge = container("b", R"({"limits":{"cpu":"100"},"requests":{"cpu":"100"}})");
  const auto made = create("/api/v1/namespaces/free/pods", pod_of_containers(huge));
  create("/api/v1/namespaces/free/limitranges", kLimitRange);

  const auto labelled =
      patch("/api/v1/namespaces/free/pods/q", R"({"metadata":{"labels":{"a":"b"}}})");

  EXPECT_EQ(made.code, 201) << message(made);
  EXPECT_EQ(labelled.code, 200) << message(labelled);
}

}  // namespace
}  // namespace fixpoint::apiserver
