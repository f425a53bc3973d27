// SPDX-License-Identifier: Apache-2.0
//
// What people try who may do little and want more, and what broken clients send. Each of these once
// got through.
#include "apiserver/access/rbac.h"
#include "apiserver/api_fixture.h"
#include "kube/scalars/base64.h"

namespace fixpoint::apiserver {
namespace {

constexpr auto kRoles = "/apis/rbac.authorization.k8s.io/v1/namespaces/ns/roles";

class Hostile : public ApiFixture {
 protected:
  // Eve may do these things in "ns", and nothing else.
  void grant(std::string_view rules) {
    ASSERT_EQ(
        create(kRoles, R"({"metadata":{"name":"eves"},"rules":)" + std::string{rules} + "}").code,
        201);
    ASSERT_EQ(create(kRoleBindings, R"({"metadata":{"name":"eves"},
        "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"eves"},
        "subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"eve"}]})")
                  .code,
              201);
  }
  Response as_eve(Request request, std::string_view body = {}, std::string_view type = {}) {
    request.user = {.name = "eve", .uid = {}, .groups = {"system:authenticated"}, .extra = {}};
    request.body = body;
    request.content_type = type;
    return run(request);
  }
};

TEST_F(Hostile, NobodyGrantsWhatTheyDoNotHold) {
  grant(
      R"([{"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles","rolebindings"],"verbs":["create"]},
            {"apiGroups":[""],"resources":["pods"],"verbs":["get"]}])");

  const auto role = as_eve(request(Verb::Create, kRoles), R"({"metadata":{"name":"all"},
      "rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]})");
  const auto binding = as_eve(request(Verb::Create, kRoleBindings), R"({"metadata":{"name":"all"},
      "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"none"},
      "subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"eve"}]})");
  const auto own = as_eve(request(Verb::Create, kRoles), R"({"metadata":{"name":"mine"},
      "rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})");

  EXPECT_EQ(role.code, 403);
  EXPECT_EQ(message(role),
            "roles.rbac.authorization.k8s.io \"all\" is forbidden: user \"eve\" "
            "(groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not "
            "currently held:\n{APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}");
  EXPECT_EQ(binding.code, 404);
  EXPECT_EQ(own.code, 201) << message(own);
}

TEST_F(Hostile, OnlyWhoHasEverythingMakesOrEndsAnAggregatedRole) {
  constexpr std::string_view kClusterRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const auto grant_all = [&](std::string_view name, std::string_view rules) {
    const std::string called = R"({"metadata":{"name":")" + std::string{name} + R"("},)";
    create(kClusterRoles, called + R"("rules":)" + std::string{rules} + "}");
    create(
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        called +
            R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":")" +
            std::string{name} +
            R"("},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"eve"}]})");
  };
  const auto make = [&](std::string_view name) {
    return as_eve(
        request(Verb::Create, kClusterRoles),
        R"({"metadata":{"name":")" + std::string{name} +
            R"("},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}})");
  };
  const auto end = [&] {
    return as_eve(request(Verb::Patch, std::string{kClusterRoles} + "/sum"),
                  R"({"aggregationRule":null})", "application/merge-patch+json");
  };
  create(kClusterRoles, R"({"metadata":{"name":"sum"},
      "aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}})");
  constexpr std::string_view kRefused =
      "is forbidden: must have cluster-admin privileges to use the aggregationRule";

  grant_all("resources",
            R"([{"apiGroups":["*"],"resources":["*"],"verbs":["get","create","patch"]}])");
  EXPECT_TRUE(message(make("a")).ends_with(kRefused)) << message(make("a"));
  EXPECT_TRUE(message(end()).ends_with(kRefused)) << message(end());

  grant_all("urls", R"([{"nonResourceURLs":["*"],"verbs":["*"]}])");
  EXPECT_EQ(make("b").code, 403);
  grant_all("rest", R"([{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}])");
  EXPECT_EQ(make("c").code, 201);
  EXPECT_EQ(end().code, 200);
}

TEST_F(Hostile, NobodyApprovesOrSignsForASignerThatIsNotTheirs) {
  constexpr auto kRequest = "/apis/certificates.k8s.io/v1/certificatesigningrequests/c";
  const auto pem = kube::base64("-----BEGIN CERTIFICATE REQUEST-----\n" + kube::base64("0") +
                                "\n-----END CERTIFICATE REQUEST-----\n");
  ASSERT_EQ(create("/apis/certificates.k8s.io/v1/certificatesigningrequests",
                   R"({"metadata":{"name":"c"},"spec":{"usages":["any"],
                       "signerName":"example.com/own","request":")" +
                       pem + R"("}})")
                .code,
            201);
  const auto write = [&](const std::string& part, std::string_view type) {
    return as_eve(
        request(Verb::Patch, std::string{kRequest} + "/" + part),
        R"({"status":{"conditions":[{"status":"True","type":")" + std::string{type} + R"("}]}})",
        "application/merge-patch+json");
  };
  const auto label = [&] {
    return as_eve(request(Verb::Patch, std::string{kRequest} + "/status"),
                  R"({"metadata":{"labels":{"a":"b"}}})", "application/merge-patch+json");
  };
  const std::string about =
      "certificatesigningrequests.certificates.k8s.io \"c\" is forbidden: user not permitted to ";

  EXPECT_EQ(message(write("approval", "Approved")),
            about + "approve requests with signerName \"example.com/own\"");
  EXPECT_EQ(message(write("status", "Failed")),
            about + "sign requests with signerName \"example.com/own\"");
  EXPECT_EQ(label().code, 200);

  create("/apis/rbac.authorization.k8s.io/v1/clusterroles", R"({"metadata":{"name":"signer"},
      "rules":[{"apiGroups":["certificates.k8s.io"],"resources":["signers"],"verbs":["approve"],
                "resourceNames":["example.com/*"]},
               {"apiGroups":["certificates.k8s.io"],"resources":["signers"],"verbs":["sign"],
                "resourceNames":["example.com/own"]}]})");
  create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", R"({"metadata":{"name":"signer"},
      "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"signer"},
      "subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"eve"}]})");
  EXPECT_EQ(write("approval", "Approved").code, 200);
  const auto failed = as_eve(request(Verb::Patch, std::string{kRequest} + "/status"),
                             R"({"status":{"conditions":[{"status":"True","type":"Approved"},
                                         {"status":"True","type":"Failed"}]}})",
                             "application/merge-patch+json");
  EXPECT_EQ(failed.code, 200) << message(failed);
}

