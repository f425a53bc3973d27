// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan.h"

#include "json/parsing/parse.h"

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

TEST(Plan, DescribesStepsInWords) {
  const json::Value object =
      json::parse(R"({"kind":"ConfigMap","metadata":{"name":"web","namespace":"ns"}})").value();
  const ObjectRef role{
      {"rbac.authorization.k8s.io", "v1", "ClusterRole"},
      {"", "reader"}
  };

  EXPECT_EQ(describe(ApplyStep{object}), "apply ConfigMap ns/web");
  EXPECT_EQ(describe(CreateStep{object}), "create ConfigMap ns/web");
  EXPECT_EQ(describe(DeleteStep{role}), "delete ClusterRole reader");
  EXPECT_EQ(describe(PatchStep{role}), "patch ClusterRole reader");
  EXPECT_EQ(describe(WaitStep{"PodsReady"}), "wait for PodsReady");
  EXPECT_EQ(describe(EmitStep{.reason = "Scaled"}), "emit Scaled");
  EXPECT_EQ(describe(EffectStep{.name = "failover"}), "effect failover");
}

TEST(Plan, OrdersBranchesAfterThoseTheyName) {
  Plan plan;
  plan.branch("app", {"data"});
  plan.branch("data");
  plan.branch("free");

  const auto order = order_of(plan);

  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(*order, (std::vector<std::size_t>{1, 2, 0}));
}

TEST(Plan, RefusesCyclesTwinsAndUnknownNames) {
  Plan cycle;
  cycle.branch("a", {"b"});
  cycle.branch("b", {"a"});
  Plan twins;
  twins.branch("a");
  twins.branch("a");
  Plan unknown;
  unknown.branch("a", {"c"});

  EXPECT_EQ(check(cycle).error().message, "branch \"a\" waits for itself");
  EXPECT_EQ(check(twins).error().message, "two branches are named \"a\"");
  EXPECT_EQ(check(unknown).error().message, "branch \"a\" is after \"c\", which is not there");
}

TEST(Plan, IsBounded) {
  Plan plan;
  for (std::size_t i = 0; i < kPlanStepsMax; ++i) plan.wait("A", "b");
  EXPECT_TRUE(check(plan).has_value());

  plan.wait("A", "b");

  EXPECT_EQ(check(plan).error().kind, ErrorKind::Exhausted);
}

TEST(Plan, ShortFormsMakeOneBranch) {
  Plan plan;
  EXPECT_TRUE(plan.empty());

  plan.apply(json::Value::empty_object()).wait("Ready", "pods");

  ASSERT_EQ(plan.branches.size(), 1U);
  EXPECT_EQ(plan.branches[0].steps.size(), 2U);
}

}  // namespace
}  // namespace fixpoint::runtime
