// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with specs, and what is said about it; mistakes_for_tests.h has them.
#include "operators/stellar/check.h"

#include "json/parsed_for_tests.h"
#include "json/patch/merge_patch.h"
#include "json/print.h"
#include "operators/stellar/mistakes_for_tests.h"
#include "types/decode.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::operators::stellar {
namespace {

using json::parsed;
using testing::HasSubstr;
using testing::Not;

// Of the table and of check(), as the operator says them.
kube::FieldErrors errors_of(const json::Value& spec) {
  auto decoded = types::decode<Spec>(spec, kube::FieldPath{"spec"});
  return decoded.ok() ? check(decoded.value) : decoded.errors;
}
kube::FieldErrors errors_of(std::string_view spec, std::string_view change = "{}") {
  const auto patch = parsed(change);
  const auto changed = json::apply_merge_patch(parsed(spec), patch);
  return errors_of(changed);
}

TEST(StellarCheck, FindsNothingInAGoodSpec) {
  for (const auto spec : {kValidator, kHorizon, kRpc}) {
    const auto errors = errors_of(spec);
    EXPECT_TRUE(errors.empty()) << errors.front().to_string();
  }
}

TEST(StellarCheck, NamesFieldProblemAndWayOutOfEveryMistake) {
  for (const auto& mistake : known_mistakes()) {
    SCOPED_TRACE(json::to_text(mistake.spec));
    const auto errors = errors_of(mistake.spec);
    EXPECT_EQ(errors.size(), 1U) << explain(errors);
    if (errors.empty()) continue;
    EXPECT_EQ(errors[0].field, mistake.field);
    EXPECT_THAT(errors[0].to_string(), HasSubstr(mistake.problem));
    EXPECT_THAT(errors[0].detail, HasSubstr(mistake.way_out));
  }
}

TEST(StellarCheck, LetsAVersionBeTriedOnSeveralPods) {
  EXPECT_TRUE(errors_of(kHorizon, R"({"replicas":2,"strategy":{"type":"canary"}})").empty());
}

TEST(StellarCheck, FindsEverythingAtOnce) {
  const auto errors = errors_of(kValidator, R"({"replicas":3,"minAvailable":1,
      "serviceMesh":{"istio":{"timeoutSecs":0,"circuitBreaker":{"consecutiveErrors":0}}}})");

  EXPECT_EQ(errors.size(), 4U);
}

// kubectl shows a column, and an event in a list, up to the first line break.
TEST(StellarCheck, SaysTheFirstMistakeAndItsWayOutInOneLine) {
  const auto one = errors_of(kValidator, R"({"replicas":3})");
  const auto two = errors_of(kValidator, R"({"replicas":3,"minAvailable":1})");

  EXPECT_EQ(in_a_line(one),
            "spec.replicas: Invalid value: 3: a Validator has exactly one replica; Set replicas to "
            "1: two processes with one seed are cut off by their peers");
  EXPECT_THAT(in_a_line(two), HasSubstr("2 mistakes: (1) spec.replicas: Invalid value: 3: a "));
  EXPECT_THAT(in_a_line(two), HasSubstr(". (2) spec.minAvailable: Forbidden: "));
  EXPECT_THAT(in_a_line(two), Not(HasSubstr("\n")));
}

TEST(StellarCheck, ExplainsAsPeopleRead) {
  const auto errors = errors_of(
      kValidator, R"({"serviceMesh":{"istio":{"circuitBreaker":{"consecutiveErrors":0}}}})");

  EXPECT_EQ(explain(errors),
            "Spec validation failed with the following issues:\n"
            "- Field `spec.serviceMesh.istio.circuitBreaker.consecutiveErrors`: Invalid value: 0: "
            "must be greater than 0\n"
            "  How to fix: Set to a value >= 1, typically 5-10 for most use cases");
}

}  // namespace
}  // namespace fixpoint::operators::stellar
