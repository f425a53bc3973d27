// SPDX-License-Identifier: Apache-2.0
//
// Pods themselves as subjects: eviction, binding, ephemeral containers, status.
#include "tests/conformance/areas/pod.h"
#include "tests/conformance/areas/subject.h"

#include <utility>

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kPod =
    R"({"spec":{"containers":[{"name":"main","image":"app.example/app:1"}]}})";

Step with_body(Step step, std::string body) {
  step.method = "POST";
  step.body = std::move(body);
  return step;
}

Step pod_special(Gen& gen, const Subject& subject, std::string_view name) {
  const auto& sort = subject.sort;
  const auto metadata = R"("metadata":{"name":")" + std::string{name} + R"("})";
  switch (gen.between(0, 9)) {
    case 0:
    case 1:
      return with_body(on(get(sort, name), "eviction"),
                       R"({"apiVersion":"policy/v1","kind":"Eviction",)" + metadata + "}");
    case 2:
      return with_body(on(get(sort, name), "eviction"),
                       R"({"apiVersion":"policy/v1","kind":"Eviction",)" + metadata +
                           gen.pick({R"(,"deleteOptions":{"gracePeriodSeconds":5}})",
                                     R"(,"deleteOptions":{"dryRun":["All"]}})",
                                     R"(,"deleteOptions":{"preconditions":{"uid":"x"}}})"}));
    case 3:
    case 4:
      return with_body(on(get(sort, name), "binding"),
                       R"({"apiVersion":"v1","kind":"Binding",)" + metadata +
                           gen.pick({R"(,"target":{"kind":"Node","name":"node-1"}})",
                                     R"(,"target":{"kind":"Node","name":"node-2"}})",
                                     R"(,"target":{"name":"node-1"}})",
                                     R"(,"target":{"kind":"Pod","name":"x"}})",
                                     R"(,"target":{"kind":"Node"}})", "}"}));
    case 5:
    case 6:
    case 7: {
      const auto containers = gen.pick(
          {R"([{"name":"debug","image":"app.example/debug"}])",
           R"([{"name":"debug","image":"app.example/debug","targetContainerName":"main","stdin":true,"tty":true}])",
           R"([{"name":"debug","image":"app.example/other"}])",
           R"([{"name":"debug","image":"app.example/debug"},{"name":"more","image":"x"}])", "[]",
           R"([{"name":"main","image":"x"}])",
           R"([{"name":"debug","image":"x","ports":[{"containerPort":1}]}])",
           R"([{"name":"debug","image":"x","targetContainerName":"nobody"}])",
           R"([{"name":"debug","image":"x","livenessProbe":{"exec":{"command":["a"]}}}])"});
      auto step =
          strategic_patch(sort, name, R"({"spec":{"ephemeralContainers":)" + containers + "}}");
      if (gen.chance(40))
        step = update(sort, name, R"({"spec":{"ephemeralContainers":)" + containers + "}}");
      return on(std::move(step), "ephemeralcontainers");
    }
    case 8:
      return on(
          merge_patch(
              sort, name,
              gen.pick(
                  {R"({"spec":{"containers":[{"name":"main","image":"app.example/app:1","resources":{"requests":{"cpu":"1"}}}]}})",
                   R"({"spec":{"initContainers":[{"name":"side","image":"x","restartPolicy":"Always","resources":{"limits":{"cpu":"2"}}},{"name":"init","image":"x","resources":{"limits":{"cpu":"1"}}}]}})",
                   R"({"spec":{"initContainers":[{"name":"side","image":"x","restartPolicy":"Always","resources":{"limits":{"cpu":"1"}}},{"name":"init","image":"x","resources":{"limits":{"cpu":"2"}}}]}})",
                   R"({"spec":{"initContainers":[{"name":"side","image":"x","restartPolicy":"Always","resources":{}},{"name":"init","image":"x","resources":{}}]}})",
                   R"({"spec":{"resources":{"limits":{"cpu":"2"}}}})",
                   R"({"spec":{"nodeName":"x"}})", R"({"metadata":{"labels":{"a":"b"}}})"})),
          "resize");
    default:
      return on(get(sort, name), gen.pick({"log", "ephemeralcontainers", "status", "resize"}));
  }
}

