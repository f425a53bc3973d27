// SPDX-License-Identifier: Apache-2.0
//
// Kinds and paths that few clients use, in a real server's words.
#include "apiserver/api_fixture.h"
#include "apiserver/read/table.h"

#include <gmock/gmock.h>

namespace fixpoint::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Breadth : public ApiFixture {
 protected:
  // What is wrong, without whose it is.
  static std::string problem(const Response& response) {
    const auto text = message(response);
    const auto at = text.find(" is invalid: ");
    return at == std::string::npos ? text : text.substr(at + 13);
  }
};

TEST_F(Breadth, AnIngressWithoutAClassTakesTheDefaultOne) {
  constexpr auto kClasses = "/apis/networking.k8s.io/v1/ingressclasses";
  constexpr auto kIngresses = "/apis/networking.k8s.io/v1/namespaces/ns/ingresses";
  const auto class_of = [&](const std::string& metadata, const std::string& more = "") {
    const auto made =
        create(kIngresses, R"({"metadata":{)" + metadata + R"(},"spec":{"defaultBackend":
            {"service":{"name":"s","port":{"number":80}}})" +
                               more + "}}");
    EXPECT_EQ(made.code, 201) << message(made);
    return std::string{made.body.get("spec", "ingressClassName").as_string("none")};
  };
  EXPECT_EQ(class_of(R"("name":"a")"), "none");
  create(kClasses, R"({"metadata":{"name":"plain"},"spec":{"controller":"e.com/c"}})");
  create(kClasses, R"({"metadata":{"name":"usual",
      "annotations":{"ingressclass.kubernetes.io/is-default-class":"true"}},
      "spec":{"controller":"e.com/c"}})");

  EXPECT_EQ(class_of(R"("name":"b")"), "usual");
  EXPECT_EQ(class_of(R"("name":"c")", R"(,"ingressClassName":"plain")"), "plain");
  EXPECT_EQ(class_of(R"("name":"d","annotations":{"kubernetes.io/ingress.class":"old"})"), "none");
}

TEST_F(Breadth, AnAutoscalerWrittenInOneVersionIsReadInTheOther) {
  const auto made = create("/apis/autoscaling/v1/namespaces/ns/horizontalpodautoscalers",
                           R"({"metadata":{"name":"a"},"spec":{"maxReplicas":3,
                               "targetCPUUtilizationPercentage":50,
                               "scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}})");
  ASSERT_EQ(made.code, 201) << message(made);

  const auto newer = get("/apis/autoscaling/v2/namespaces/ns/horizontalpodautoscalers/a");

  EXPECT_EQ(
      json::to_text(newer.body.get("spec", "metrics")),
      R"([{"resource":{"name":"cpu","target":{"averageUtilization":50,"type":"Utilization"}},)"
      R"("type":"Resource"}])");
  EXPECT_FALSE(newer.body.get("spec").contains("targetCPUUtilizationPercentage"));
}

TEST_F(Breadth, TheControlPlanesPartsAnswer) {
  const auto one = get("/api/v1/componentstatuses/etcd-0");
  const auto none = get("/api/v1/componentstatuses/nobody");
  const auto all = list("/api/v1/componentstatuses");
  const auto labelled = list("/api/v1/componentstatuses", "labelSelector=a=b");

  EXPECT_EQ(json::to_text(one.body.get("conditions")),
            R"([{"message":"ok","status":"True","type":"Healthy"}])");
  EXPECT_EQ(message(none), "componentstatus \"nobody\" not found");
  EXPECT_EQ(all.list->items.size(), 3U);
  EXPECT_EQ(labelled.list->items.size(), 0U);
}

TEST_F(Breadth, AnEmptyNamespaceInAPathIsAskedForByValidation) {
  auto call = request(Verb::Create, "/api/v1/configmaps");
  call.empty_namespace = true;
  call.body = R"({"metadata":{"name":"a"}})";

  EXPECT_EQ(problem(run(call)), "metadata.namespace: Required value");
}

