// SPDX-License-Identifier: Apache-2.0
#include "apiserver/api_fixture.h"

namespace fixpoint::apiserver {
namespace {

constexpr std::string_view kReviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
constexpr std::string_view kLocal =
    "/apis/authorization.k8s.io/v1/namespaces/ns/localsubjectaccessreviews";
constexpr std::string_view kRules = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";

using AccessReview = ApiFixture;

TEST_F(AccessReview, ALocalOneStaysInItsNamespace) {
  const auto other = create(kLocal, R"({"spec":{"user":"ada","resourceAttributes":{
    "verb":"get","resource":"pods","namespace":"x"}}})");
  const auto url = create(kLocal, R"({"spec":{"user":"ada","nonResourceAttributes":{
    "path":"/x","verb":"get"}}})");
  const auto moved = create(kLocal, R"({"metadata":{"namespace":"x"},"spec":{}})");

  EXPECT_EQ(other.code, 422);
  EXPECT_EQ(message(other),
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes.namespace: Invalid "
            "value: \"x\": must match metadata.namespace");
  EXPECT_EQ(message(url),
            ".authorization.k8s.io \"\" is invalid: spec.nonResourceAttributes: Invalid value: "
            "{\"Path\":\"/x\",\"Verb\":\"get\"}: disallowed on this kind of request");
  EXPECT_EQ(moved.code, 400);
}

TEST_F(AccessReview, AsksExactlyOneThing) {
  const auto both = create(kReviews, R"({"spec":{"user":"ada","resourceAttributes":{},
    "nonResourceAttributes":{"path":"/x","verb":"get"}}})");
  const auto neither = create(kReviews, R"({"spec":{"user":"ada"}})");

  EXPECT_EQ(message(both),
            ".authorization.k8s.io \"\" is invalid: spec.nonResourceAttributes: Invalid value: "
            "{\"Path\":\"/x\",\"Verb\":\"get\"}: cannot be specified in combination with "
            "resourceAttributes");
  EXPECT_EQ(message(neither),
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: "
            "exactly one of nonResourceAttributes or resourceAttributes must be specified");
}

TEST_F(AccessReview, ChecksItsSelectorsAndTellsWhichItIgnored) {
  const auto empty = create(kReviews, R"({"spec":{"user":"ada","resourceAttributes":{
    "fieldSelector":{}}}})");
  const auto newer = create(kReviews, R"({"spec":{"user":"ada","resourceAttributes":{
    "fieldSelector":{"requirements":[{"key":"a","operator":"Newer","values":["b"]},
                                     {"key":"a","operator":"In","values":["b"]}]},
    "labelSelector":{"rawSelector":"((bad"}}}})");

  EXPECT_EQ(message(empty),
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes.fieldSelector."
            "requirements: Required value: when spec.resourceAttributes.fieldSelector is "
            "specified, requirements or rawSelector is required");
  EXPECT_EQ(newer.code, 201);
  EXPECT_EQ(text(newer, "status", "evaluationError"),
            "spec.resourceAttributes.fieldSelector partially ignored due to parse error; "
            "spec.resourceAttributes.labelSelector ignored due to parse error");
}

TEST_F(AccessReview, HasNoMetadata) {
  const auto named = create(kReviews, R"({"metadata":{"name":"x"},"spec":{"user":"ada",
    "resourceAttributes":{}}})");

  EXPECT_EQ(named.code, 422);
  EXPECT_TRUE(
      message(named).starts_with(".authorization.k8s.io \"\" is invalid: metadata: Invalid "
                                 "value: {\"name\":\"x\",\"managedFields\":[{\"manager\":"))
      << message(named);
  EXPECT_TRUE(message(named).ends_with("}]}: must be empty"));
}

TEST_F(AccessReview, NamesTheRoleThatIsNotThere) {
  create(kRoleBindings, R"({"metadata":{"name":"b"},
    "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"nosuch"},
    "subjects":[{"kind":"User","name":"eve","apiGroup":"rbac.authorization.k8s.io"}]})");

  const auto asked = create(kReviews, R"({"spec":{"user":"eve","resourceAttributes":{
    "verb":"get","resource":"pods","namespace":"ns"}}})");

  EXPECT_EQ(text(asked, "status", "reason"),
            "RBAC: role.rbac.authorization.k8s.io \"nosuch\" not found");
}

