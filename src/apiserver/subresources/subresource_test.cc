// SPDX-License-Identifier: Apache-2.0
//
// Subresources other than status: bindings, streams, evictions and scales, as a real server has
// them without a kubelet.
#include "apiserver/api_fixture.h"

#include <fmt/format.h>

namespace fixpoint::apiserver {
namespace {

class Subresources : public ApiFixture {
 protected:
  Subresources() {
    create("/api/v1/namespaces/ns/serviceaccounts", R"({"metadata":{"name":"default"}})");
    make_pod("p", R"([{"name":"c","image":"i"}])");
  }
  void make_pod(std::string_view name, std::string_view containers) {
    create(kPods, R"({"metadata":{"name":")" + std::string{name} + R"("},"spec":{"containers":)" +
                      std::string{containers} + "}}");
  }
  static std::string binding(std::string_view metadata, std::string_view target) {
    return R"({"apiVersion":"v1","kind":"Binding","metadata":)" + std::string{metadata} +
           R"(,"target":)" + std::string{target} + "}";
  }
  Response bind(std::string_view metadata, std::string_view target) {
    return create(std::string{kPod} + "/binding", binding(metadata, target));
  }
  Response stream(std::string_view path, std::string_view query = {}) {
    return run(request(Verb::Get, std::string{kPods} + std::string{path}, query));
  }
};

TEST_F(Subresources, ABindingIsCheckedInTheServersWords) {
  const auto nameless = bind(R"({"name":"p"})", "{}");
  const auto wrong = bind(R"({"name":"p"})", R"({"kind":"Pod"})");
  const auto elsewhere = bind(R"({"name":"p","namespace":"other"})", R"({"name":"n"})");
  const auto other_uid = bind(R"({"name":"p","uid":"x"})", R"({"name":"n"})");
  const auto untyped = bind(R"({"name":"p"})", "5");

  EXPECT_EQ(nameless.code, 500);
  EXPECT_EQ(message(nameless), "target.name: Required value");
  EXPECT_EQ(message(wrong),
            "[target.kind: Unsupported value: \"Pod\": supported values: \"Node\", \"<empty>\", "
            "target.name: Required value]");
  EXPECT_EQ(elsewhere.code, 400);
  EXPECT_EQ(other_uid.code, 409);
  EXPECT_EQ(message(untyped),
            "Binding in version \"v1\" cannot be handled as a Binding: json: cannot unmarshal "
            "number into Go struct field Binding.target of type v1.ObjectReference");
  const auto pod = get(kPod);
  EXPECT_TRUE(pod.body.get("spec", "nodeName").is_null());
}

TEST_F(Subresources, APodIsBoundOnceAndTakesTheBindingsAnnotations) {
  const auto bound = create("/api/v1/namespaces/ns/bindings",
                            binding(R"({"name":"p","annotations":{"a":"b"}})", R"({"name":"n"})"));
  const auto again = bind(R"({"name":"p"})", R"({"name":"m"})");
  const auto absent =
      create("/api/v1/namespaces/ns/bindings", binding(R"({"name":"nope"})", R"({"name":"n"})"));

  const auto pod = get(kPod);
  EXPECT_EQ(bound.code, 201);
  EXPECT_EQ(pod.body.get("spec", "nodeName").as_string(), "n");
  EXPECT_EQ(pod.body.get("metadata", "annotations", "a").as_string(), "b");
  EXPECT_EQ(message(again),
            "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to "
            "node \"n\"");
  EXPECT_EQ(message(absent), "pods \"nope\" not found");
}

TEST_F(Subresources, ABoundPodMayStillBeNominated) {
  bind(R"({"name":"p"})", R"({"name":"n"})");

  const auto nominated =
      patch(std::string{kPod} + "/status", R"({"status":{"nominatedNodeName":"m"}})");

  EXPECT_EQ(nominated.code, 200) << message(nominated);
}

TEST_F(Subresources, OnlyProcessorsAndMemoryAreResized) {
  const auto refused = create(kPods, R"({"metadata":{"name":"q"},"spec":{"restartPolicy":"Never",
      "containers":[{"name":"c","image":"i","resizePolicy":[
      {"resourceName":"disk","restartPolicy":"RestartContainer"}]}]}})");