TEST_F(Breadth, APodsOwnRequestsAreCompletedFromItsContainers) {
  const auto made = create(kPods, R"({"metadata":{"name":"a"},"spec":{
      "resources":{"limits":{"cpu":"1","memory":"1Gi"}},
      "containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"300m"}}},
                    {"name":"d","image":"i","resources":{"requests":{"cpu":"200m"}}}]}})");

  EXPECT_EQ(json::to_text(made.body.get("spec", "resources", "requests")),
            R"({"cpu":"500m","memory":"1Gi"})");
}

TEST_F(Breadth, ContainersFitIntoTheirPod) {
  const auto refused = create(kPods, R"({"metadata":{"name":"b"},"spec":{
      "resources":{"requests":{"cpu":"1"}},
      "containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"3"}}}]}})");

  EXPECT_EQ(problem(refused),
            "spec.resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to "
            "aggregate container requests of 3");
}

TEST_F(Breadth, APodsOldAnnotationsAreChecked) {
  const auto wrong = create(kPods, R"({"metadata":{"name":"b","annotations":{
      "controller.kubernetes.io/pod-deletion-cost":"+1",
      "seccomp.security.alpha.kubernetes.io/pod":"x"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}})");
  create(kPods, R"({"metadata":{"name":"a","annotations":{
      "controller.kubernetes.io/pod-deletion-cost":"-7"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}})");
  const auto mirrored =
      patch("/api/v1/namespaces/ns/pods/a",
            R"({"metadata":{"annotations":{"kubernetes.io/config.mirror":"x"}}})");

  EXPECT_EQ(problem(wrong),
            "[metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "
            "\"+1\": must be a 32bit integer, "
            "metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: \"x\": "
            "must be a valid seccomp profile]");
  EXPECT_THAT(problem(mirrored), testing::HasSubstr("may not add mirror pod annotation"));
}

TEST_F(Breadth, AnOverheadIsOneEvenIfItIsEmpty) {
  const auto refused = create(
      kPods,
      R"({"metadata":{"name":"a"},"spec":{"overhead":{},"containers":[{"name":"c","image":"i"}]}})");

  EXPECT_EQ(message(refused),
            "pods \"a\" is forbidden: pod rejected: Pod Overhead set without corresponding "
            "RuntimeClass defined Overhead");
}

TEST_F(Breadth, AnInitContainerKeepsItsSizeUnlessItStays) {
  create(kPods, R"({"metadata":{"name":"a"},"spec":{"initContainers":[
      {"name":"s","image":"i","restartPolicy":"Always","resources":{"limits":{"cpu":"1"}}},
      {"name":"i","image":"i","resources":{"limits":{"cpu":"1"}}}],
      "containers":[{"name":"c","image":"i"}]}})");
  const auto resize = [&](std::string_view name) {
    return patch("/api/v1/namespaces/ns/pods/a/resize",
                 R"({"spec":{"initContainers":[{"name":")" + std::string{name} +
                     R"(","resources":{"limits":{"cpu":"2"}}}]}})",
                 "application/strategic-merge-patch+json");
  };

  EXPECT_EQ(resize("s").code, 200);
  EXPECT_EQ(problem(resize("i")),
            "spec: Forbidden: resources for non-sidecar init containers are immutable");
}

TEST_F(Breadth, OddSpellingsOfAddressesAreWarnedOf) {
  const auto made = create("/api/v1/namespaces/ns/services",
                           R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":1}],
                               "externalIPs":["010.0.0.1","::ffff:1.2.3.4","fd00:0::1"]}})");
  create(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  const auto status = patch("/api/v1/namespaces/ns/pods/p/status",
                            R"({"status":{"podIP":"010.0.0.1","podIPs":[{"ip":"010.0.0.1"}]}})");

  EXPECT_THAT(
      made.warnings,
      ElementsAre("spec.externalIPs[0]: non-standard IP address \"010.0.0.1\" will be considered "
                  "invalid in a future Kubernetes release: use \"10.0.0.1\"",
                  "spec.externalIPs[1]: non-standard IP address \"::ffff:1.2.3.4\" will be "
                  "considered invalid in a future Kubernetes release: use \"1.2.3.4\"",
                  "spec.externalIPs[2]: IPv6 address \"fd00:0::1\" should be in RFC 5952 canonical "
                  "format (\"fd00::1\")"));
  EXPECT_EQ(status.warnings.size(), 1U);
}

