// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/accepted.h"

#include "tests/conformance/areas/tls_texts.h"

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

Step get_at(std::string path, std::string accept = {}) {
  Step step;
  step.path = std::move(path);
  step.accept = std::move(accept);
  return step;
}

Step post_to(std::string path, std::string body) {
  Step step;
  step.method = "POST";
  step.path = std::move(path);
  step.body = std::move(body);
  return step;
}

// PEM in base64, as a Secret holds it; one byte of its last extension is wrong.
constexpr std::string_view kBrokenCertificate =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJnekNDQVNtZ0F3SUJBZ0lVUy9yWWhmekJUQXFTMXFJSlFWKz"
    "U3R1hKcXIwd0NnWUlLb1pJemowRUF3SXcKRERFS01BZ0dBMVVFQXd3QllUQWVGdzB5TmpFeE1UWXdOalE0TkRoYUZ3"
    "MHlOakV4TWpZd05qUTRORGhhTUF3eApDakFJQmdOVkJBTU1BV0V3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQk"
    "J3TkNBQVRLSk9wM0RHREJDY2l0CkhyNnJZS2RvL3ZKRld2RU5FSW5GbS8ySEVpUTVOVTd1K2hFendTYVVweUlCUFRJ"
    "MXl6VEVKbSszdEUzeHFqZkwKcDY3QndFNlFvMmt3WnpBZEJnTlZIUTRFRmdRVXJqdVZvdStOV1hlczZDQnE4emtrRE"
    "RSamduc3dId1lEVlIwagpCQmd3Rm9BVXJqdVZvdStOV1hlczZDQnE4emtrRERSamduc3dEd1lEVlIwVEFRSC9kZ1V3"
    "QXdFQi96QVVCZ05WCkhSRUVEVEFMZ2dOaExtS0hCQUVDQXdRd0NnWUlLb1pJemowRUF3SURTQUF3UlFJZ0ZsK1NVZT"
    "VLVWhkekw5T2kKc092MEJnS28vZithVHFWa1dUbUhhM0ZxajBnQ0lRRGRUTVNXWmtqdy9xNkRCVy9PNnoxNjNQTURS"
    "OVJ4Mk1lMwo3NWhkWG1obkxnPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";

std::string nested(std::size_t levels) {
  std::string text = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"deep":)";
  for (std::size_t i = 0; i < levels; ++i) text += "[";
  for (std::size_t i = 0; i < levels; ++i) text += "]";
  return text + "}";
}

Sequence with_webhook() {
  auto hook = post_to(
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
      R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",
    "metadata":{"name":"<<id>>"},
    "webhooks":[{"name":"deny.example.com","admissionReviewVersions":["v1"],"sideEffects":"None",
      "timeoutSeconds":1,"failurePolicy":"Fail",
      "namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"<<ns>>"}},
      "clientConfig":{"url":"https://127.0.0.1:9/deny"},
      "rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]}]})");
  hook.settle = seconds(3);
  return of({hook, post_to(kMaps, R"({"metadata":{"name":"a"}})")});
}

Sequence with_policy() {
  auto policy =
      post_to("/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
              R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy",
    "metadata":{"name":"<<id>>"},"spec":{"failurePolicy":"Fail",
      "matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],
        "operations":["CREATE"],"resources":["configmaps"]}]},
      "validations":[{"expression":"false","message":"never"}]}})");
  auto binding = post_to(
      "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
      R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicyBinding",
    "metadata":{"name":"<<id>>"},"spec":{"policyName":"<<id>>","validationActions":["Deny"],
      "matchResources":{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"<<ns>>"}}}}})");
  binding.settle = seconds(4);
  return of({policy, binding, post_to(kMaps, R"({"metadata":{"name":"a"}})")});
}

Sequence with_policy_expression() {
  auto step = post_to("/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
                      R"({"metadata":{"name":"<<id>>"},"spec":{"matchConstraints":{"resourceRules":[
    {"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]},
    "validations":[{"expression":"nope"}]}})");
  step.query = "dryRun=All";
  return of({step});
}

Step put_at(std::string path, std::string body) {
  auto step = post_to(std::move(path), std::move(body));
  step.method = "PUT";
  return step;
}

constexpr auto kRevisions = "/apis/apps/v1/namespaces/<<ns>>/controllerrevisions";

Sequence with_revision() {
  return of({post_to(kRevisions, R"({"metadata":{"name":"a"},"revision":1,"data":{"a":1,"b":2}})"),
             put_at(std::string{kRevisions} + "/a",
                    R"({"metadata":{"name":"a"},"revision":2,"data":{"b":2,"a":1}})")});
}

constexpr auto kDefinitionPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