  EXPECT_EQ(message(refused),
            "Pod \"q\" is invalid: [spec.containers[0].resizePolicy: Unsupported value: \"disk\": "
            "supported values: \"cpu\", \"memory\", spec.containers[0].resizePolicy: Invalid "
            "value: \"RestartContainer\": must be 'NotRequired' when `restartPolicy` is 'Never']");
}

TEST_F(Subresources, ASecondTypeOfAVolumeIsNamedAsARealServerSpellsIt) {
  const auto refused = create(kPods, R"({"metadata":{"name":"q"},"spec":{
      "containers":[{"name":"c","image":"i"}],
      "volumes":[{"name":"v","emptyDir":{},"downwardAPI":{}}]}})");

  EXPECT_EQ(
      message(refused),
      "Pod \"q\" is invalid: spec.volumes[0].downwarAPI: Forbidden: may not specify more than "
      "1 volume type");
}

TEST_F(Subresources, ASecurityContextIsShownAsTheServerHasItInside) {
  const auto refused = create(kPods, R"({"metadata":{"name":"q"},"spec":{
      "containers":[{"name":"c","image":"i","securityContext":{"privileged":true,
      "allowPrivilegeEscalation":false,"seccompProfile":{"type":"RuntimeDefault"}}}]}})");

  EXPECT_TRUE(message(refused).contains(
      R"("SeccompProfile":{"Type":"RuntimeDefault","LocalhostProfile":null})"))
      << message(refused);
}

TEST_F(Subresources, AnUpdateAsksOfAPodWhatACreateDoes) {
  const auto refused = patch(kPod, R"({"spec":{"containers":[{"name":"c","image":" x"}]}})",
                             "application/strategic-merge-patch+json");

  EXPECT_TRUE(message(refused).contains(
      R"(spec.containers[0].image: Invalid value: " x": must not have leading or trailing whitespace)"))
      << message(refused);
}

TEST_F(Subresources, PortsToForwardAreReadBeforeAnybodyLooksForThePod) {
  const auto unread = [&](std::string_view query) {
    return message(stream("/nope/portforward", std::string{query}));
  };
  const std::string refusal = "cannot convert to []int32: strconv.ParseUint: parsing ";
  EXPECT_EQ(unread("ports=80,x&ports=y"), refusal + R"("x": invalid syntax)");
  EXPECT_EQ(unread("ports="), refusal + R"("": invalid syntax)");
  EXPECT_EQ(unread("ports=80,"), refusal + R"("": invalid syntax)");
  EXPECT_EQ(unread("ports=-1"), refusal + R"("-1": invalid syntax)");
  EXPECT_EQ(unread("ports=70000"), refusal + R"("70000": value out of range)");
  EXPECT_EQ(unread("ports=0&ports=80,81"), R"(pods "nope" not found)");
}

TEST_F(Subresources, APodWithoutANodeHasAnEmptyLogAndNoHost) {
  EXPECT_EQ(stream("/p/log").code, 204);
  EXPECT_EQ(message(stream("/p/exec")), "pod p does not have a host assigned");
  EXPECT_EQ(message(stream("/p/portforward")), "pod p does not have a host assigned");
  EXPECT_EQ(message(stream("/p/proxy")), "address not allowed");
  EXPECT_EQ(message(stream("/nope/log")), "pods \"nope\" not found");
  EXPECT_EQ(message(stream("/p/log", "container=z")), "container z is not valid for pod p");
  EXPECT_EQ(message(stream("/p/log", "tailLines=-1")),
            "PodLogOptions \"p\" is invalid: tailLines: Invalid value: -1: must be greater than or "
            "equal to 0");
}

TEST_F(Subresources, AStreamOfManyContainersNeedsAName) {
  make_pod("two", R"([{"name":"a","image":"i"},{"name":"b","image":"i"}])");

  EXPECT_EQ(message(stream("/two/attach")),
            "a container name must be specified for pod two, choose one of: [a b]");
}