TEST_F(Breadth, EndpointsThatStayAreNotLookedAtAgain) {
  create(
      "/apis/discovery.k8s.io/v1/namespaces/ns/endpointslices",
      R"({"metadata":{"name":"a"},"addressType":"IPv4","endpoints":[{"addresses":["10.0.0.1"]}]})");

  const auto refused = patch("/apis/discovery.k8s.io/v1/namespaces/ns/endpointslices/a",
                             R"({"addressType":"IPv6"})");

  EXPECT_EQ(problem(refused), "addressType: Invalid value: \"IPv6\": field is immutable");
}

TEST_F(Breadth, FlowSchemasAndLevelsAreChecked) {
  const auto schema = create("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
                             R"({"metadata":{"name":"a"},"spec":{"matchingPrecedence":1,
                 "distinguisherMethod":{"type":"Bogus"},"priorityLevelConfiguration":{"name":""}}})");
  const auto level = create("/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
                            R"({"metadata":{"name":"a"},"spec":{"type":"Limited","limited":{
                                "limitResponse":{"type":"Queue","queuing":{"queues":512,"handSize":9}}}}})");

  EXPECT_EQ(
      problem(schema),
      "[spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have "
      "matchingPrecedence 1, spec.distinguisherMethod.type: Unsupported value: "
      "{\"Type\":\"Bogus\"}: supported values: \"ByNamespace\", \"ByUser\", "
      "spec.priorityLevelConfiguration.name: Required value: must reference a priority level]");
  EXPECT_EQ(problem(level),
            "spec.limited.limitResponse.queuing.handSize: Invalid value: 9: required entropy bits "
            "of deckSize 512 and handSize 9 should not be greater than 60");
}

TEST_F(Breadth, ClaimsOfDevicesAreCheckedAndStay) {
  constexpr auto kResourceClaims = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims";
  const auto refused =
      create(kResourceClaims, R"({"metadata":{"name":"b"},"spec":{"devices":{"requests":[
      {"name":"r","exactly":{"deviceClassName":"c","allocationMode":"All","count":2}},
      {"name":"r","exactly":{}}]}}})");
  create(kResourceClaims, R"({"metadata":{"name":"a"},"spec":{"devices":{"requests":[
      {"name":"r","exactly":{"deviceClassName":"c"}}]}}})");
  const auto changed = patch("/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/a",
                             R"({"spec":{"devices":{"requests":[]}}})");

  EXPECT_EQ(problem(refused),
            "[spec.devices.requests[0].exactly.count: Invalid value: 2: must not be specified when "
            "allocationMode is 'All', spec.devices.requests[1].exactly.deviceClassName: Required "
            "value, spec.devices.requests[1].name: Duplicate value: \"r\"]");
  EXPECT_THAT(problem(changed), testing::EndsWith("field is immutable"));
}

TEST_F(Breadth, SlicesOfDevicesAreSomewhere) {
  const auto refused =
      create("/apis/resource.k8s.io/v1/resourceslices",
             R"({"metadata":{"name":"b"},"spec":{"driver":"d.e","nodeName":"n","allNodes":true,
                 "pool":{"name":"n","resourceSliceCount":1}}})");

  EXPECT_EQ(problem(refused),
            "spec: Invalid value: \"{`nodeName`, `allNodes`}\": exactly one of `nodeName`, "
            "`nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields "
            "are set");
}

TEST_F(Breadth, AnEmptyNamespaceInAPathNamesNoObjectAndAllCollections) {
  create("/api/v1/namespaces/ns/configmaps", R"({"metadata":{"name":"a"}})");
  const auto sent = [&](Verb verb, std::string_view path) {
    auto call = request(verb, path);
    call.empty_namespace = true;
    call.body = "{}";
    return run(call);
  };

  for (const Verb verb : {Verb::Get, Verb::Update, Verb::Patch, Verb::Delete}) {
    EXPECT_EQ(message(sent(verb, "/api/v1/configmaps/a")), "Namespace parameter required.");
  }
  const auto emptied = sent(Verb::DeleteCollection, "/api/v1/configmaps");

  EXPECT_EQ(emptied.code, 200);
  EXPECT_EQ(get("/api/v1/namespaces/ns/configmaps/a").code, 404);
}

