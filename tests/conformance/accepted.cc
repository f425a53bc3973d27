// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/accepted.h"

#include <chrono>

namespace fixpoint::conformance {
namespace {

using std::chrono::seconds;

Sequence of(std::vector<Step> steps) {
  Sequence sequence;
  sequence.area = "accepted";
  sequence.steps = std::move(steps);
  sequence.http_only = true;
  sequence.watches = {"-"};
  return sequence;
}

Step get(std::string path, std::string accept = {}) {
  Step step;
  step.path = std::move(path);
  step.accept = std::move(accept);
  return step;
}

Step post(std::string path, std::string body) {
  Step step;
  step.method = "POST";
  step.path = std::move(path);
  step.body = std::move(body);
  return step;
}

constexpr auto kMaps = "/api/v1/namespaces/<<ns>>/configmaps";

std::string nested(std::size_t levels) {
  std::string text = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"deep":)";
  for (std::size_t i = 0; i < levels; ++i) text += "[";
  for (std::size_t i = 0; i < levels; ++i) text += "]";
  return text + "}";
}

Sequence with_webhook() {
  auto hook = post(
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
      R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",
    "metadata":{"name":"<<id>>"},
    "webhooks":[{"name":"deny.example.com","admissionReviewVersions":["v1"],"sideEffects":"None",
      "timeoutSeconds":1,"failurePolicy":"Fail",
      "namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"<<ns>>"}},
      "clientConfig":{"url":"https://127.0.0.1:9/deny"},
      "rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]}]})");
  hook.settle = seconds(3);
  return of({hook, post(kMaps, R"({"metadata":{"name":"a"}})")});
}

Sequence with_policy() {
  auto policy =
      post("/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
           R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy",
    "metadata":{"name":"<<id>>"},"spec":{"failurePolicy":"Fail",
      "matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],
        "operations":["CREATE"],"resources":["configmaps"]}]},
      "validations":[{"expression":"false","message":"never"}]}})");
  auto binding = post(
      "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
      R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicyBinding",
    "metadata":{"name":"<<id>>"},"spec":{"policyName":"<<id>>","validationActions":["Deny"],
      "matchResources":{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"<<ns>>"}}}}})");
  binding.settle = seconds(4);
  return of({policy, binding, post(kMaps, R"({"metadata":{"name":"a"}})")});
}

}  // namespace

std::vector<Accepted> accepted_differences() {
  return {
      {"depth",            "a body nested deeper than 1,000 levels is refused",
       "a real server draws the line at 10,000; ours keeps recursion within a thread's stack under "
       "the sanitizers, and no schema comes near either",                                                                                 of({post(kMaps, nested(2'000))})                       },
      {"protobuf-answers", "answers are JSON or YAML, never Kubernetes protobuf",
       "bodies in protobuf are read; clients that prefer protobuf also take JSON",                                                        of({get(kMaps, "application/vnd.kubernetes.protobuf")})},
      {"descriptions",     "descriptions in the OpenAPI documents of built-in kinds are our own words",
       "field names, types, defaults and list keys are facts, sentences are not ours to copy",                                            of({get("/openapi/v3/api/v1")})                        },
      {"policies",         "admission policies are stored and do not act",
       "they are CEL over all kinds, and come with their own issue",                                                                      with_policy()                                          },
      {"webhooks",         "webhooks are stored and not called",                                        "they come with their own issue",
       with_webhook()                                                                                                                                                                            },
  };
}

}  // namespace fixpoint::conformance
