// SPDX-License-Identifier: Apache-2.0
//
// Rules 13 to 22: deletion.
#include "tests/conformance/rules_steps.h"

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kHeld = R"({"metadata":{"finalizers":["example.com/x"]}})";
constexpr std::string_view kLoops =
    "src/cluster/loops/rules_test.cc; with a real controller manager: the controller tests.";

Rule removal() {
  return {
      13,
      "No finalizers and no grace: removed at once. Otherwise the deletion stamp is set once and "
      "can never be removed; on pods a later DELETE may only bring it forward.",
      {{"without finalizers an object goes at once",
        steps({make(kConfigMaps, "a"), remove(kConfigMaps, "a"), get(kConfigMaps, "a"),
               make(kBoats, "a"), remove(kBoats, "a"), get(kBoats, "a")})},
        {"with finalizers it is stamped, once", steps({make(kBoats, "a", kHeld), remove(kBoats, "a"),
                                                      remove(kBoats, "a"), get(kBoats, "a")})},
        {"the stamp stays",
        steps(
            {make(kConfigMaps, "a", kHeld), remove(kConfigMaps, "a"),
             merge_patch(kConfigMaps, "a", R"({"metadata":{"deletionTimestamp":null}})"),
             update(
                 kConfigMaps, "a",
                 R"({"metadata":{"deletionTimestamp":null,"deletionGracePeriodSeconds":null},"data":{"x":"1"}})"),
             merge_patch(kConfigMaps, "a",
                         R"({"metadata":{"deletionTimestamp":"2001-02-03T04:05:06Z"}})")})},
        {"a pod's comes only forward",
        steps({make(kPods, "p", R"({"spec":{"nodeName":"n"}})"), remove(kPods, "p"),
               remove(kPods, "p", R"({"gracePeriodSeconds":60})"),
               remove(kPods, "p", R"({"gracePeriodSeconds":5})"),
               remove(kPods, "p", R"({"gracePeriodSeconds":10})"), get(kPods, "p")})}}
  };
}

Rule while_stamped() {
  return {
      14,
      "While stamped: no new finalizer (422), but spec, labels and status may still be edited.",
      {{"no new finalizer",
        steps({make(kConfigMaps, "a", kHeld), remove(kConfigMaps, "a"),
               merge_patch(kConfigMaps, "a",
                           R"({"metadata":{"finalizers":["example.com/x","example.com/y"]}})"),
               merge_patch(kConfigMaps, "a", R"({"metadata":{"finalizers":["example.com/y"]}})"),
               get(kConfigMaps, "a")})},
        {"edits are taken",
        steps({make(kBoats, "a", kHeld), remove(kBoats, "a"),
               merge_patch(kBoats, "a", R"({"metadata":{"labels":{"a":"b"}},"spec":{"crew":9}})"),
               on(merge_patch(kBoats, "a", R"({"status":{"phase":"x"}})"), "status")})}}
  };
}

Rule last_finalizer() {
  return {
      15,
      "The write that empties the finalizers of a stamped object deletes it.",
      {{"by PATCH, and a second emptier finds nothing",
        steps({make(kConfigMaps, "a", kHeld), remove(kConfigMaps, "a"),
               merge_patch(kConfigMaps, "a", R"({"metadata":{"finalizers":null}})"),
               get(kConfigMaps, "a"),
               merge_patch(kConfigMaps, "a", R"({"metadata":{"finalizers":null}})")})},
        {"by PUT, with its other changes",
        steps({make(kBoats, "a", kHeld), remove(kBoats, "a"),
               update(kBoats, "a", R"({"metadata":{"finalizers":null},"spec":{"crew":9}})"),
               get(kBoats, "a")})},
        {"one of two is not enough",
        steps({make(kConfigMaps, "a",
                    R"({"metadata":{"finalizers":["example.com/x","example.com/y"]}})"),
               remove(kConfigMaps, "a"),
               merge_patch(kConfigMaps, "a", R"({"metadata":{"finalizers":["example.com/y"]}})"),
               get(kConfigMaps, "a"),
               json_patch(kConfigMaps, "a", R"([{"op":"remove","path":"/metadata/finalizers"}])"),
               get(kConfigMaps, "a")})}},
      "Emptiers at the same moment: one server here works off its requests one by one."
  };
}