TEST_F(Subresources, AStreamMayBeOfAnyContainerOfAPod) {
  create("/api/v1/namespaces/ns/pods",
         R"({"metadata":{"name":"many"},"spec":{"initContainers":[{"name":"first","image":"i"}],)"
         R"("containers":[{"name":"b","image":"i"},{"name":"a","image":"i"}]}})");

  EXPECT_EQ(message(stream("/many/log")),
            "a container name must be specified for pod many, choose one of: [first b a]");
}

TEST_F(Subresources, AStreamOfABoundPodDependsOnItsNode) {
  bind(R"({"name":"p"})", R"({"name":"n"})");

  EXPECT_EQ(message(stream("/p/exec")), "pods \"n\" not found");
}

// What a budget says of pods that are not ready: {policy, healthy, wanted, evicted}.
TEST_F(Subresources, APodThatIsNotReadyIsEvictedWhereItsBudgetDoesNotMissIt) {
  constexpr std::string_view kBudgetsPath = "/apis/policy/v1/namespaces/ns/poddisruptionbudgets";
  const auto evicted = [&](std::string_view policy, int healthy, int desired,
                           std::string_view ready = "False") {
    const std::string pod = std::string{kPods} + "/q";
    create(kPods, R"({"metadata":{"name":"q","labels":{"app":"q"}},)"
                  R"("spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
    patch(
        pod + "/status",
        fmt::format(
            R"({{"status":{{"phase":"Running","conditions":[{{"type":"Ready","status":"{}"}}]}}}})",
            ready));
    const std::string budget{kBudgetsPath};
    create(kBudgetsPath,
           fmt::format(
               R"({{"metadata":{{"name":"b"}},"spec":{{"minAvailable":1,)"
               R"("selector":{{"matchLabels":{{"app":"q"}}}}{}}}}})",
               policy.empty() ? "" : fmt::format(R"(,"unhealthyPodEvictionPolicy":"{}")", policy)));
    patch(budget + "/b/status",
          fmt::format(R"({{"status":{{"observedGeneration":1,"disruptionsAllowed":0,)"
                      R"("currentHealthy":{},"desiredHealthy":{}}}}})",
                      healthy, desired));
    const int code =
        create(pod + "/eviction",
               R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"q"},)"
               R"("deleteOptions":{"gracePeriodSeconds":0}})")
            .code;
    remove(pod, R"({"gracePeriodSeconds":0})");
    remove(budget + "/b");
    return code;
  };

  EXPECT_EQ(evicted("AlwaysAllow", 0, 1), 201);
  EXPECT_EQ(evicted("AlwaysAllow", 0, 1, "True"), 429);
  EXPECT_EQ(evicted("IfHealthyBudget", 0, 1), 429);
  EXPECT_EQ(evicted("IfHealthyBudget", 1, 1), 201);
  EXPECT_EQ(evicted("", 1, 1), 201);
  EXPECT_EQ(evicted("", 0, 0), 429);
}

TEST_F(Subresources, AnEvictedPodIsToldWhyAndItsDeleteOptionsCount) {
  bind(R"({"name":"p"})", R"({"name":"n"})");
  const auto evict = [&](std::string_view options) {
    return create(std::string{kPod} + "/eviction",
                  R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"},
                      "deleteOptions":)" +
                      std::string{options} + "}");
  };

  const auto bad = evict(R"({"propagationPolicy":"x"})");
  const auto stale = evict(R"({"preconditions":{"resourceVersion":"1"}})");
  const auto tried = evict(R"({"dryRun":["All"]})");
  const auto untouched = get(kPod);
  const auto done = evict(R"({"gracePeriodSeconds":7})");

  const auto pod = get(kPod);
  EXPECT_EQ(bad.code, 422);
  EXPECT_EQ(stale.code, 409);
  EXPECT_EQ(tried.code, 201);
  EXPECT_EQ(meta(untouched, "deletionTimestamp"), "null");
  EXPECT_EQ(done.code, 201);
  EXPECT_EQ(meta(pod, "deletionGracePeriodSeconds"), "7");
  EXPECT_EQ(pod.body.get("status", "conditions")[1].get("type").as_string(), "DisruptionTarget");
}