TEST_F(AccessReview, RulesAreThoseOfRolesOnly) {
  const auto rules = create(kRules, R"({"metadata":{"name":"x"},"spec":{"namespace":"ns"}})");

  EXPECT_EQ(rules.code, 201);
  EXPECT_EQ(text(rules, "status", "resourceRules"), "[]");  // the fixture has no cluster-admin
  EXPECT_TRUE(rules.body.get("metadata", "name").is_null());
}

TEST_F(AccessReview, RightsThatAreNotHeldAreToldByResourceAndByUrl) {
  auto call = request(Verb::Create, "/apis/rbac.authorization.k8s.io/v1/clusterroles");
  call.user = {.name = "bob", .uid = {}, .groups = {"devs"}, .extra = {}};
  call.body = R"({"metadata":{"name":"r"},"rules":[
      {"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]},
      {"nonResourceURLs":["/metrics"],"verbs":["get","post"]}]})";

  EXPECT_EQ(message(run(call)),
            "clusterroles.rbac.authorization.k8s.io \"r\" is forbidden: user \"bob\" "
            "(groups=[\"devs\"]) is attempting to grant RBAC permissions not currently held:\n"
            "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\"]}\n"
            "{NonResourceURLs:[\"/metrics\"], Verbs:[\"get\"]}\n"
            "{NonResourceURLs:[\"/metrics\"], Verbs:[\"post\"]}");
}

TEST_F(AccessReview, ATokenReviewNeedsAToken) {
  const auto empty = create("/apis/authentication.k8s.io/v1/tokenreviews", R"({"spec":{}})");

  EXPECT_EQ(empty.code, 400);
  EXPECT_EQ(message(empty), "token is required for TokenReview in authentication");
}

TEST_F(AccessReview, ATokenRequestIsBoundToWhatIsThere) {
  const std::string token = "/api/v1/namespaces/ns/serviceaccounts/sa/token";
  create("/api/v1/namespaces/ns/serviceaccounts", R"({"metadata":{"name":"sa"}})");
  create("/api/v1/namespaces/ns/secrets", R"({"metadata":{"name":"s"}})");

  EXPECT_EQ(message(create(token, R"({"spec":{"boundObjectRef":{"kind":"Secret","name":"x"}}})")),
            "secrets \"x\" not found");
  EXPECT_EQ(message(create(token, R"({"spec":{"boundObjectRef":{"kind":"ConfigMap",
              "apiVersion":"v1","name":"x"}}})")),
            "cannot bind token to object of type /v1, Kind=ConfigMap");
  EXPECT_EQ(message(create(token, R"({"spec":{"boundObjectRef":{"kind":"Secret","name":"s",
              "uid":"u"}}})")),
            "Operation cannot be fulfilled on Secret \"s\": the UID in the bound object reference "
            "(u) does not match the UID in record. The object might have been deleted and then "
            "recreated");
  EXPECT_EQ(message(create(token, R"({"metadata":{"name":"other"}})")),
            "TokenRequest.authentication.k8s.io \"sa\" is invalid: metadata.name: Invalid value: "
            "\"other\": must match the service account name if specified");
}

TEST_F(AccessReview, EveryAnswerAboutADeprecatedKindSaysSo) {
  const std::vector<std::string> warning{
      "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"};
  const std::string path = "/api/v1/namespaces/ns/endpoints";

  EXPECT_EQ(create(path, R"({"metadata":{"name":"e"}})").warnings, warning);
  EXPECT_EQ(list(path).warnings, warning);
  EXPECT_EQ(get(path + "/e").warnings, warning);
  EXPECT_EQ(get(path + "/nope").warnings, warning);
  EXPECT_EQ(remove(path + "/e").warnings, warning);
}

TEST_F(AccessReview, SomeNamesCanNeverBeInAPath) {
  EXPECT_EQ(message(get("/api/v1/namespaces/ns/configmaps/..")),
            "Name parameter invalid: \"..\": may not be '..'");
  EXPECT_EQ(message(get("/api/v1/namespaces/ns/configmaps/a%b")),
            "Name parameter invalid: \"a%b\": may not contain '%'");
}

}  // namespace
}  // namespace fixpoint::apiserver