Rule preconditions() {
  const auto path = item(kConfigMaps, "a");
  return {
      16,
      "DELETE preconditions on uid and resourceVersion are 409 when they fail. DELETE of an absent "
      "object is 404, of a stamped one 200; on kinds without grace it may still swap the garbage "
      "collector's finalizers.",
      {{"another uid is a conflict",
        steps(
            {make(kConfigMaps, "a"),
             remove(kConfigMaps, "a",
                    R"({"preconditions":{"uid":"11111111-2222-4333-8444-555555555555"}})"),
             get(kConfigMaps, "a"),
             remove(kConfigMaps, "a", R"({"preconditions":{"uid":"<<uid )" + path + R"(>>"}})")})},
        {"another resourceVersion is a conflict",
        steps({make(kConfigMaps, "a"), merge_patch(kConfigMaps, "a", R"({"data":{"x":"1"}})"),
               remove(kConfigMaps, "a",
                      R"({"preconditions":{"resourceVersion":"<<old )" + path + R"(>>"}})"),
               get(kConfigMaps, "a"),
               remove(kConfigMaps, "a",
                      R"({"preconditions":{"resourceVersion":"<<rv )" + path + R"(>>"}})")})},
        {"what is not there cannot be deleted",
        steps({remove(kConfigMaps, "a"), remove(kBoats, "a")})},
        {"a stamped object can",
        steps({make(kConfigMaps, "a", kHeld), remove(kConfigMaps, "a"), remove(kConfigMaps, "a")})},
        {"and that may change the propagation",
        steps({make(kConfigMaps, "a", kHeld),
               remove(kConfigMaps, "a", R"({"propagationPolicy":"Foreground"})"),
               remove(kConfigMaps, "a", R"({"propagationPolicy":"Orphan"})"),
               remove(kConfigMaps, "a", R"({"propagationPolicy":"Background"})"),
               get(kConfigMaps, "a")})}}
  };
}

Rule grace() {
  return {
      17,
      "A pod's grace: default from its spec; zero if not scheduled or already finished; the "
      "kubelet's final delete has grace 0.",
      {{"the spec's own",
        steps({make(kPods, "p", R"({"spec":{"nodeName":"n","terminationGracePeriodSeconds":7}})"),
               remove(kPods, "p"), get(kPods, "p")})},
        {"none when it runs nowhere",
        steps({make(kPods, "p"), remove(kPods, "p"), get(kPods, "p")})},
        {"none when it is done",
        steps({make(kPods, "p", R"({"spec":{"nodeName":"n"}})"),
               on(merge_patch(kPods, "p", R"({"status":{"phase":"Succeeded"}})"), "status"),
               remove(kPods, "p"), get(kPods, "p")})},
        {"a second DELETE waits for the first one's grace",
        steps({make(kPods, "p", R"({"spec":{"nodeName":"n"}})"), remove(kPods, "p"),
               remove(kPods, "p"), remove(kPods, "p", R"({"propagationPolicy":"Foreground"})"),
               remove(kPods, "p", R"({"gracePeriodSeconds":30})"),
               remove(kPods, "p", R"({"gracePeriodSeconds":-1})"), get(kPods, "p")})},
        {"and finalizers outlast it",
        steps({make(kPods, "p",
                    R"({"metadata":{"finalizers":["example.com/x"]},"spec":{"nodeName":"n"}})"),
               remove(kPods, "p"), merge_patch(kPods, "p", R"({"metadata":{"finalizers":null}})"),
               get(kPods, "p"), remove(kPods, "p", R"({"gracePeriodSeconds":0})"), get(kPods, "p"),
               make(kPods, "q", R"({"metadata":{"finalizers":["example.com/x"]}})"),
               remove(kPods, "q"), remove(kPods, "q"),
               merge_patch(kPods, "q", R"({"metadata":{"finalizers":null}})"), get(kPods, "q")})},
        {"nothing of it is done on trial",
        steps({make(kPods, "p", R"({"spec":{"nodeName":"n"}})"),
               with(remove(kPods, "p"), "dryRun=All"),
               with(remove(kPods, "p", R"({"gracePeriodSeconds":0})"), "dryRun=All"),
               get(kPods, "p"), make(kConfigMaps, "a", kHeld),
               with(remove(kConfigMaps, "a"), "dryRun=All"), get(kConfigMaps, "a"),
               make(kBoats, "a"), with(remove(kBoats, "a"), "dryRun=All"), get(kBoats, "a")})},
        {"and grace 0 removes it",
        steps({make(kPods, "p", R"({"spec":{"nodeName":"n"}})"), remove(kPods, "p"),
               remove(kPods, "p", R"({"gracePeriodSeconds":0})"), get(kPods, "p")})}},
      "Pods on dead nodes: the verifier's environment."
  };
}

