// SPDX-License-Identifier: Apache-2.0
#include "front/identity/impersonate.h"

#include "json/parsing/parse.h"

#include <gtest/gtest.h>

namespace fixpoint::front {
namespace {

using apiserver::User;

constexpr std::string_view kRbac = ".rbac.authorization.k8s.io/";

class Impersonate : public testing::Test {
 protected:
  Impersonate() {
    put("clusterroles" + std::string{kRbac} + "/actor", R"({"metadata":{"name":"actor"},"rules":[
      {"apiGroups":[""],"resources":["users"],"verbs":["impersonate"],"resourceNames":["ada"]},
      {"apiGroups":[""],"resources":["serviceaccounts"],"verbs":["impersonate"]},
      {"apiGroups":["authentication.k8s.io"],"resources":["userextras/scopes"],
       "verbs":["impersonate"]}]})");
    put("clusterrolebindings" + std::string{kRbac} + "/actor", R"({"metadata":{"name":"actor"},
      "roleRef":{"kind":"ClusterRole","name":"actor"},"subjects":[{"kind":"User","name":"bob"}]})");
  }

  void put(const std::string& key, std::string_view body) {
    (void)store_.put(key, *json::parse(body));
  }

  kube::Answer<User> act(net::Headers headers, std::vector<std::string> groups = {}) {
    net::Request request;
    request.target = "/api/v1/pods";
    request.headers = std::move(headers);
    return acting_user(request,
                       {.name = "bob", .uid = {}, .groups = std::move(groups), .extra = {}},
                       store_.latest());
  }
  std::string refused(net::Headers headers) {
    const auto user = act(std::move(headers));
    return user ? "allowed as " + user->name : user.error().message;
  }

  store::Store store_;
};

using Groups = std::vector<std::string>;

TEST_F(Impersonate, WithoutHeadersEveryoneIsThemselves) {
  EXPECT_EQ(act({})->name, "bob");
}

TEST_F(Impersonate, AUserIsAuthenticatedAndTheAnonymousOneIsNot) {
  const Groups masters{"system:masters"};

  EXPECT_EQ(act({
                    {"impersonate-user", "ada"}
  })
                ->groups,
            Groups{"system:authenticated"});
  EXPECT_EQ(act(
                {
                    {"impersonate-user", "system:anonymous"}
  },
                masters)
                ->groups,
            Groups{"system:unauthenticated"});
}

TEST_F(Impersonate, AServiceAccountHasTheGroupsOfItsNamespaceUnlessGroupsAreGiven) {
  const std::string name = "system:serviceaccount:ns:sa";

  EXPECT_EQ(
      act({
              {"impersonate-user", name}
  })
          ->groups,
      (Groups{"system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"}));
  EXPECT_EQ(act(
                {
                    {"impersonate-user",  name },
                    {"impersonate-group", "dev"}
  },
                {"system:masters"})
                ->groups,
            (Groups{"dev", "system:authenticated"}));
}

TEST_F(Impersonate, EveryPartNeedsItsRight) {
  EXPECT_EQ(refused({
                {"impersonate-user", "eve"}
  }),
            "users \"eve\" is forbidden: User \"bob\" cannot impersonate resource \"users\" in API "
            "group \"\" at the cluster scope");
  EXPECT_EQ(refused({
                {"impersonate-user",  "ada"},
                {"impersonate-group", "dev"}
  }),
            "groups \"dev\" is forbidden: User \"bob\" cannot impersonate resource \"groups\" in "
            "API group \"\" at the cluster scope");
  EXPECT_EQ(refused({
                {"impersonate-user",        "ada"},
                {"impersonate-extra-other", "x"  }
  }),
            "userextras.authentication.k8s.io \"x\" is forbidden: User \"bob\" cannot impersonate "
            "resource \"userextras/other\" in API group \"authentication.k8s.io\" at the cluster "
            "scope");
  EXPECT_EQ(refused({
                {"impersonate-user", "ada"},
                {"impersonate-uid",  "u"  }
  }),
            "uids.authentication.k8s.io \"u\" is forbidden: User \"bob\" cannot impersonate "
            "resource \"uids\" in API group \"authentication.k8s.io\" at the cluster scope");
}

TEST_F(Impersonate, ExtrasOfOneKeyAreGathered) {
  const auto user = act({
      {"impersonate-user",         "ada"},
      {"impersonate-extra-scopes", "a"  },
      {"impersonate-extra-scopes", "b"  }
  });

  ASSERT_TRUE(user.has_value());
  ASSERT_EQ(user->extra.size(), 1U);
  EXPECT_EQ(user->extra[0].second, (Groups{"a", "b"}));
}

TEST_F(Impersonate, NobodyCannotHaveGroups) {
  const auto user = act({
      {"impersonate-group",        "dev"},
      {"impersonate-extra-scopes", "a"  },
      {"impersonate-uid",          "u"  }
  });

  ASSERT_FALSE(user.has_value());
  EXPECT_EQ(user.error().code, 500);
  EXPECT_EQ(user.error().message,
            "Internal Server Error: \"/api/v1/pods\": requested [{Group  dev    } {UserExtra  a  "
            "authentication.k8s.io/v1  scopes} {UID  u  authentication.k8s.io/v1  }] without "
            "impersonating a user");
}

}  // namespace
}  // namespace fixpoint::front
