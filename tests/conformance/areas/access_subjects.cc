// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/areas/access_subjects.h"

namespace fixpoint::conformance {
namespace {

// PKCS #10 requests in PEM, in base64: of a person and of a node.
constexpr std::string_view kPersonRequest =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYU1JR0FBZ0VBTUI0eERqQU1CZ05W"
    "QkFvTUJYTjBZV1ptTVF3d0NnWURWUVFEREFOaFpHRXdXVEFUQmdjcQpoa2pPUFFJQkJnZ3Foa2pPUFFN"
    "QkJ3TkNBQVF2K3NWSTlGYW9nZzh4VThxdFVnNFhHbG02OTRmVEI0VWw5WGhTCnh0MGdGL0g3SkVoeUNN"
    "cmZtUWZUUmFrdzdHVEVhSEprQ0NVZ25KMUZ1a0J1eUdyTW9BQXdDZ1lJS29aSXpqMEUKQXdJRFNRQXdS"
    "Z0loQUlUMTJ4eGdKOXZBY2U5TFRGdWhHSVN5MTNvelNua1E0TXdMcXhndzY0WFpBaUVBZ2dFSgp0TTY1"
    "L2ZTL3NvRTdzZVN1UmtYMFZtYzhGKzQ5S3B0NzkrZXFraWM9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJF"
    "UVVFU1QtLS0tLQo=";
// No bytes at all, a signature by nobody, more than there should be.
constexpr std::string_view kEmptyRequest =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVF"
    "U1QtLS0tLQo=";
constexpr std::string_view kBrokenRequest =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3"
    "QllUQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCQnNCLzVrMnFkNVJqaTgxeVJFZ1dHc21y"
    "aUxZNm9yTVVJVVRMWVhJa2drcHJqSlZpNHZkbFF1Vk16TmxIbkVDCnhDbDEvK3Axb09ZWmRnRjJVcSt2N2dl"
    "Z0FEQUtCZ2dxaGtqT1BRUURBZ05JQURCRkFpRUF1OW12eUtaeWFleHoKeTdUNnNvQkM0S1pDNkphY0JDUVAr"
    "RGdrMkswNEhxZ0NJRS9haFVPUUhvT2tVcCtEUFVpUmltWDBOTi9iTTh2ZQpOY3hHSjZPdGcxZWYKLS0tLS1F"
    "TkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";
constexpr std::string_view kLongRequest =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3"
    "QllUQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCQnNCLzVrMnFkNVJqaTgxeVJFZ1dHc21y"
    "aUxZNm9yTVVJVVRMWVhJa2drcHJqSlZpNHZkbFF1Vk16TmxIbkVDCnhDbDEvK3Axb09ZWmRnRjJVcSt2N2dl"
    "Z0FEQUtCZ2dxaGtqT1BRUURBZ05JQURCRkFpRUF1OW12eUtaeWFleHoKeTdUNnNvQkM0S1pDNkphY0JDUVAr"
    "RGdrMkswNEhxZ0NJRS9haFVPUUhvT2tVcCtEUFVpUmltWDBOTi9iTTh2ZQpOY3hHSjZPdGcxZWVlQT09Ci0t"
    "LS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
constexpr std::string_view kNodeRequest =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIcU1JR1NBZ0VBTURBeEZUQVRCZ05W"
    "QkFvTURITjVjM1JsYlRwdWIyUmxjekVYTUJVR0ExVUVBd3dPYzNsegpkR1Z0T201dlpHVTZiakV3V1RB"
    "VEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVF2K3NWSTlGYW9nZzh4ClU4cXRVZzRYR2xtNjk0"
    "ZlRCNFVsOVhoU3h0MGdGL0g3SkVoeUNNcmZtUWZUUmFrdzdHVEVhSEprQ0NVZ25KMUYKdWtCdXlHck1v"
    "QUF3Q2dZSUtvWkl6ajBFQXdJRFJ3QXdSQUlnR28xSlNhZVNGR1lBb3lKamQ4cDc2dFMyNFdiagpLZTEx"
    "REI3MTgvOHZBTUVDSURGZWZ4b1ovekdhZ1QraXhOVUlzYTN5TnJ3NmJpR3VqUG14Q0ZJM1RrUW0KLS0t"
    "LS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";

const Edits& rule_edits() {
  static const Edits kEdits{
      R"(/rules [{"apiGroups":[""],"resources":["pods","pods/log"],"verbs":["get","list"]},{"apiGroups":["apps"],"resources":["deployments"],"resourceNames":["a"],"verbs":["*"]}])",
      R"(/rules [{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}])", R"(- /rules)",
      R"(/rules [{"apiGroups":[""],"resources":["configmaps"],"verbs":["get","get"]}])"};
  return kEdits;
}

const Edits& bad_rule_edits() {
  static const Edits kEdits{R"(/rules [{"apiGroups":[""],"resources":["pods"]}])",
                            R"(/rules [{"apiGroups":[""],"resources":["pods"],"verbs":[]}])",
                            R"(/rules [{"resources":["pods"],"verbs":["get"]}])",
                            R"(/rules [{"apiGroups":[""],"verbs":["get"]}])",
                            R"(/rules {"verbs":["get"]})",
                            R"(/metadata/name "a/b")",
                            R"(/metadata/name "")",
                            R"(/rules [{"apiGroups":[""],"resources":["pods"],"verbs":"get"}])"};
  return kEdits;
}

Subject role() {
  return {
      .sort = {"rbac.authorization.k8s.io/v1",
               "Role", "roles",
               true, R"({"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})",
               {}},
      .good = rule_edits(),
      .bad = joined({bad_rule_edits(), {R"(/rules [{"nonResourceURLs":["/x"],"verbs":["get"]}])"}}
        ),
      .changes = joined({metadata_edits(), rule_edits(), bad_rule_edits()}
        ),
  };
}

