// SPDX-License-Identifier: Apache-2.0
//
// Rules 23 to 28: validation, admission, limits.
#include "tests/conformance/rules_steps.h"

#include <chrono>

namespace fixpoint::conformance {
namespace {

constexpr auto kNobody = "rules-nobody";

Step impersonating(Step step, std::string user) {
  step.headers.add("impersonate-user", std::move(user));
  return step;
}

// A definition of the sequence's own, whose "length" is at most so much.
std::string ships(std::string_view maximum) {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{"name":"ships.<<id>>.example.com"},
      "spec":{"group":"<<id>>.example.com","scope":"Namespaced",
        "names":{"plural":"ships","kind":"Ship"},
        "versions":[{"name":"v1","served":true,"storage":true,
          "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
            "properties":{"length":{"type":"integer","maximum":)" +
         std::string{maximum} + R"(},"name":{"type":"string"}}}}}}}]}})";
}
constexpr auto kShips = "/apis/<<id>>.example.com/v1/namespaces/<<ns>>/ships";
constexpr auto kShipDefinition =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ships.<<id>>.example.com";
constexpr auto kShip =
    R"({"apiVersion":"<<id>>.example.com/v1","kind":"Ship","metadata":{"name":"a"},"spec":{"length":9}})";

// A real server needs this long to serve, change or forget a definition.
Step then_serve(Step step) {
  step.settle = std::chrono::seconds(3);
  return step;
}

Step merge(std::string path, std::string body) {
  auto step = send("PATCH", std::move(path), std::move(body));
  step.content_type = "application/merge-patch+json";
  return step;
}

Rule codes() {
  return {
      23,
      "422 for schema and immutable-field errors, 400 malformed, 403 forbidden, 404 absent or no "
      "longer defined, 409 conflict, 410 expired, 429 overload, 5xx transient.",
      {{"what the schema does not allow is 422",
        steps({make(kBoats, "a", R"({"spec":{"crew":0}})"),
               // One mistake at a time: a real server tells of two in any order.
               make(kBoats, "a", R"({"spec":{"crew":101}})"),
               make(kBoats, "a", R"({"spec":{"color":"pink"}})"),
               make(kBoats, "a", R"({"spec":{"crew":"three"}})"), make(kBoats, "a"),
               merge_patch(kBoats, "a", R"({"spec":{"crew":0}})")})},
        {"so are wrong names and labels",
        steps({send("POST", collection(kConfigMaps), R"({"metadata":{"name":"Bad_Name"}})"),
               make(kConfigMaps, "a", R"({"metadata":{"labels":{"bad label":"x"}}})")})},
        {"malformed bodies are 400",
        unwatched(
            steps({send("POST", collection(kConfigMaps), "{"),
                   send("POST", collection(kConfigMaps), R"({"kind":"Secret","apiVersion":"v1"})"),
                   send("POST", collection(kConfigMaps), R"({"data":[]})")}))},
        {"absent things are 404",
        unwatched(steps({get(kConfigMaps, "none"), get(kBoats, "none"),
                         merge_patch(kConfigMaps, "none", "{}"), put(kBoats, "none")}))},
        {"and things that never were",
        over_http(
            unwatched(steps({send("GET", "/apis/none.example.com/v1/namespaces/<<ns>>/things"),
                             send("GET", "/api/v1/namespaces/<<ns>>/things")})))},
        {"and so is a kind whose definition is gone",
        over_http(unwatched(
            steps({then_serve(send("POST", collection(kDefinitions), ships("10"))),
                   send("POST", kShips, kShip), then_serve(send("DELETE", kShipDefinition)),
                   send("GET", std::string{kShips} + "/a"), send("POST", kShips, kShip)})))},
        {"what one has no right to is 403",
        over_http(
            unwatched(steps({make(kConfigMaps, "a"), impersonating(get(kConfigMaps, "a"), kNobody),
                             impersonating(make(kConfigMaps, "b"), kNobody),
                             impersonating(list(kNamespaces), kNobody)})))},
        {"verbs and media types that do not exist are 405 and 415",
        unwatched(steps({send("PUT", collection(kConfigMaps), "{}"),
                         [] {
                           auto step = merge_patch(kConfigMaps, "a", "{}");
                           step.content_type = "application/unknown";
                           return step;
                         }()}))}},
      "410, 429 and 5xx: rule 33 and the verifier's environment."
  };
}

Rule unknown_fields() {
  return {
      24,
      "Unknown fields are pruned silently in custom resources and reported only with strict "
      "validation (as warnings by default).",
      {{"pruned",
        steps({with(make(kBoats, "a", R"({"spec":{"sails":2},"extra":{"x":1}})"),
                    "fieldValidation=Ignore"),
               with(on(merge_patch(kBoats, "a", R"({"status":{"phase":"x","wind":3}})"), "status"),
                    "fieldValidation=Ignore"),
               with(on(merge_patch(kBoats, "a", R"({"status":{"wind":4}})"), "status"),
                    "fieldValidation=Ignore")})},
        {"with a warning", steps({make(kBoats, "a", R"({"spec":{"sails":2}})"),
                                 merge_patch(kBoats, "a", R"({"spec":{"sails":2,"crew":5}})"),
                                 make(kConfigMaps, "a", R"({"extra":1})")})},
        {"or refused",
        steps({with(make(kBoats, "a", R"({"spec":{"sails":2}})"), "fieldValidation=Strict"),
               with(make(kConfigMaps, "a", R"({"extra":1})"), "fieldValidation=Strict"),
               make(kBoats, "b"),
               with(merge_patch(kBoats, "b", R"({"spec":{"sails":2}})"),
                    "fieldValidation=Strict")})}}
  };
}

Rule defaults() {
  return {
      25,
      "Defaulting changes what was written: compare against the stored object or use apply, "
      "never against your own template.",
      {{"a schema's defaults", steps({make(kBoats, "a"), make(kBoats, "b", R"({"spec":null})"),
                                      update(kBoats, "a", R"({"spec":{"color":null}})")})},
        {"a built-in kind's",
        steps({make(kDeployments, "d"), make(kServices, "s"), make(kPods, "p")})}},
      "Mutating webhooks: the verifier's environment."
  };
}

Rule immutables() {
  return {
      26,
      "Immutable: selectors, a StatefulSet's templates and names, a Job's template, most of a "
      "Pod's spec, a claim's spec but for its size, a Service's clusterIP, immutable ConfigMaps "
      "and Secrets. Old invalid values may be kept.",
      {{"a Deployment's selector",
        steps(
            {make(kDeployments, "d"),
             merge_patch(
                 kDeployments, "d",
                 R"({"spec":{"selector":{"matchLabels":{"a":"c"}},"template":{"metadata":{"labels":{"a":"c"}}}}})"),
             merge_patch(kDeployments, "d", R"({"spec":{"replicas":3}})")})},
        {"a StatefulSet's service, policy and claims",
        steps(
            {make(kStatefulSets, "s"),
             merge_patch(kStatefulSets, "s", R"({"spec":{"serviceName":"t"}})"),
             merge_patch(kStatefulSets, "s", R"({"spec":{"podManagementPolicy":"Parallel"}})"),
             merge_patch(
                 kStatefulSets, "s",
                 R"({"spec":{"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}})"),
             merge_patch(kStatefulSets, "s", R"({"spec":{"replicas":3}})")})},
        {"a Job's template",
        steps(
            {make(kJobs, "j"),
             merge_patch(
                 kJobs, "j",
                 R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"other"}]}}}})"),
             merge_patch(kJobs, "j", R"({"spec":{"parallelism":2}})")})},
        {"most of a Pod's spec, not its image",
        steps({make(kPods, "p"), merge_patch(kPods, "p", R"({"spec":{"hostname":"h"}})"),
               strategic_patch(kPods, "p",
                               R"({"spec":{"containers":[{"name":"c","image":"other"}]}})")})},
        {"a claim's spec",
        steps({make(kClaims, "c"),
               merge_patch(kClaims, "c", R"({"spec":{"accessModes":["ReadOnlyMany"]}})"),
               merge_patch(kClaims, "c",
                           R"({"spec":{"resources":{"requests":{"storage":"2Gi"}}}})")})},
        {"a Service's clusterIP",
        steps({make(kServices, "s"),
               merge_patch(kServices, "s",
                           R"({"spec":{"clusterIP":"10.0.0.201","clusterIPs":["10.0.0.201"]}})")})},
        {"what says that it is",
        steps({make(kConfigMaps, "a", R"({"immutable":true,"data":{"x":"1"}})"),
               merge_patch(kConfigMaps, "a", R"({"data":{"x":"2"}})"),
               merge_patch(kConfigMaps, "a", R"({"immutable":false})"),
               make(kSecrets, "a", R"({"immutable":true,"data":{"x":"MQ=="}})"),
               merge_patch(kSecrets, "a", R"({"data":{"x":"Mg=="}})"),
               merge_patch(kSecrets, "a", R"({"metadata":{"labels":{"a":"b"}}})")})},
        {"old invalid values may be kept, not made",
        unwatched(steps(
            {then_serve(send("POST", collection(kDefinitions), ships("10"))),
             send("POST", kShips, kShip),
             then_serve(merge(kShipDefinition,
                              R"({"spec":{"versions":[{"name":"v1","served":true,"storage":true,
          "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
            "properties":{"length":{"type":"integer","maximum":5},"name":{"type":"string"}}}}}}}]}})")),
             merge(std::string{kShips} + "/a", R"({"spec":{"name":"x"}})"),
             merge(std::string{kShips} + "/a", R"({"spec":{"length":8}})")}))}}
  };
}

Rule quotas() {
  constexpr std::string_view kOne = R"({"spec":{"hard":{"secrets":"1"}}})";
  return {
      28,
      "Quota is checked at admission with usage that lags: a delete frees quota late.",
      {{"a quota is charged, then refuses, and a deletion frees nothing by itself",
        steps({make(kQuotas, "q", kOne),
               then_settle(
                   on(merge_patch(kQuotas, "q",
                                  R"({"status":{"hard":{"secrets":"1"},"used":{"secrets":"0"}}})"),
                      "status")),
               then_settle(make(kSecrets, "a")), get(kQuotas, "q"), make(kSecrets, "b"),
               then_settle(remove(kSecrets, "a")), make(kSecrets, "c"), make(kConfigMaps, "c")})}},
      "The recount: src/cluster/loops/quota_controller_test.cc."};
}

}  // namespace

std::vector<Rule> admission_rules() {
  return {
      codes(),
      unknown_fields(),
      defaults(),
      immutables(),
      {27,
          "A failing webhook: Fail makes all writes fail, Ignore lets them through unvalidated.", {},
          "Webhooks are other programs and not called by this server; the verifier's environment."},
      quotas()
  };
}

}  // namespace fixpoint::conformance
