// SPDX-License-Identifier: Apache-2.0
//
// That the table of weaknesses is whole. What each of them does, and that it is noticed, is shown
// by tests/conformance/weakness_test.cc.
#include "apiserver/weakness.h"

#include "apiserver/api_fixture.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

TEST(Weakness, EveryOneHasItsRowInTheOrderOfTheRules) {
  const auto rows = weaknesses();

  // The last enumerator's value is how many there are: a new one without a row is noticed.
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(Weakness::KeepsUidOnRecreate));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(rows[i].weakness), i + 1) << rows[i].what;
    EXPECT_FALSE(rows[i].what.empty());
  }
  EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &WeaknessRow::rule));
}

TEST(Weakness, OverlooksOnlyItsOwnErrors) {
  const kube::FieldPath metadata{"metadata"};
  kube::FieldErrors errors{
      kube::forbidden(metadata.child("finalizers"), "no new finalizers can be added"),
      kube::forbidden(metadata.child("finalizers"), "something else")};

  overlook(Weakness::AllowsTwoControllers, errors);
  const auto untouched = errors.size();
  overlook(Weakness::AllowsNewFinalizerWhileDeleting, errors);

  EXPECT_EQ(untouched, 2U);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].detail, "something else");
}

class WeakServer : public ApiFixture {};

TEST_F(WeakServer, BreaksItsRuleAndNoOther) {
  constexpr auto kMap = "/api/v1/namespaces/ns/configmaps/a";
  create("/api/v1/namespaces/ns/configmaps", R"({"metadata":{"name":"a"}})");
  auto stale = request(Verb::Update, kMap);
  stale.body = R"({"metadata":{"name":"a","resourceVersion":"1"}})";
  auto other = request(Verb::Update, kMap);
  other.body = R"({"metadata":{"name":"a","uid":"other"}})";
  auto weak = environment();
  weak.weakness = Weakness::IgnoresResourceVersionOnUpdate;

  EXPECT_EQ(core_.handle(stale, store_, environment()).code, 409);
  EXPECT_EQ(core_.handle(stale, store_, weak).code, 200);
  EXPECT_EQ(core_.handle(other, store_, weak).code, 409);
}

}  // namespace
}  // namespace fixpoint::apiserver
