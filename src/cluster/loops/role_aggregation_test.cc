// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/role_aggregation.h"

#include "cluster/loop_fixture.h"

namespace fixpoint::cluster {
namespace {

constexpr auto kRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

class RoleAggregationLoop : public LoopFixture {
 protected:
  void give_parts() {
    create(kRoles, R"({"metadata":{"name":"part-b","labels":{"part":"y"}},
        "rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})");
    create(kRoles, R"({"metadata":{"name":"part-a","labels":{"part":"y"}},
        "rules":[{"apiGroups":[""],"resources":["secrets"],"verbs":["get"]},
                 {"apiGroups":[""],"resources":["pods"],"verbs":["get"]},
                 {"nonResourceURLs":["/x"],"verbs":["get"]}]})");
  }
  void give_whole() {
    const auto made = create(kRoles, R"({"metadata":{"name":"whole","labels":{"part":"y"}},
        "aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"part":"y"}}]},
        "rules":[{"apiGroups":["x"],"resources":["y"],"verbs":["z"]}]})");
    ASSERT_EQ(made.code, 201) << message(made);
  }
  std::string rules() {
    const auto role = get(std::string{kRoles} + "/whole");
    return json::to_text(role.body.get("rules"));
  }
};

TEST_F(RoleAggregationLoop, CollectsTheRulesOfSelectedRolesByNameEachOnce) {
  give_parts();
  give_whole();

  settle();

  EXPECT_EQ(rules(), R"([{"apiGroups":[""],"resources":["secrets"],"verbs":["get"]},)"
                     R"({"apiGroups":[""],"resources":["pods"],"verbs":["get"]},)"
                     R"({"nonResourceURLs":["/x"],"verbs":["get"]}])");
}

TEST_F(RoleAggregationLoop, OwnsTheRulesByApply) {
  give_parts();
  give_whole();

  settle();

  const auto role = get(std::string{kRoles} + "/whole");
  const json::View entry = role.body.get("metadata", "managedFields")[0];
  EXPECT_EQ(entry.get("manager").as_string(), "clusterrole-aggregation-controller");
  EXPECT_EQ(entry.get("operation").as_string(), "Apply");
  EXPECT_EQ(json::to_text(entry.get("fieldsV1")), R"({"f:rules":{}})");
}

TEST_F(RoleAggregationLoop, FollowsChangesAndUndoesEdits) {
  give_parts();
  give_whole();
  settle();

  patch(std::string{kRoles} + "/whole",
        R"({"rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]})");
  remove(std::string{kRoles} + "/part-a");
  settle();
  const auto fewer = rules();
  remove(std::string{kRoles} + "/part-b");
  settle();

  EXPECT_EQ(fewer, R"([{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}])");
  EXPECT_EQ(rules(), "null");
}

TEST_F(RoleAggregationLoop, LeavesOtherRolesAlone) {
  give_parts();
  settle();
  const auto rest = store_.revision();

  patch(std::string{kRoles} + "/part-a", R"({"metadata":{"labels":{"more":"y"}}})");
  settle();

  EXPECT_EQ(store_.revision().value, rest.value + 1);
}

}  // namespace
}  // namespace fixpoint::cluster
