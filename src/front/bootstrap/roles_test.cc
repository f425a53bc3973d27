// SPDX-License-Identifier: Apache-2.0
#include "front/bootstrap/roles.h"

#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace fixpoint::front {
namespace {

// By kind, namespace and name.
std::map<std::string, json::Value> by_name() {
  std::map<std::string, json::Value> roles;
  for (const std::string& text : default_roles()) {
    auto object = *json::parse(text);
    std::string key{object.get("kind").as_string()};
    key += ' ';
    if (const auto ns = kube::namespace_of(object); !ns.empty()) key.append(ns) += '/';
    key += kube::name_of(object);
    EXPECT_TRUE(roles.emplace(std::move(key), std::move(object)).second) << text;
  }
  return roles;
}

std::string text_at(const json::Value& object, std::string_view field) {
  return json::to_text(object.get(field));
}

TEST(DefaultRoles, AreWhatTheTableSays) {
  const auto roles = by_name();

  EXPECT_EQ(roles.size(), 131U);
  EXPECT_EQ(text_at(roles.at("ClusterRole cluster-admin"), "rules"),
            R"([{"apiGroups":["*"],"resources":["*"],"verbs":["*"]},)"
            R"({"nonResourceURLs":["*"],"verbs":["*"]}])");
  EXPECT_EQ(
      text_at(roles.at("ClusterRole system:auth-delegator"), "rules"),
      R"([{"apiGroups":["authentication.k8s.io"],"resources":["tokenreviews"],"verbs":["create"]},)"
      R"({"apiGroups":["authorization.k8s.io"],"resources":["subjectaccessreviews"],"verbs":["create"]}])");
  EXPECT_EQ(text_at(roles.at("ClusterRole edit"), "aggregationRule"),
            R"({"clusterRoleSelectors":[{"matchLabels":)"
            R"({"rbac.authorization.k8s.io/aggregate-to-edit":"true"}}]})");
  EXPECT_EQ(text_at(roles.at("ClusterRole edit"), "metadata"),
            R"({"annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"},"labels":)"
            R"({"kubernetes.io/bootstrapping":"rbac-defaults",)"
            R"("rbac.authorization.k8s.io/aggregate-to-admin":"true"},"name":"edit"})");
  const auto& reader = roles.at("Role kube-system/extension-apiserver-authentication-reader");
  EXPECT_EQ(kube::namespace_of(reader), "kube-system");
  EXPECT_EQ(text_at(reader, "rules"),
            R"([{"apiGroups":[""],"resourceNames":["extension-apiserver-authentication"],)"
            R"("resources":["configmaps"],"verbs":["get","list","watch"]}])");
}

TEST(DefaultRoles, AreBoundToThoseWhoNeedThem) {
  const auto roles = by_name();

  EXPECT_EQ(text_at(roles.at("ClusterRoleBinding cluster-admin"), "subjects"),
            R"([{"apiGroup":"rbac.authorization.k8s.io","kind":"Group","name":"system:masters"}])");
  EXPECT_EQ(text_at(roles.at("ClusterRoleBinding system:kube-dns"), "subjects"),
            R"([{"kind":"ServiceAccount","name":"kube-dns","namespace":"kube-system"}])");
  EXPECT_EQ(text_at(roles.at("ClusterRoleBinding system:node"), "subjects"), "null");
  for (const auto& [key, object] : roles) {
    if (!key.starts_with("ClusterRoleBinding") && !key.starts_with("RoleBinding")) continue;
    const std::string place{object.get("roleRef", "kind").as_string() == "Role"
                                ? std::string{kube::namespace_of(object)} + "/"
                                : ""};
    const std::string role = std::string{object.get("roleRef", "kind").as_string()} + " " + place +
                             std::string{object.get("roleRef", "name").as_string()};
    EXPECT_TRUE(roles.contains(role)) << key << " binds " << role;
  }
}

TEST(DefaultRoles, BindEveryControllerToTheAccountOfItsName) {
  const auto roles = by_name();

  EXPECT_EQ(text_at(roles.at("ClusterRoleBinding system:controller:job-controller"), "subjects"),
            R"([{"kind":"ServiceAccount","name":"job-controller","namespace":"kube-system"}])");
  EXPECT_EQ(
      text_at(roles.at("RoleBinding kube-public/system:controller:bootstrap-signer"), "subjects"),
      R"([{"kind":"ServiceAccount","name":"bootstrap-signer","namespace":"kube-system"}])");
  const auto count = std::ranges::count_if(roles, [](const auto& role) {
    return role.first.find("system:controller:") != std::string::npos;
  });
  EXPECT_EQ(count, 2 * 41);
}

}  // namespace
}  // namespace fixpoint::front