TEST_F(Subresources, ASecondEvictionChangesNothing) {
  bind(R"({"name":"p"})", R"({"name":"n"})");
  const auto evict = [&] {
    return create(std::string{kPod} + "/eviction",
                  R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"}})");
  };
  ASSERT_EQ(evict().code, 201);
  const auto once = get(kPod);
  clock_.advance(std::chrono::seconds{2});

  ASSERT_EQ(evict().code, 201);

  EXPECT_EQ(meta(get(kPod), "resourceVersion"), meta(once, "resourceVersion"));
}

TEST_F(Subresources, AScaleOfNothingIsReadAllTheSame) {
  const auto refused = put("/apis/apps/v1/namespaces/ns/deployments/none/scale",
                           R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{
                               "replicas":"2"}})");

  EXPECT_EQ(refused.code, 400);
}

TEST_F(Subresources, AGatedPodHasNoNode) {
  const auto refused = create("/api/v1/namespaces/ns/pods", R"({"metadata":{"name":"g"},"spec":{
      "nodeName":"n","schedulingGates":[{"name":"a.example/g"}],
      "containers":[{"name":"c","image":"i"}]}})");

  EXPECT_TRUE(message(refused).ends_with(
      "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"));
}

TEST_F(Subresources, AdmissionNamesAPodThatHasNoName) {
  const auto refused =
      create("/api/v1/namespaces/ns/pods", R"({"spec":{"preemptionPolicy":"Never"}})");

  EXPECT_EQ(message(refused),
            "pods \"Unknown\" is forbidden: the string value of PreemptionPolicy (Never) must not "
            "be provided in pod spec; priority admission controller computed PreemptLowerPriority "
            "from the given PriorityClass name");
}

TEST_F(Subresources, AScaleIsDecodedAsItsType) {
  create("/apis/apps/v1/namespaces/ns/deployments",
         R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{
             "metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  constexpr auto kDeploymentScale = "/apis/apps/v1/namespaces/ns/deployments/d/scale";
  const auto scale = [&](std::string_view rest, std::string_view query = {}) {
    return put(kDeploymentScale,
               R"({"kind":"Scale",)" + std::string{rest} + R"(,"spec":{"replicas":3}})", query);
  };

  EXPECT_EQ(message(scale(R"("apiVersion":"apps/v1","metadata":{"name":"d"})")),
            "Scale in version \"v1\" cannot be handled as a Scale: no kind \"Scale\" is registered "
            "for version \"apps/v1\" in scheme \"pkg/runtime/scheme.go:110\"");
  EXPECT_EQ(scale(R"("metadata":{"name":"d","namespace":"x"})").code, 400);
  EXPECT_EQ(scale(R"("metadata":{"name":"d","uid":"x"})").code, 409);
  EXPECT_EQ(scale(R"("x":1,"metadata":{"name":"d"})", "fieldValidation=Strict").code, 400);
  EXPECT_EQ(patch(kDeploymentScale, R"({"metadata":{"name":"z"}})").code, 400);
  EXPECT_EQ(scale(R"("metadata":{"name":"d"})").code, 200);
}

TEST_F(Subresources, ACustomResourceRefusesUnderItsOwnName) {
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
  create("/apis/sea.example.com/v1/namespaces/ns/boats",
         R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"b"},
             "spec":{"crew":2}})");
  const std::string boat = "/apis/sea.example.com/v1/namespaces/ns/boats/b";

  const auto negative = patch(boat + "/scale", R"({"spec":{"replicas":-1}})");

  EXPECT_EQ(
      message(negative),
      "Boat.sea.example.com \"b\" is invalid: [spec.crew: Invalid value: -1: spec.crew in body "
      "should be greater than or equal to 1, .spec.crew: Invalid value: -1: should be a "
      "non-negative integer]");
  EXPECT_EQ(patch(boat + "/scale", "{}", "application/strategic-merge-patch+json").code, 415);
  EXPECT_EQ(message(get(boat + "/bogus")), "boats.sea.example.com \"b\" not found");
  EXPECT_EQ(message(create(boat + "/status", "{}")),
            "create is not supported on resources of kind \"boats.sea.example.com\"");
}

}  // namespace
}  // namespace fixpoint::apiserver