constexpr auto kOldScalers = "/apis/autoscaling/v1/namespaces/ns/horizontalpodautoscalers";
constexpr auto kScalers = "/apis/autoscaling/v2/namespaces/ns/horizontalpodautoscalers";

TEST_F(Breadth, OnlyAWholeAutoscalerShowsInAnnotationsWhatItsVersionHasNoFieldsFor) {
  create(kScalers, R"({"metadata":{"name":"a"},"spec":{"maxReplicas":7,
      "scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},
      "metrics":[{"type":"Resource","resource":{"name":"memory",
        "target":{"type":"Utilization","averageUtilization":60}}}]}})");

  const auto whole = get(std::string{kOldScalers} + "/a").body;

  EXPECT_TRUE(whole.get("metadata").contains("annotations"));
  const json::Value part = partial_object(whole);
  EXPECT_FALSE(part.get("metadata").contains("annotations"));
}

std::string scaler(std::string_view version, std::string_view spec) {
  return R"({"apiVersion":"autoscaling/)" + std::string{version} +
         R"(","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},"spec":)" +
         std::string{spec} + "}";
}

TEST_F(Breadth, AnAutoscalersOwnersAreAskedInTheirOwnVersion) {
  constexpr auto kSpec =
      R"({"maxReplicas":3,"metrics":[{"type":"Resource","resource":{"name":"cpu",
          "target":{"type":"Utilization","averageUtilization":50}}}],
          "scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}})";
  ASSERT_EQ(apply(std::string{kScalers} + "/a", scaler("v2", kSpec), "one").code, 201);

  const auto old = std::string{kOldScalers} + "/a";
  const auto wish = scaler("v1", R"({"targetCPUUtilizationPercentage":60})");
  const auto refused = apply(old, wish, "two");
  const auto forced = apply(old, wish, "two", true);

  EXPECT_EQ(message(refused), "Apply failed with 1 conflict: conflict with \"one\": .spec.metrics");
  EXPECT_EQ(
      json::to_text(forced.body.get("metadata", "managedFields")[0].get("fieldsV1")),
      R"({"f:spec":{"f:maxReplicas":{},"f:scaleTargetRef":{"f:apiVersion":{},"f:kind":{},"f:name":{}}}})");
}

TEST_F(Breadth, AnOldAutoscalersWriterOwnsTheAnnotationsThatItsStatusBecomes) {
  create(
      kOldScalers,
      scaler(
          "v1",
          R"({"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}})"));

  const auto written = patch(std::string{kOldScalers} + "/a/status",
                             R"({"status":{"currentCPUUtilizationPercentage":4}})");

  const auto owned = json::to_text(written.body.get("metadata", "managedFields")[1]);
  EXPECT_THAT(owned, HasSubstr("f:autoscaling.alpha.kubernetes.io/current-metrics"));
  const auto newer = get(std::string{kScalers} + "/a");
  const json::View metric = newer.body.get("status", "currentMetrics")[0];
  EXPECT_FALSE(metric.get("resource", "current").contains("averageValue"));
}

TEST_F(Breadth, WhatAnOldAutoscalerSaysInAnnotationsIsCompletedAndLookedAt) {
  const auto with = [&](std::string_view name, std::string_view text) {
    return create(kOldScalers, R"({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler",)"
                               R"("metadata":{"name":"a","annotations":{)"
                               R"("autoscaling.alpha.kubernetes.io/)" +
                                   std::string{name} + R"(":")" + std::string{text} +
                                   R"("}},"spec":{"maxReplicas":3,"scaleTargetRef":)"
                                   R"({"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}})");
  };

  EXPECT_EQ(with("metrics", R"([{\"type\":\"Nope\"}])").code, 422);
  // A new object has no status.
  const auto made = with("conditions", R"([{\"type\":\"AbleToScale\",\"status\":\"True\"}])");
  EXPECT_EQ(made.code, 201);
  EXPECT_FALSE(made.body.get("metadata").contains("annotations"));
  const auto behaves = [&](std::string_view up) {
    return patch(std::string{kOldScalers} + "/a",
                 R"({"metadata":{"annotations":{"autoscaling.alpha.kubernetes.io/behavior":)"
                 R"("{\"ScaleUp\":{)" +
                     std::string{up} + R"(}}"}}})");
  };
  EXPECT_EQ(behaves(R"(\"SelectPolicy\":\"Min\")").code, 422);
  EXPECT_EQ(behaves(R"(\"SelectPolicy\":\"Min\",\"Policies\":)"
                    R"([{\"Type\":\"Pods\",\"Value\":4,\"PeriodSeconds\":60}])")
                .code,
            200);
  const auto newer = get(std::string{kScalers} + "/a");
  EXPECT_EQ(newer.body.get("spec", "behavior", "scaleUp", "selectPolicy").as_string(), "Min");
  EXPECT_EQ(newer.body.get("spec", "behavior", "scaleDown", "selectPolicy").as_string(), "Max");
}