TEST_F(Hostile, ALabelOnARoleGrantsItAgain) {
  grant(R"([{"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"],"verbs":["patch"]}])");
  ASSERT_EQ(create(kRoles, R"({"metadata":{"name":"wide"},
      "rules":[{"apiGroups":[""],"resources":["secrets"],"verbs":["get"]}]})")
                .code,
            201);
  const std::string wide = std::string{kRoles} + "/wide";
  constexpr auto kMerge = "application/merge-patch+json";

  const auto label =
      as_eve(request(Verb::Patch, wide), R"({"metadata":{"labels":{"a":"b"}}})", kMerge);
  const auto hold = as_eve(request(Verb::Patch, wide),
                           R"({"metadata":{"finalizers":["example.com/hold"]}})", kMerge);

  EXPECT_EQ(label.code, 403) << message(label);
  EXPECT_EQ(hold.code, 200) << message(hold);
}

TEST_F(Hostile, WhatHasNoNamespaceIsNotReachedThroughOne) {
  const auto listed = list("/api/v1/namespaces/ns/nodes");
  const auto made = create("/apis/rbac.authorization.k8s.io/v1/namespaces/ns/clusterroles",
                           R"({"metadata":{"name":"x"},"rules":[]})");

  EXPECT_EQ(listed.code, 404);
  EXPECT_EQ(made.code, 404);
}

TEST_F(Hostile, ACollectionOfAllNamespacesIsOnlyRead) {
  create("/api/v1/namespaces/ns/configmaps", R"({"metadata":{"name":"a"}})");
  auto removal = request(Verb::DeleteCollection, "/api/v1/configmaps");

  EXPECT_EQ(run(removal).code, 405);
  EXPECT_EQ(create("/api/v1/configmaps", R"({"metadata":{"name":"b"}})").code, 405);
  EXPECT_EQ(create("/api/v1/namespaces/ns/configmaps/c", R"({"metadata":{"name":"c"}})").code, 405);
  EXPECT_EQ(get("/api/v1/namespaces/ns/configmaps/a").code, 200);
}

TEST_F(Hostile, AnApplyThatCreatesNeedsTheRightToCreate) {
  grant(R"([{"apiGroups":[""],"resources":["configmaps"],"verbs":["patch"]}])");

  const auto refused =
      as_eve(request(Verb::Patch, "/api/v1/namespaces/ns/configmaps/a", "fieldManager=eve"),
             R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})",
             "application/apply-patch+yaml");

  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(get("/api/v1/namespaces/ns/configmaps/a").code, 404);
}

TEST_F(Hostile, AStarIsAUserLikeAnyOther) {
  create(
      kRoles,
      R"({"metadata":{"name":"r"},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})");
  create(kRoleBindings, R"({"metadata":{"name":"b"},
      "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},
      "subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"*"}]})");
  const User eve{.name = "eve", .uid = {}, .groups = {}, .extra = {}};

  const auto decision = authorize(store_.latest(), eve,
                                  attempt_of(request(Verb::Get, "/api/v1/namespaces/ns/pods/p")));

  EXPECT_FALSE(decision.allowed);
}

TEST_F(Hostile, BodiesOfSubresourcesAreTyped) {
  create("/api/v1/namespaces/ns/serviceaccounts", R"({"metadata":{"name":"sa"}})");
  const std::string token = "/api/v1/namespaces/ns/serviceaccounts/sa/token";

  for (const auto body : {R"({"metadata":"x"})", R"({"spec":5})", R"({"spec":[]})", "[]", "5"}) {
    EXPECT_EQ(create(token, body).code, 400) << body;
  }
  EXPECT_EQ(put("/api/v1/namespaces/ns/finalize",
                R"({"metadata":{"name":"ns"},"spec":{"finalizers":{"a":1}}})")
                .code,
            400);
  const auto forged = create(
      token,
      R"({"spec":{"boundObjectRef":{"kind":"ServiceAccount","apiVersion":"v1","name":"other","uid":"u"}}})");
  EXPECT_EQ(forged.code, 400);
}

TEST_F(Hostile, ATypoInAScaleDoesNotScaleToZero) {
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
  create(
      kBoats,
      R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"one"},"spec":{"crew":3}})");

  for (const auto body : {R"({"spec":{"replicas":"x"}})", "5", "[]"}) {
    EXPECT_GE(patch(std::string{kBoats} + "/one/scale", body).code, 400) << body;
  }
  EXPECT_EQ(patch(std::string{kBoats} + "/one/scale", R"({"spec":{"replicas":4}})", "x/y").code,
            415);
  EXPECT_EQ(text(get(std::string{kBoats} + "/one"), "spec", "crew"), "3");
}

TEST_F(Hostile, AGroupAndAResourceAreNotConfused) {
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);

  EXPECT_EQ(list("/apis/example.com/v1/namespaces/ns/boats.sea").code, 404);
}

}  // namespace
}  // namespace fixpoint::apiserver