// What pods were told by annotations before there were fields for it. The container of a pod is
// "main". One mistake at a time: annotations come in any order.
const Edits& annotation_edits() {
  static const Edits kEdits{
      R"(/metadata/annotations {"container.apparmor.security.beta.kubernetes.io/main":"runtime/default"})",
      R"(/metadata/annotations {"container.apparmor.security.beta.kubernetes.io/main":"localhost/x"})",
      R"(/metadata/annotations {"container.apparmor.security.beta.kubernetes.io/main":"bogus"})",
      R"(/metadata/annotations {"container.apparmor.security.beta.kubernetes.io/other":"unconfined"})",
      R"(/metadata/annotations {"seccomp.security.alpha.kubernetes.io/pod":"runtime/default"})",
      R"(/metadata/annotations {"seccomp.security.alpha.kubernetes.io/pod":"bogus"})",
      R"(/metadata/annotations {"container.seccomp.security.alpha.kubernetes.io/main":"localhost/../x"})",
      R"(/metadata/annotations {"controller.kubernetes.io/pod-deletion-cost":"+1"})",
      R"(/metadata/annotations {"scheduler.alpha.kubernetes.io/tolerations":"[{\"operator\":\"x\"}]"})",
      R"(/metadata/annotations {"scheduler.alpha.kubernetes.io/tolerations":"x"})",
      R"(/metadata/annotations {"scheduler.alpha.kubernetes.io/tolerations":"{}"})",
      R"(/metadata/annotations {"scheduler.alpha.kubernetes.io/tolerations":"[] ]"})",
      R"(/metadata/annotations {"scheduler.alpha.kubernetes.io/tolerations":"[{\"key\":\"a\""})",
      R"(/metadata/annotations {"scheduler.alpha.kubernetes.io/tolerations":"[7]"})",
      R"(/metadata/annotations {"scheduler.alpha.kubernetes.io/tolerations":"[null, {\"KEY\":\"a\",\"operator\":\"Exists\"}]"})",
      R"(/metadata/annotations {"scheduler.alpha.kubernetes.io/tolerations":"[{\"operator\":true,\"key\":1}]"})",
      R"(/metadata/annotations {"scheduler.alpha.kubernetes.io/tolerations":"[{\"key\":\"a\",\"effect\":[],\"tolerationSeconds\":1.5}]"})",
      R"(/metadata/annotations {"scheduler.alpha.kubernetes.io/tolerations":"[{\"key\":\"a\",\"tolerationSeconds\":1.5}]"})",
      R"(/metadata/annotations {"kubernetes.io/config.mirror":"x"})"};
  return kEdits;
}

}  // namespace

