// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/workloads/job_policy.h"

#include "json/parsing/parse.h"
#include "kinds/validation/field_errors_for_tests.h"
#include "kinds/validation/workloads/batch.h"

#include <gtest/gtest.h>

namespace fixpoint::kinds {
namespace {

TEST(JobPolicy, NamesWhatAFailureRuleLacks) {
  const auto spec = json::parse(R"({"podFailurePolicy":{"rules":[{"action":"FailJob"}]}})").value();
  FieldErrors errors;

  check_failure_policy(spec, FieldPath{"policy"}, errors);

  EXPECT_EQ(texts(errors),
            "policy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is "
            "required\n");
}

TEST(JobPolicy, SucceedsByIndexesAndCountsThatThereAre) {
  const auto errors_of = [](std::string_view rules) {
    const auto spec = json::parse(R"({"completions":4,"completionMode":"Indexed",
        "successPolicy":{"rules":)" +
                                  std::string{rules} + "}}")
                          .value();
    FieldErrors errors;
    check_success_policy(spec, FieldPath{"p"}, errors);
    return texts(errors);
  };

  EXPECT_EQ(errors_of(R"([{"succeededIndexes":"0,2-3","succeededCount":3}])"), "");
  EXPECT_EQ(errors_of("[]"),
            "p.rules: Required value: at least one rules must be specified when the successPolicy "
            "is specified\n");
  EXPECT_EQ(
      errors_of("[{}]"),
      "p.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be "
      "specified\n");
  EXPECT_EQ(errors_of(R"([{"succeededIndexes":"0-1","succeededCount":5}])"),
            "p.rules[0].succeededCount: Invalid value: 5: must be less than or equal to 4 (the "
            "number of specified completions)\n"
            "p.rules[0].succeededCount: Invalid value: 5: must be less than or equal to 2 (the "
            "number of indexes in the specified succeededIndexes field)\n");
  EXPECT_EQ(errors_of(R"([{"succeededIndexes":"3-9"}])"),
            "p.rules[0].succeededIndexes: Invalid value: \"3-9\": error parsing succeededIndexes: "
            "too large index: \"9\"\n");
}

TEST(JobPolicy, SucceedsByIndexesOnlyWhereThereAreSome) {
  const auto spec = json::parse(R"({"successPolicy":{"rules":[{"succeededCount":1}]}})").value();
  FieldErrors errors;

  check_success_policy(spec, FieldPath{"p"}, errors);

  EXPECT_EQ(texts(errors),
            "p: Invalid value: {\"Rules\":[{\"SucceededIndexes\":null,\"SucceededCount\":1}]}: "
            "requires indexed completion mode\n");
}

// A cron job around a job's spec: its template is the shortest that is fine.
std::string cron_errors(std::string_view job, std::string_view cron = "") {
  const auto object = json::parse(R"({"metadata":{"name":"c"},"spec":{"schedule":"* * * * *",
      "concurrencyPolicy":"Allow",)" +
                                  std::string{cron} + R"("jobTemplate":{"spec":{)" +
                                  std::string{job} + R"("template":{"spec":{"containers":[
      {"name":"a","image":"b","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],
      "restartPolicy":"Never","dnsPolicy":"Default"}}}}}})")
                          .value();
  return texts(validate_cron_job(object));
}

TEST(JobPolicy, BoundsWhatAJobOfManyIndexesDoesAtOnce) {
  EXPECT_EQ(
      cron_errors(R"("completionMode":"Indexed","completions":100001,"parallelism":10001,
      "backoffLimitPerIndex":1,"maxFailedIndexes":10001,)"),
      "spec.jobTemplate.spec.parallelism: Invalid value: 10001: must be less than or equal to "
      "10000 when completions are above 100000 and used with backoff limit per index\n"
      "spec.jobTemplate.spec.maxFailedIndexes: Invalid value: 10001: must be less than or "
      "equal to 10000 when completions are above 100000 and used with backoff limit per "
      "index\n");
  EXPECT_EQ(cron_errors(R"("completionMode":"Indexed","completions":3,"backoffLimitPerIndex":1,
      "maxFailedIndexes":4,)"),
            "spec.jobTemplate.spec.maxFailedIndexes: Invalid value: 4: must be less than or equal "
            "to completions\n");
}

TEST(CronJob, RunsInATimeZoneThatThereIs) {
  EXPECT_EQ(cron_errors("", R"("timeZone":"Europe/Berlin",)"), "");
  EXPECT_EQ(cron_errors("", R"("timeZone":"Mars/Phobos",)"),
            "spec.timeZone: Invalid value: \"Mars/Phobos\": unknown time zone Mars/Phobos\n");
  EXPECT_EQ(cron_errors("", R"("timeZone":"Local",)"),
            "spec.timeZone: Invalid value: \"Local\": timeZone must be an explicit time zone as "
            "defined in https://www.iana.org/time-zones\n");
}

}  // namespace
}  // namespace fixpoint::kinds
