// SPDX-License-Identifier: Apache-2.0
//
// Rules of custom resources at the server: where they are checked, and what an answer says.
#include "apiserver/api_fixture.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kTanks = "/apis/sea.example.com/v1/namespaces/ns/tanks";

std::string definition(std::string_view spec_rules, std::string_view status_rules = "[]") {
  return fmt::format(
      R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
  "metadata":{{"name":"tanks.sea.example.com"}},
  "spec":{{"group":"sea.example.com","scope":"Namespaced","names":{{"plural":"tanks","kind":"Tank"}},
    "versions":[{{"name":"v1","served":true,"storage":true,"subresources":{{"status":{{}}}},
      "schema":{{"openAPIV3Schema":{{"type":"object","properties":{{
        "spec":{{"type":"object","x-kubernetes-validations":{},"properties":{{
          "min":{{"type":"integer"}},"max":{{"type":"integer"}},"color":{{"type":"string","maxLength":20}}}}}},
        "status":{{"type":"object","x-kubernetes-validations":{},"properties":{{
          "level":{{"type":"integer"}}}}}}}}}}}}}}]}}}})",
      spec_rules, status_rules);
}

class RulesTest : public ApiFixture {
 protected:
  void define(std::string_view spec_rules, std::string_view status_rules = "[]") {
    const auto made = create(kDefinitions, definition(spec_rules, status_rules));
    ASSERT_EQ(made.code, 201) << message(made);
  }
  static std::string tank(std::string_view rest) {
    return fmt::format(R"({{"apiVersion":"sea.example.com/v1","kind":"Tank",
      "metadata":{{"name":"t"}},{}}})",
                       rest);
  }
};

TEST_F(RulesTest, AResourceThatBreaksARuleIsRefusedWithItsMessage) {
  define(R"([{"rule":"self.min <= self.max","message":"min must not exceed max"}])");

  const auto refused = create(kTanks, tank(R"("spec":{"min":5,"max":1})"));

  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(reason(refused), "Invalid");
  EXPECT_EQ(message(refused),
            "Tank.sea.example.com \"t\" is invalid: spec: Invalid value: \"object\": min must not "
            "exceed max");
  EXPECT_EQ(create(kTanks, tank(R"("spec":{"min":1,"max":5})")).code, 201);
}

TEST_F(RulesTest, ReasonAndFieldPathNameTheCause) {
  define(R"cel([{"rule":"self.min > 0","reason":"FieldValueForbidden","fieldPath":".min",
                 "messageExpression":"'not for ' + self.color"}])cel");

  const auto refused = create(kTanks, tank(R"("spec":{"min":0,"color":"red"})"));

  const auto cause = refused.body.get("details", "causes")[0];
  EXPECT_EQ(cause.get("reason").as_string(), "FieldValueForbidden");
  EXPECT_EQ(cause.get("field").as_string(), "spec.min");
  EXPECT_EQ(cause.get("message").as_string(), "Forbidden: not for red");
}

TEST_F(RulesTest, ATransitionRuleComparesWithWhatWasStored) {
  define(R"([{"rule":"self.color == oldSelf.color","message":"color is immutable"}])");
  ASSERT_EQ(create(kTanks, tank(R"("spec":{"color":"red"})")).code, 201);

  const auto refused = patch(std::string{kTanks} + "/t", R"({"spec":{"color":"blue"}})");

  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(message(refused), HasSubstr("color is immutable"));
  EXPECT_EQ(patch(std::string{kTanks} + "/t", R"({"spec":{"min":1}})").code, 200);
}

TEST_F(RulesTest, WhatAnUpdateLeavesAsItWasIsOnlyWarnedOf) {
  define("[]");
  ASSERT_EQ(create(kTanks, tank(R"("spec":{"min":1,"max":0})")).code, 201);
  const auto changed = patch(std::string{kDefinitions} + "/tanks.sea.example.com",
                             definition(R"([{"rule":"self.min <= self.max"}])"));
  ASSERT_EQ(changed.code, 200) << message(changed);

  const auto labelled = patch(std::string{kTanks} + "/t", R"({"metadata":{"labels":{"a":"b"}}})");
  const auto touched = patch(std::string{kTanks} + "/t", R"({"spec":{"color":"red"}})");

  EXPECT_EQ(labelled.code, 200);
  EXPECT_THAT(labelled.warnings,
              ElementsAre("spec: Invalid value: \"object\": failed rule: self.min <= self.max"));
  EXPECT_EQ(touched.code, 422);
}

TEST_F(RulesTest, StatusIsHeldToItsRulesWhereItIsWritten) {
  define("[]", R"([{"rule":"self.level >= 0"}])");
  ASSERT_EQ(create(kTanks, tank(R"("spec":{})")).code, 201);

  const auto refused = patch(std::string{kTanks} + "/t/status", R"({"status":{"level":-1}})");

  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(message(refused), HasSubstr("status: Invalid value"));
  EXPECT_EQ(patch(std::string{kTanks} + "/t/status", R"({"status":{"level":1}})").code, 200);
}

TEST_F(RulesTest, RulesAreNotCheckedOnAnObjectTheSchemaRefuses) {
  define(R"([{"rule":"self.min > 100"}])");

  const auto refused = create(kTanks, tank(R"("spec":{"min":"one"})"));

  EXPECT_THAT(message(refused),
              HasSubstr("some validation rules were not checked because the object was invalid"));
  EXPECT_THAT(message(refused), testing::Not(HasSubstr("failed rule")));
}

TEST_F(RulesTest, NorOnOneWithoutAName) {
  define(R"([{"rule":"self.min > 100"}])");
  auto nameless = tank(R"("spec":{"min":1})");
  nameless.replace(nameless.find(R"("name":"t")"), 10, "");

  const auto refused = message(create(kTanks, nameless));

  EXPECT_THAT(refused,
              HasSubstr("metadata.name: Required value: name or generateName is required"));
  EXPECT_THAT(refused, HasSubstr("some validation rules were not checked"));
  EXPECT_THAT(refused, testing::Not(HasSubstr("failed rule")));
}

TEST_F(RulesTest, ADefinitionWhoseRuleDoesNotCompileIsRefused) {
  const auto refused = create(kDefinitions, definition(R"([{"rule":"self.size > 1"}])"));

  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(message(refused),
              HasSubstr("compilation failed: ERROR: <input>:1:5: undefined field 'size'\n | "
                        "self.size > 1\n | ....^"));
}

TEST_F(RulesTest, ADefinitionWhoseRuleCouldTakeTooLongIsRefused) {
  auto text = definition(R"cel([{"rule":"self.all.all(x, self.all.all(y, x == y))"}])cel");
  text.replace(text.find(R"("min":)"), 6,
               R"("all":{"type":"array","items":{"type":"string"}},"min":)");

  const auto refused = create(kDefinitions, text);

  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(message(refused), HasSubstr("estimated rule cost exceeds budget by factor of more "
                                          "than 100x"));
}

}  // namespace
}  // namespace fixpoint::apiserver
