// SPDX-License-Identifier: Apache-2.0
#include "runtime/controller/status_write.h"

#include "json/print.h"
#include "kube/texts_for_tests.h"

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;
using kube::parsed;

const Instant kNow{std::chrono::sys_days{std::chrono::year{2026} / 2 / 3}};

Conclusion ready_conclusion(bool is_true) {
  Conclusion conclusion;
  conclusion.status = parsed(R"({"phase":"Ready"})");
  conclusion.conditions.push_back({.type = "Ready", .is_true = is_true, .reason = "Because"});
  return conclusion;
}

json::Value object_with(std::string_view status) {
  return parsed(R"({"metadata":{"uid":"u","resourceVersion":"5","generation":2},"status":)" +
                std::string{status} + "}");
}

std::string written(const json::Value& primary, const Conclusion& conclusion) {
  const json::Value wanted = wanted_status(primary, conclusion, kNow);
  const json::Value patch = status_patch(primary, wanted, Rules::all());
  return json::to_text(patch);
}

TEST(StatusWrite, SaysTheWholeStatusTheFirstTimeBoundToTheObject) {
  EXPECT_EQ(
      written(object_with("{}"), ready_conclusion(true)),
      R"({"metadata":{"resourceVersion":"5","uid":"u"},"status":{"conditions":[)"
      R"({"lastTransitionTime":"2026-02-03T00:00:00Z","message":"","observedGeneration":2,)"
      R"("reason":"Because","status":"True","type":"Ready"}],"observedGeneration":2,"phase":"Ready"}})");
}

TEST(StatusWrite, WhatIsSaidAlreadyIsNotWritten) {
  const json::Value primary = object_with(R"({"phase":"Ready","observedGeneration":2,"conditions":[
      {"type":"Ready","status":"True","reason":"Because","message":"","observedGeneration":2,
       "lastTransitionTime":"2026-01-01T00:00:00Z"}]})");

  EXPECT_TRUE(says(primary, ready_conclusion(true)));
  EXPECT_FALSE(says(primary, ready_conclusion(false)));
  EXPECT_EQ(written(primary, ready_conclusion(true)), "null");
}

TEST(StatusWrite, ATransitionHasANewTimeAndNothingElseHas) {
  const json::Value primary = object_with(R"({"phase":"Ready","observedGeneration":1,"conditions":[
      {"type":"Ready","status":"True","reason":"Because","message":"","observedGeneration":1,
       "lastTransitionTime":"2026-01-01T00:00:00Z"}]})");

  EXPECT_NE(written(primary, ready_conclusion(true)).find("2026-01-01"), std::string::npos);
  EXPECT_NE(written(primary, ready_conclusion(false)).find("2026-02-03"), std::string::npos);
}

TEST(StatusWrite, WhatIsNotConcludedAnyMoreGoes) {
  const json::Value primary = object_with(R"({"phase":"Ready","observedGeneration":2,"old":1})");
  Conclusion conclusion;
  conclusion.status = parsed(R"({"phase":"Ready"})");

  EXPECT_FALSE(says(primary, conclusion));
  EXPECT_NE(written(primary, conclusion).find(R"("status":{"old":null})"), std::string::npos);
}

TEST(StatusWrite, ConditionsAloneLeaveTheRestOfTheStatusAsItIs) {
  Conclusion conclusion = ready_conclusion(true);
  conclusion.status = {};

  EXPECT_EQ(written(object_with(R"({"theirs":1})"), conclusion).find("theirs"), std::string::npos);
}

TEST(StatusWrite, WithoutAConclusionNothingIsWritten) {
  const json::Value empty = object_with("{}");
  const json::Value theirs = object_with(R"({"a":1})");

  EXPECT_TRUE(says(empty, Conclusion{}));
  EXPECT_TRUE(says(theirs, Conclusion{}));
}

TEST(StatusWrite, AKindWithoutObservedGenerationIsNotWrittenToForThatAlone) {
  const json::Value primary = object_with(R"({"phase":"Ready"})");
  Conclusion conclusion;
  conclusion.status = parsed(R"({"phase":"Ready"})");

  EXPECT_TRUE(says(primary, conclusion));
}

}  // namespace
}  // namespace fixpoint::runtime
