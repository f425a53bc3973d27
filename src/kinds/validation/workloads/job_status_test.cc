// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/workloads/job_status.h"

#include "json/parsing/parse.h"
#include "kinds/validation/field_errors_for_tests.h"

#include <gtest/gtest.h>

namespace fixpoint::kinds {
namespace {

TEST(JobStatus, IsCompleteOnlyForAReason) {
  const auto before = json::parse(R"({"spec":{"completions":1},"status":{}})").value();
  const auto after =
      json::parse(
          R"({"spec":{"completions":1},"status":{"conditions":[{"type":"Complete","status":"True"}]}})")
          .value();

  EXPECT_EQ(texts(validate_job_status_update(after, before)),
            "status.completionTime: Required value: completionTime is required for Complete jobs\n"
            "status.conditions: Invalid value: cannot set Complete=True condition without the "
            "SuccessCriteriaMet=true condition\n"
            "status.startTime: Required value: startTime is required for finished job\n");
}

TEST(JobStatus, CountsIndexesUpwardsAndBelowTheCompletions) {
  const auto before =
      json::parse(R"({"spec":{"completions":4,"completionMode":"Indexed"}})").value();
  const auto errors_of = [&](std::string_view indexes) {
    const auto after =
        json::parse(
            R"({"spec":{"completions":4,"completionMode":"Indexed"},"status":{"completedIndexes":")" +
            std::string{indexes} + R"("}})")
            .value();
    return texts(validate_job_status_update(after, before));
  };

  EXPECT_EQ(errors_of("0,2-3"), "");
  EXPECT_EQ(errors_of("1-4"),
            "status.completedIndexes: Invalid value: \"1-4\": error parsing completedIndexes: too "
            "large index: \"4\"\n");
  EXPECT_EQ(errors_of("2,1"),
            "status.completedIndexes: Invalid value: \"2,1\": error parsing completedIndexes: "
            "non-increasing order, previous: 2, current: 1\n");
}

TEST(JobStatus, CountsAPodOnceAndFailedIndexesOnlyWhereTheyHaveLimits) {
  const auto before = json::parse(R"({"spec":{"completions":2}})").value();
  const auto after = json::parse(R"({"spec":{"completions":2},"status":{"failedIndexes":"1",
      "uncountedTerminatedPods":{"succeeded":["a","a"],"failed":["a",""]}}})")
                         .value();

  EXPECT_EQ(texts(validate_job_status_update(after, before)),
            "status.uncountedTerminatedPods.succeeded[1]: Duplicate value: \"a\"\n"
            "status.uncountedTerminatedPods.failed[0]: Duplicate value: \"a\"\n"
            "status.uncountedTerminatedPods.failed[1]: Invalid value: \"\": must not be empty\n"
            "status.failedIndexes: Invalid value: \"1\": cannot set non-null failedIndexes when "
            "backoffLimitPerIndex is null\n");
}

TEST(JobStatus, AnIndexEndsOneWayAndAFinishedJobCountsAllItsPods) {
  const std::string spec =
      R"("spec":{"completions":9,"completionMode":"Indexed","backoffLimitPerIndex":1})";
  const auto before = json::parse("{" + spec + "}").value();
  const auto after = json::parse("{" + spec + R"(,"status":{"startTime":"2024-01-01T00:00:00Z",
      "completedIndexes":"0,2-4","failedIndexes":"1,4-5",
      "conditions":[{"type":"Failed","status":"True"},{"type":"FailureTarget","status":"True"}],
      "uncountedTerminatedPods":{"failed":["u"]}}})")
                         .value();

  EXPECT_EQ(
      texts(validate_job_status_update(after, before)),
      "status.uncountedTerminatedPods: Invalid value: {\"Succeeded\":null,\"Failed\":[\"u\"]}: "
      "must be empty for finished job\n"
      "status.failedIndexes: Invalid value: \"1,4-5\": failedIndexes and completedIndexes "
      "overlap at index: 4\n");
}

}  // namespace
}  // namespace fixpoint::kinds