Rule propagation() {
  return {
      18,
      "Foreground adds a finalizer, and the garbage collector deletes dependents first. Orphan: "
      "it strips owner references first. Background is the default, but for Jobs of the raw "
      "API it is Orphan.",
      {{"foreground waits",
        steps({make(kConfigMaps, "a"),
               remove(kConfigMaps, "a", R"({"propagationPolicy":"Foreground"})"),
               get(kConfigMaps, "a")})},
        {"orphan waits", steps({make(kConfigMaps, "a"),
                               remove(kConfigMaps, "a", R"({"propagationPolicy":"Orphan"})"),
                               get(kConfigMaps, "a")})},
        {"background does not, and is the default",
        steps({make(kConfigMaps, "a"),
               remove(kConfigMaps, "a", R"({"propagationPolicy":"Background"})"),
               make(kDeployments, "d"), remove(kDeployments, "d"), get(kDeployments, "d")})},
        {"but not of Jobs", steps({make(kJobs, "j"), remove(kJobs, "j"), get(kJobs, "j")})}},
      kLoops
  };
}

Rule owners() {
  constexpr std::string_view kTwo = R"({"metadata":{"ownerReferences":[
      {"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"1","controller":true},
      {"apiVersion":"v1","kind":"ConfigMap","name":"y","uid":"2","controller":true}]}})";
  constexpr std::string_view kTwice = R"({"metadata":{"ownerReferences":[
      {"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"1"},
      {"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"1"}]}})";
  return {
      20,
      "At most one ownerReference with controller=true (422).",
      {{"two controllers are refused",
        steps({make(kConfigMaps, "a", kTwo), make(kBoats, "a", kTwo), make(kConfigMaps, "b"),
               merge_patch(kConfigMaps, "b", std::string{kTwo})})},
        {"an owner named twice counts once", steps({make(kConfigMaps, "a", kTwice)})}},
      "Rights on the owner's finalizers: that admission plug-in is off by default."
  };
}

Rule protection() {
  return {
      21,
      "Claims and volumes carry protection finalizers: a used claim stays Terminating until its "
      "pod is gone.",
      {{"claims", steps({make(kClaims, "c"), remove(kClaims, "c"), get(kClaims, "c")})},
        {"volumes", steps({make(kVolumes, "v"), remove(kVolumes, "v"), get(kVolumes, "v")})}},
      kLoops
  };
}

Rule namespaces() {
  const std::string inside = "/api/v1/namespaces/<<id>>-n/configmaps";
  const auto conf = [](std::string_view name) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + std::string{name} +
           R"("}})";
  };
  auto patch = send("PATCH", inside + "/a", R"({"data":{"x":"1"}})");
  patch.content_type = "application/merge-patch+json";
  return {
      22,
      "DELETE of a namespace stamps it; then its content is deleted in no fixed order. Creates "
      "in it are 403 with cause NamespaceTerminating, updates still allowed; in a missing "
      "namespace 404.",
      {{"a terminating namespace takes updates and nothing new",
        steps({then_settle(make(kNamespaces, "n")), send("POST", inside, conf("a")),
               then_settle(remove(kNamespaces, "n")), send("POST", inside, conf("b")), patch,
               get(kNamespaces, "n"), remove(kNamespaces, "n")})},
        {"nothing is made in a missing one",
        unwatched(steps({send("POST", "/api/v1/namespaces/<<id>>-none/configmaps", conf("a")),
                         send("GET", "/api/v1/namespaces/<<id>>-none/configmaps")}))},
        {"some cannot be deleted",
        unwatched(steps({send("DELETE", "/api/v1/namespaces/default"),
                         send("DELETE", "/api/v1/namespaces/kube-system")}))}},
      kLoops
  };
}

}  // namespace

std::vector<Rule> delete_rules() {
  return {
      removal(),
      while_stamped(),
      last_finalizer(),
      preconditions(),
      grace(),
      propagation(),
      {19,
          "The garbage collector deletes a dependent only if all owners are absent or have another "
       "uid; with some left it strips the dangling references. A namespaced owner in another "
       "namespace counts as absent.", {},
          kLoops},
      owners(),
      protection(),
      namespaces()
  };
}

}  // namespace fixpoint::conformance