Subject cluster_role() {
  return {
      .sort = {"rbac.authorization.k8s.io/v1",
               "ClusterRole", "clusterroles",
               false, R"({"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})",
               {}},
      .good = joined(
          {rule_edits(),
               {R"(/rules [{"nonResourceURLs":["/healthz","/logs/*"],"verbs":["get"]}])",
            R"(/aggregationRule {"clusterRoleSelectors":[{"matchLabels":{"none":"<<id>>"}}]})"}}
        ),
      .bad = joined(
          {bad_rule_edits(),
               {R"(/rules [{"nonResourceURLs":["/x"],"resources":["pods"],"apiGroups":[""],"verbs":["get"]}])",
            R"(/aggregationRule {})",
            R"(/aggregationRule {"clusterRoleSelectors":[{"matchLabels":{"a b":"x"}}]})",
            R"(/aggregationRule {"clusterRoleSelectors":[{"matchExpressions":[{"key":"a","operator":"Bogus"}]},{"matchLabels":{"a":"é"}}]})",
            R"(/aggregationRule {"clusterRoleSelectors":[{"matchExpressions":[{"key":"a","operator":"In"}]}]})"}}
        ),
      .changes = joined(
          {metadata_edits(),
               rule_edits(),
               bad_rule_edits(),
               {R"(/aggregationRule {"clusterRoleSelectors":[{"matchLabels":{"none":"<<id>>"}},{}]})",
            R"(/aggregationRule {"clusterRoleSelectors":[]})", R"(/aggregationRule null)",
            R"(/aggregationRule {"clusterRoleSelectors":[{"matchExpressions":[{"key":"a","operator":"Exists","values":["x"]}]}]})"}}
        ),
  };
}

const Edits& binding_edits() {
  static const Edits kEdits{
      R"(/subjects [{"kind":"User","name":"nobody-of-<<id>>"},{"kind":"Group","apiGroup":"rbac.authorization.k8s.io","name":"g"}])",
      R"(/subjects [{"kind":"ServiceAccount","name":"s","namespace":"<<ns>>"}])", R"(- /subjects)",
      R"(- /roleRef/apiGroup)"};
  return kEdits;
}

const Edits& bad_binding_edits() {
  static const Edits kEdits{
      R"(- /roleRef)",
      R"(/roleRef/kind "Thing")",
      R"(/roleRef/name "")",
      R"(/roleRef/apiGroup "x")",
      R"(/subjects [{"name":"a"}])",
      R"(/subjects [{"kind":"Robot","name":"a"}])",
      R"(/subjects [{"kind":"User"}])",
      R"(/subjects [{"kind":"ServiceAccount","name":"s"}])",
      R"(/subjects [{"kind":"ServiceAccount","name":"Bad Name","namespace":"n"}])",
      R"(/subjects [{"kind":"User","name":"a","apiGroup":"x"}])",
      R"(/subjects [{"kind":"ServiceAccount","name":"s","namespace":"n","apiGroup":"x"}])",
      R"(/roleRef/name "a%b")"};
  return kEdits;
}

const Edits& binding_changes() {
  static const Edits kEdits{R"(/roleRef/name "other")", R"(/roleRef/kind "ClusterRole")",
                            R"(/subjects [{"kind":"Robot","name":"a"}])",
                            R"(/roleRef/apiGroup "x")"};
  return kEdits;
}

Subject role_binding() {
  return {
      .sort =
          {"rbac.authorization.k8s.io/v1",
                 "RoleBinding", "rolebindings",
                 true, R"({"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},"subjects":[{"kind":"Group","name":"g"}]})",
                 {}},
      .good = joined({binding_edits(), {R"(/roleRef/kind "ClusterRole")"}}
           ),
      .bad = bad_binding_edits(),
      .changes = joined({metadata_edits(), binding_edits(), binding_changes()}
           ),
  };
}

Subject cluster_role_binding() {
  return {
      .sort =
          {"rbac.authorization.k8s.io/v1",
                 "ClusterRoleBinding", "clusterrolebindings",
                 false, R"({"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"none-<<id>>"},"subjects":[{"kind":"Group","name":"g"}]})",
                 {}},
      .good = binding_edits(),
      .bad = joined({bad_binding_edits(), {R"(/roleRef/kind "Role")"}}
           ),
      .changes = joined({metadata_edits(), binding_edits(), binding_changes()}
           ),
  };
}

std::string request_edit(std::string_view request) {
  return R"(/spec/request ")" + std::string{request} + R"(")";
}

Subject signing_request() {
  static const std::string kBody =
      R"({"spec":{"request":")" + std::string{kPersonRequest} +
      R"(","signerName":"example.com/signer","usages":["digital signature","client auth"]}})";
  return {
      .sort = {"certificates.k8s.io/v1",
               "CertificateSigningRequest", "certificatesigningrequests",
               false, kBody,
               {},
               true},
      .good = {R"(/spec/expirationSeconds 3600)",
               R"(/spec/signerName "kubernetes.io/kube-apiserver-client")", request_edit(kNodeRequest),
               R"(/spec/username "somebody"
/spec/groups ["x"])", R"(/spec/usages ["any"])"},
      .bad = {R"(- /spec/signerName)", R"(/spec/signerName "bad")", R"(/spec/request "AAAA")",
               R"(/spec/usages [])", R"(/spec/usages ["fly"])", R"(/spec/expirationSeconds 5)",
               R"(/spec/usages ["any","any"])", R"(/spec/request "%%")", request_edit(kEmptyRequest),
               request_edit(kBrokenRequest), request_edit(kLongRequest)},
      .changes = joined({metadata_edits(),
               {R"(/spec/signerName "example.com/other")", R"(/spec/usages ["any"])",
                          R"(/status {"conditions":[{"type":"Approved","status":"True"}]})"}}
        ),
  };
}

}  // namespace

Sequence access_subject_sequence(Gen& gen) {
  static const std::vector<Subject> kSubjects{role(),           role(),
                                              cluster_role(),   role_binding(),
                                              role_binding(),   cluster_role_binding(),
                                              signing_request()};
  const auto& subject = gen.pick(kSubjects);
  auto made = subject_sequence(gen, subject);
  if (subject.sort.resource == "certificatesigningrequests") {
    // Who asks is part of the object, and two servers' administrators have different names.
    for (auto& step : made.steps) {
      step.headers.add("Impersonate-User", "signer");
      step.headers.add("Impersonate-Group", "system:masters");
    }
  }
  return made;
}

}  // namespace fixpoint::conformance