TEST_F(Breadth, AnOldAutoscalersWriterLeavesTheStatusAsItIs) {
  create(kOldScalers, scaler("v1", R"({"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1",
                                       "kind":"Deployment","name":"d"}})"));
  const auto old = std::string{kOldScalers} + "/a";
  const auto seen = patch(old + "/status", R"({"status":{"currentCPUUtilizationPercentage":4}})");

  const auto same = patch(old, "{}");

  EXPECT_EQ(meta(same, "resourceVersion"), meta(seen, "resourceVersion"));
}

TEST_F(Breadth, APodsOldAnnotationBecomesTheFieldThatItStandsFor) {
  const auto pod = [](std::string_view profile, std::string_view field) {
    return R"({"metadata":{"generateName":"p","annotations":{
               "container.apparmor.security.beta.kubernetes.io/c":")" +
           std::string{profile} + R"("}},"spec":{"containers":[{"name":"c","image":"i")" +
           std::string{field} + "}]}}";
  };

  const auto taken = create(kPods, pod("localhost/x", ""));
  const auto other = create(kPods, pod("unconfined", R"(,"securityContext":{"appArmorProfile":
                                                       {"type":"RuntimeDefault"}})"));

  EXPECT_EQ(json::to_text(taken.body.get("spec", "containers")[0].get("securityContext")),
            R"({"appArmorProfile":{"localhostProfile":"x","type":"Localhost"}})");
  EXPECT_THAT(taken.warnings,
              ElementsAre("metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: "
                          "deprecated since v1.30; use the \"appArmorProfile\" field instead"));
  EXPECT_EQ(problem(other),
            "spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in "
            "annotation and field must match");
}

TEST_F(Breadth, APodOfAnOperatingSystemHasNothingOfTheOther) {
  const auto pod = [](std::string_view os, std::string_view context) {
    return R"({"metadata":{"name":"p"},"spec":{"os":{"name":")" + std::string{os} +
           R"("},"containers":[{"name":"c","image":"i","securityContext":)" + std::string{context} +
           "}]}}";
  };

  EXPECT_EQ(problem(create(kPods, pod("windows", R"({"privileged":true})"))),
            "spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows "
            "pod");
  EXPECT_EQ(problem(create(kPods, pod("linux", R"({"windowsOptions":{}})"))),
            "spec.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot "
            "be set for a linux pod");
}

TEST_F(Breadth, APodWithClaimsHasOneSize) {
  create(kPods, R"({"metadata":{"name":"p"},"spec":{
      "resourceClaims":[{"name":"gpu","resourceClaimName":"c"}],
      "containers":[{"name":"c","image":"i","resources":{"claims":[{"name":"gpu"}]}}]}})");

  EXPECT_EQ(problem(patch(std::string{kPods} + "/p/resize", "{}")),
            "spec: Forbidden: only cpu and memory resources are mutable");
}