Subject pod_subject() {
  return {
      .sort = {"v1", "Pod", "pods", true, kPod, {}, true},
      .good =
          under("/spec", joined({good_pod_edits(),
               {R"(/restartPolicy "Never")", R"(/restartPolicy "OnFailure")"}}
        )),
      .bad = joined({under("/spec", bad_pod_edits()),
               annotation_edits(),
               {R"(/metadata/name "Bad_Name")", R"(- /spec)", R"(/spec null)",
                      R"(/spec/ephemeralContainers [{"name":"e","image":"x"}])"}}
        ),
      .changes = joined(
          {metadata_edits(), under("/spec", {R"(/containers/0/image "app.example/app:2")",
                                             R"(/containers/0/image "")",
                                             R"(/containers/0/name "other")",
                                             R"(/containers/0/env [{"name":"A","value":"b"}])",
                                             R"(/containers/0/resources {"requests":{"cpu":"1"}})",
                                             R"(/containers/1 {"name":"more","image":"x"})",
                                             R"(/activeDeadlineSeconds 30)",
                                             R"(/activeDeadlineSeconds 900)",
                                             R"(/activeDeadlineSeconds -2)",
                                             R"(/terminationGracePeriodSeconds 1)",
                                             R"(/terminationGracePeriodSeconds -1)",
                                             R"(/tolerations [])",
                                             R"(/tolerations [{"operator":"Exists"}])",
                                             R"(/nodeName "node-1")",
                                             R"(/hostNetwork true)",
                                             R"(/resources {"limits":{"cpu":"3"}})",
                                             R"(/overhead {})",
                                             R"(/restartPolicy "Never")",
                                             R"(/schedulerName "x")",
                                             R"(/nodeSelector {"a":"b"})",
                                             R"(/schedulingGates [])",
                                             R"(/serviceAccountName "z")",
                                             R"(/hostname "h")",
                                             R"(/priority 5)"})}
        ),
      .status =
          {R"(/status/phase "Running")", R"(/status/phase "Succeeded")",
               R"(/status {"phase":"Running","podIP":"10.2.0.1","podIPs":[{"ip":"10.2.0.1"}],"hostIP":"10.3.0.1"})",
               R"(/status/conditions [{"type":"Ready","status":"True"}])", R"(/status/conditions [{"type":"example.com/ready","status":"False","reason":"No","message":"not yet","lastTransitionTime":"2024-01-01T00:00:00Z"}])",
               R"(/status/containerStatuses [{"name":"main","ready":true,"restartCount":1,"image":"a","imageID":"b","state":{"running":{"startedAt":"2024-01-01T00:00:00Z"}}}])",
               R"(/status/containerStatuses [{"name":"main","ready":false,"restartCount":0,"image":"a","imageID":"b","state":{"terminated":{"exitCode":1}}}])",
               R"(/status/nominatedNodeName "n")", R"(/status/qosClass "Guaranteed")",
               R"(/status/podIPs [{"ip":"x"}])", R"(/status {"podIP":"010.2.0.1","podIPs":[{"ip":"010.2.0.1"}]})",
               R"(/status {"podIP":"::ffff:1.2.3.4","podIPs":[{"ip":"::ffff:1.2.3.4"}]})", R"(/status {"podIPs":[{"ip":"10.2.0.1"},{"ip":"fd00:0::1"}],"podIP":"10.2.0.1","hostIP":"fd00:0:0::1","hostIPs":[{"ip":"fd00:0:0::1"}]})",
               R"(/spec/nodeName "node-1")", R"(/metadata/labels {"from":"status"})"},
      .special = pod_special,
  };
}

Edits good_template_edits(std::string_view place) {
  return joined(
      {under(std::string{place} + "/spec", good_pod_edits()),
       under(place, {R"(/metadata/annotations {"a":"b"})", R"(/metadata/name "ignored")"}),
       under(place, annotation_edits())});
}

Edits template_changes(std::string_view place) {
  return joined({metadata_edits(), under(std::string{place} + "/spec", pod_template_edits()),
                 under(place, {R"(/metadata/annotations {"restarted":"now"})"})});
}

// Evictions under a disruption budget.
Sequence budget_sequence(Gen& gen) {
  static const Subject kPods = pod_subject();
  static const Sort kBudget{
      "policy/v1",
      "PodDisruptionBudget",
      "poddisruptionbudgets",
      true,
      R"({"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"web"}}}})",
      {}};
  Sequence made;
  auto body = edited(object(kPods.sort, "a"), R"(/metadata/labels {"app":"web"})");
  made.steps.push_back(create(kPods.sort, body));
  const auto budget = object(kBudget, "a");
  made.steps.push_back(create(kBudget, budget));
  const auto second = object(kBudget, "b");
  if (gen.chance(30)) made.steps.push_back(create(kBudget, second));
  if (gen.chance(70)) {
    made.steps.push_back(
        on(merge_patch(
               kPods.sort, "a",
               R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})"),
           "status"));
  }
  if (gen.chance(60)) {
    made.steps.push_back(on(
        merge_patch(
            kBudget, "a",
            gen.pick(
                {R"({"status":{"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":2}})",
                 R"({"status":{"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1}})",
                 R"({"status":{"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":2}})"})),
        "status"));
  }
  for (auto count = gen.between(1, 3); count > 0; --count) {
    made.steps.push_back(pod_special(gen, kPods, "a"));
    made.steps.push_back(
        with_body(on(get(kPods.sort, "a"), "eviction"),
                  R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a"}})"));
    made.steps.push_back(get(kBudget, "a"));
  }
  // What a real server stores in status.disruptedPods has times of its own.
  for (auto& step : made.steps) {
    if (step.method == "POST" && step.path.ends_with("eviction"))
      step.settle = std::chrono::milliseconds{100};
  }
  return made;
}

}  // namespace fixpoint::conformance