std::string definition(std::string_view spec_schema) {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"things.<<id>>.example.com"},
    "spec":{"group":"<<id>>.example.com","scope":"Namespaced",
      "names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},
      "versions":[{"name":"v1","served":true,"storage":true,
        "selectableFields":[{"jsonPath":".spec.a"}],
        "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":)" +
         std::string{spec_schema} + "}}}}]}}";
}

Sequence with_message() {
  auto step =
      post_to(kDefinitionPath, definition(R"({"type":"object","properties":{"a":{"type":"string"}},
    "x-kubernetes-validations":[{"rule":"google.protobuf.Int32Value{value: 3} == 3"}]})"));
  step.query = "dryRun=All";
  return of({step});
}

Sequence with_unreadable_schema() {
  auto made = post_to(kDefinitionPath,
                      definition(R"({"type":"object","properties":{"a":{"type":"string"}}})"));
  made.settle = seconds(2);
  auto changed = post_to(std::string{kDefinitionPath} + "/things.<<id>>.example.com",
                         R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/$ref",)"
                         R"("value":"#/x"}])");
  changed.method = "PATCH";
  changed.content_type = "application/json-patch+json";
  changed.query = "dryRun=All";
  return of({made, changed});
}

Sequence with_flow() {
  auto made = post_to("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
                      R"({"metadata":{"name":"<<id>>"},"spec":{"matchingPrecedence":5000,
    "priorityLevelConfiguration":{"name":"nowhere"}}})");
  made.settle = seconds(4);
  return of({made, get_at("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/<<id>>")});
}

Sequence with_device() {
  return of({post_to("/apis/resource.k8s.io/v1/namespaces/<<ns>>/resourceclaims",
                     R"({"metadata":{"name":"a"},"spec":{"devices":{"requests":[{"name":"r",
    "exactly":{"deviceClassName":"c","selectors":[{"cel":{"expression":"nope"}}]}}]}}})")});
}

// Without the limit of its own it would take as long as any request may.
Sequence with_nameless_service() {
  auto step = post_to("/api/v1/namespaces/<<ns>>/services",
                      R"({"metadata":{},"spec":{"ports":[{"port":80}]}})");
  step.query = "timeout=2s";
  return of({step});
}

Sequence with_certificate() {
  return of({post_to("/api/v1/namespaces/<<ns>>/secrets",
                     R"({"metadata":{"name":"a"},"type":"kubernetes.io/tls","data":{"tls.crt":")" +
                         std::string{kBrokenCertificate} + R"(","tls.key":")" +
                         std::string{tls::kKeys[0]} + R"("}})")});
}

}  // namespace

std::vector<Accepted> accepted_differences() {
  return {
      {"depth",            "a body nested deeper than 1,000 levels is refused",
       "a real server draws the line at 10,000; ours keeps recursion within a thread's stack under "
       "the sanitizers, and no schema comes near either",                                                                                 of({post_to(kMaps, nested(2'000))})                       },
      {"protobuf-answers", "answers are JSON or YAML, never Kubernetes protobuf",
       "bodies in protobuf are read; clients that prefer protobuf also take JSON",                                                        of({get_at(kMaps, "application/vnd.kubernetes.protobuf")})},
      {"descriptions",     "descriptions in the OpenAPI documents of built-in kinds are our own words",
       "field names, types, defaults and list keys are facts, sentences are not ours to copy",                                            of({get_at("/openapi/v3/api/v1")})                        },
      {"policies",         "admission policies are stored and do not act",
       "they are CEL over all kinds, and come with their own issue",                                                                      with_policy()                                             },
      {"expressions",      "expressions of admission policies are not compiled",
       "they come with the policies' own issue, which is what would evaluate them",                                                       with_policy_expression()                                  },
      {"revisions",        "a ControllerRevision's data is a value",
       "a real server keeps the bytes that were sent and refuses other bytes that mean the same; "
       "only controllers write such data, each always in one form",                                                                       with_revision()                                           },
      {"messages",         "rules know no google.protobuf messages",
       "no field of a custom resource can be one, so a rule has nothing to hold them against",                                            with_message()                                            },
      {"certificates",     "what is wrong deep inside a certificate is said of it as a whole",
       "the words are not Kubernetes' own but those of the Go release that a server was built with",                                      with_certificate()                                        },
      {"devices",          "selectors of devices are not compiled",
       "they belong to the allocation of devices, of which nothing is built here",                                                        with_device()                                             },
      {"flows",            "the status of a flow schema stays as it was written",
       "a real server writes it on its own, at a moment of its choosing, and nothing acts on it "
       "here",                                                                                                                            with_flow()                                               },
      {"components",       "component statuses are those of this program's own loops",
       "beside the real server of a comparison no scheduler and no controllers run",                                                      of({get_at("/api/v1/componentstatuses")})                 },
      {"panics",           "a schema that cannot be read beside selectable fields is refused",
       "a real server panics over it and breaks the connection off: there is nothing to be alike "
       "to",                                                                                                                              with_unreadable_schema()                                  },
      {"webhooks",         "webhooks are stored and not called",                                        "they come with their own issue",
       with_webhook()                                                                                                                                                                               },
      // The last one: the real server of the comparison hands out no address after it.
      {"nameless",         "a service without a name that wants any address is refused at once",
       "a real server tries every address it has, each of which it refuses to a service without a "
       "name, until the request times out; meanwhile nobody else gets one",                                                               with_nameless_service()                                   },
  };
}

}  // namespace fixpoint::conformance