TEST_F(Breadth, AResizeMayBringAnythingWhereThereWasNothing) {
  create(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  const auto resize = [&](std::string_view requests) {
    return patch(std::string{kPods} + "/p/resize",
                 R"({"spec":{"containers":[{"name":"c","resources":{"requests":)" +
                     std::string{requests} + "}}]}}",
                 "application/strategic-merge-patch+json");
  };

  const auto first = resize(R"({"ephemeral-storage":"2Gi"})");
  const auto second = resize(R"({"ephemeral-storage":"3Gi"})");

  EXPECT_EQ(first.code, 200) << message(first);
  EXPECT_EQ(problem(second), "spec: Forbidden: only cpu and memory resources are mutable");
}

TEST_F(Breadth, ASelectorIsShownWithItsLabelsFirst) {
  create(kDeployments, R"({"metadata":{"name":"d"},"spec":{
      "selector":{"matchExpressions":[{"key":"app","operator":"Exists"}]},
      "template":{"metadata":{"labels":{"app":"x"}},
                  "spec":{"containers":[{"name":"c","image":"i"}]}}}})");

  const auto changed = patch(std::string{kDeployments} + "/d",
                             R"({"spec":{"selector":{"matchLabels":{"app":"x"}}}})");

  EXPECT_EQ(problem(changed),
            R"(spec.selector: Invalid value: {"matchLabels":{"app":"x"},)"
            R"("matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable)");
}

TEST_F(Breadth, AnOldAutoscalersOwnersCanBeForgotten) {
  create(kOldScalers, scaler("v1", R"({"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1",
                                       "kind":"Deployment","name":"d"}})"));

  const auto bare = patch(std::string{kOldScalers} + "/a", R"({"metadata":{"managedFields":[]}})");

  EXPECT_EQ(meta(bare, "managedFields"), "null");
}

TEST_F(Breadth, AnApplyInAnotherGroupsVersionKeepsItsTime) {
  apply("/api/v1/namespaces/ns/events/a",
        R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"a"},"reason":"x",
            "involvedObject":{"namespace":"ns"}})",
        "one");

  const auto same = apply("/apis/events.k8s.io/v1/namespaces/ns/events/a",
                          R"({"apiVersion":"events.k8s.io/v1","kind":"Event",
                              "metadata":{"name":"a"},"reason":"x","regarding":{"namespace":"ns"}})",
                          "one");

  EXPECT_EQ(same.code, 200) << message(same);
  EXPECT_TRUE(same.body.get("metadata", "managedFields")[0].contains("time"));
}

constexpr auto kSet = R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"app":"x"}},
    "template":{"metadata":{"labels":{"app":"x"}},
                "spec":{"containers":[{"name":"c","image":"i"}]}}}})";

TEST_F(Breadth, AStatefulSetsClaimsAreCheckedWhenItIsMade) {
  std::string bad = kSet;
  bad.insert(bad.find(R"("selector")"), R"("volumeClaimTemplates":[{"metadata":{"name":"c"}}],)");

  EXPECT_EQ(problem(create(kStatefulSets, bad)),
            "[spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access "
            "mode is required, spec.volumeClaimTemplates[0].spec.resources[storage]: Required "
            "value]");
}

TEST_F(Breadth, AStatefulSetsServiceNameIsOnlyLookedAtWhenItIsMade) {
  ASSERT_EQ(create(kStatefulSets, kSet).code, 201);

  const auto changed =
      problem(patch(std::string{kStatefulSets} + "/a", R"({"spec":{"serviceName":"É"}})"));

  EXPECT_THAT(changed, testing::StartsWith("spec: Forbidden: updates to statefulset spec"));
}

TEST_F(Breadth, TheLastAnswerOfAnObjectShowsTheEmptyListsThatWereSent) {
  constexpr auto kSlices = "/apis/discovery.k8s.io/v1/namespaces/ns/endpointslices";
  create(kSlices,
         R"({"metadata":{"name":"a","finalizers":["example.com/a"]},"addressType":"IPv4"})");
  remove(std::string{kSlices} + "/a");

  const auto gone = patch(std::string{kSlices} + "/a",
                          R"({"metadata":{"finalizers":null},"endpoints":[],"ports":[]})");

  EXPECT_EQ(json::to_text(gone.body.get("endpoints")), "[]");
}

TEST_F(Breadth, AnAmountBelowAllCountingIsShownAsItIs) {
  const auto refused = create("/api/v1/namespaces/ns/resourcequotas",
                              R"({"metadata":{"name":"a"},
                                  "spec":{"hard":{"cpu":"-9223372036854775809"}}})");

  EXPECT_EQ(problem(refused),
            "spec.hard[cpu]: Invalid value: \"-9223372036854775809\": must be greater than or "
            "equal to 0");
}

}  // namespace
}  // namespace fixpoint::apiserver
