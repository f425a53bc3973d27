// SPDX-License-Identifier: Apache-2.0
#include "cluster/jobs/job.h"

#include "cluster/jobs/indexes.h"
#include "cluster/jobs/names.h"
#include "cluster/workloads/workload_fixture.h"

#include <algorithm>
#include <chrono>

#include <gmock/gmock.h>

namespace fixpoint::cluster::jobs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Jobs : public WorkloadFixture {
 protected:
  void job(std::string_view spec, std::string_view restart = "Never") {
    made("jobs", R"({"metadata":{"name":"work"},"spec":{)" + std::string{spec} +
                     (spec.empty() ? "" : ",") +
                     R"("template":{"spec":{"schedulerName":"nobody","restartPolicy":")" +
                     std::string{restart} + R"(","containers":[{"name":"c","image":"i"}]}}}})");
    settle();
  }
  json::View status() { return read("jobs", "work").get("status"); }
  std::string field(std::string_view name) { return json::to_text(status().get(name)); }
  // "Type reason" of the conditions that hold, in the order they came.
  std::vector<std::string> conditions() {
    std::vector<std::string> found;
    for (const json::View each : status().get("conditions").elements()) {
      if (each.get("status").as_string() != "True") continue;
      found.push_back(std::string{each.get("type").as_string()} + " " +
                      std::string{each.get("reason").as_string()});
    }
    return found;
  }
  std::vector<std::string> active() {
    std::vector<std::string> found;
    for (const auto& pod : all("pods")) {
      if (is_active(pod)) found.emplace_back(kube::name_of(pod));
    }
    return found;
  }
  std::string at_index(int index) {
    for (const auto& pod : all("pods")) {
      if (is_active(pod) && completion_index(pod) == index) return std::string{kube::name_of(pod)};
    }
    ADD_FAILURE() << "nobody works on " << index;
    return {};
  }
  void end(std::string_view pod, std::string_view phase, int code = 1) {
    const auto time = format_seconds(clock_.wall());
    change("pods", std::string{pod} + "/status",
           R"({"status":{"phase":")" + std::string{phase} +
               R"(","containerStatuses":[{"name":"c","image":"i","imageID":"","ready":false,
               "restartCount":0,"state":{"terminated":{"finishedAt":")" +
               time + R"(","exitCode":)" + std::to_string(code) + "}}}]}}");
    settle();
  }
  void wait(int pause_seconds) {
    clock_.advance(std::chrono::seconds(pause_seconds));
    settle();
  }
};

TEST_F(Jobs, RunAsManyPodsAtOnceAsAllowedUntilEnoughSucceeded) {
  job(R"("completions":3,"parallelism":2)");
  ASSERT_EQ(active().size(), 2U);
  EXPECT_EQ(field("active"), "2");

  end(active()[0], "Succeeded");
  ASSERT_EQ(active().size(), 2U);
  end(active()[0], "Succeeded");
  ASSERT_EQ(active().size(), 1U);
  EXPECT_EQ(field("succeeded"), "2");
  end(active()[0], "Succeeded");

  EXPECT_THAT(conditions(),
              ElementsAre("SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"));
  EXPECT_EQ(field("succeeded"), "3");
  EXPECT_EQ(field("uncountedTerminatedPods"), "{}");
  EXPECT_FALSE(status().get("completionTime").is_null());
  EXPECT_THAT(told("Job"), Contains("Completed: Job completed"));
  for (const auto& pod : all("pods")) EXPECT_THAT(kube::finalizers_of(pod), IsEmpty());
}

TEST_F(Jobs, WithoutCompletionsOneSuccessIsEnoughAndTheOthersFinish) {
  job(R"("parallelism":2)");
  ASSERT_EQ(active().size(), 2U);

  end(active()[0], "Succeeded");
  EXPECT_EQ(active().size(), 1U);
  EXPECT_THAT(conditions(), IsEmpty());
  end(active()[0], "Succeeded");

  EXPECT_EQ(conditions().back(), "Complete CompletionsReached");
  EXPECT_EQ(field("succeeded"), "2");
}

TEST_F(Jobs, AFailedPodIsReplacedAfterAPauseThatDoubles) {
  job(R"("backoffLimit":3)");
  end(active()[0], "Failed");
  EXPECT_THAT(active(), IsEmpty());
  wait(9);
  EXPECT_THAT(active(), IsEmpty());
  wait(1);
  ASSERT_EQ(active().size(), 1U);

  end(active()[0], "Failed");
  wait(19);
  EXPECT_THAT(active(), IsEmpty());
  wait(1);

  EXPECT_EQ(active().size(), 1U);
  EXPECT_EQ(field("failed"), "2");
}

TEST_F(Jobs, APodDeletedByAPersonIsAFailureAlthoughItIsGone) {
  job(R"("backoffLimit":3)");
  remove(path("pods", active()[0]));
  settle();
  EXPECT_THAT(names("pods"), IsEmpty());
  EXPECT_EQ(field("failed"), "1");
  wait(9);
  EXPECT_THAT(names("pods"), IsEmpty());
  wait(1);
  EXPECT_EQ(active().size(), 1U);
}

TEST_F(Jobs, TooManyFailuresEndItAndWhoeverStillWorks) {
  job(R"("backoffLimit":0,"parallelism":2,"completions":2)");
  end(active()[0], "Failed");

  EXPECT_THAT(conditions(),
              ElementsAre("FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"));
  EXPECT_EQ(field("failed"), "2");
  EXPECT_EQ(names("pods").size(), 1U);
  EXPECT_THAT(told("Job"), Contains("BackoffLimitExceeded: Job has reached the specified backoff "
                                    "limit"));
}

TEST_F(Jobs, RestartsInPlaceCountAsFailures) {
  job(R"("backoffLimit":2)", "OnFailure");
  change("pods", active()[0] + "/status",
         R"({"status":{"phase":"Running","containerStatuses":[{"name":"c","image":"i","imageID":"",
         "ready":true,"restartCount":2}]}})");
  settle();
  EXPECT_EQ(conditions().back(), "Failed BackoffLimitExceeded");
}

TEST_F(Jobs, ADeadlineEndsItByItself) {
  job(R"("activeDeadlineSeconds":30)");
  wait(29);
  EXPECT_THAT(conditions(), IsEmpty());
  wait(1);
  EXPECT_EQ(conditions().back(), "Failed DeadlineExceeded");
  EXPECT_THAT(names("pods"), IsEmpty());
}

TEST_F(Jobs, ASuspendedOneHasNoPodsAndItsClockStartsAnew) {
  job(R"("suspend":true,"activeDeadlineSeconds":30)");
  EXPECT_THAT(conditions(), ElementsAre("Suspended JobSuspended"));
  EXPECT_TRUE(status().get("startTime").is_null());
  wait(60);
  change("jobs", "work", R"({"spec":{"suspend":false}})");
  settle();
  ASSERT_EQ(active().size(), 1U);
  EXPECT_THAT(conditions(), IsEmpty());

  wait(20);
  change("jobs", "work", R"({"spec":{"suspend":true}})");
  settle();

  EXPECT_THAT(names("pods"), IsEmpty());
  EXPECT_EQ(field("failed"), "null");
  EXPECT_THAT(told("Job"), Contains("Resumed: Job resumed"));
}

TEST_F(Jobs, EveryIndexSucceedsOnce) {
  job(R"("completions":4,"parallelism":3,"completionMode":"Indexed")");
  const auto first = read("pods", at_index(0));
  EXPECT_EQ(first.get("spec", "hostname").as_string(), "work-0");
  EXPECT_EQ(kube::label_of(first, kIndexName), "0");
  EXPECT_EQ(first.get("spec", "containers")[0].get("env")[0].get("name").as_string(),
            "JOB_COMPLETION_INDEX");

  end(at_index(2), "Succeeded");
  EXPECT_EQ(field("completedIndexes"), R"("2")");
  for (const int index : {0, 1, 3}) end(at_index(index), "Succeeded");

  EXPECT_EQ(field("completedIndexes"), R"("0-3")");
  EXPECT_EQ(conditions().back(), "Complete CompletionsReached");
}

TEST_F(Jobs, AnIndexFailsByItself) {
  job(R"("completions":2,"parallelism":2,"completionMode":"Indexed","backoffLimitPerIndex":1)");
  end(at_index(0), "Failed");
  EXPECT_EQ(field("failedIndexes"), R"("")");
  wait(10);
  const auto second = at_index(0);
  EXPECT_EQ(kube::annotation_of(read("pods", second), kIndexFailures), "1");
  end(second, "Failed");
  EXPECT_EQ(field("failedIndexes"), R"("0")");
  EXPECT_THAT(conditions(), IsEmpty());
  end(at_index(1), "Succeeded");

  EXPECT_EQ(conditions().back(), "Failed FailedIndexes");
  EXPECT_EQ(field("completedIndexes"), R"("1")");
  EXPECT_EQ(field("failed"), "2");
}

TEST_F(Jobs, AFailurePolicyIgnoresCountsAndEnds) {
  job(R"("backoffLimit":0,"podFailurePolicy":{"rules":[
    {"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget"}]},
    {"action":"FailJob","onExitCodes":{"operator":"NotIn","values":[3,42]}},
    {"action":"FailJob","onExitCodes":{"operator":"In","values":[42]}}]})");
  const auto disrupted = active()[0];
  change("pods", disrupted + "/status", R"({"status":{"phase":"Failed","conditions":[
    {"type":"DisruptionTarget","status":"True"}]}})");
  settle();
  EXPECT_EQ(field("failed"), "null");
  wait(10);
  const auto second = active()[0];
  end(second, "Failed", 42);

  EXPECT_THAT(conditions(),
              ElementsAre("FailureTarget PodFailurePolicy", "Failed PodFailurePolicy"));
  EXPECT_THAT(told("Job"), Contains("PodFailurePolicy: Container c for pod ns/" + second +
                                    " failed with exit code 42 matching FailJob rule at index 2"));
}

TEST_F(Jobs, ASuccessPolicyEndsItBeforeTheLastIndex) {
  job(R"("completions":3,"parallelism":3,"completionMode":"Indexed","successPolicy":{"rules":[
    {"succeededIndexes":"1-2","succeededCount":1}]})");
  end(at_index(0), "Succeeded");
  EXPECT_THAT(conditions(), IsEmpty());
  end(at_index(1), "Succeeded");

  EXPECT_THAT(conditions(),
              ElementsAre("SuccessCriteriaMet SuccessPolicy", "Complete SuccessPolicy"));
  EXPECT_EQ(field("failed"), "null");
  EXPECT_THAT(active(), IsEmpty());
}

TEST_F(Jobs, OnlyFailedPodsAreReplacedWhereThatIsThePolicy) {
  job(R"("podReplacementPolicy":"Failed")");
  const auto pod = active()[0];
  change("pods", pod,
         R"({"metadata":{"finalizers":["example.com/hold",")" + std::string{kTrackingFinalizer} +
             R"("]}})");
  remove(path("pods", pod));
  settle();
  EXPECT_EQ(names("pods").size(), 1U);
  EXPECT_EQ(field("terminating"), "1");

  end(pod, "Failed");
  wait(60);

  EXPECT_EQ(active().size(), 1U);
  EXPECT_EQ(field("failed"), "1");
}

TEST_F(Jobs, OfAnotherManagerAreLeftAlone) {
  job(R"("managedBy":"example.com/other")");
  EXPECT_THAT(names("pods"), IsEmpty());
  EXPECT_EQ(json::to_text(status()), "{}");
}

TEST_F(Jobs, ThatAreDeletedLeaveNoPodBehind) {
  job(R"("parallelism":2)");
  remove(path("jobs", "work"), R"({"propagationPolicy":"Background"})");
  settle();
  EXPECT_THAT(names("pods"), IsEmpty());
}

TEST_F(Jobs, ThatAreOrphanedLeavePodsThatNothingHolds) {
  job(R"("parallelism":2)");
  remove(path("jobs", "work"), R"({"propagationPolicy":"Orphan"})");
  settle();
  ASSERT_EQ(names("pods").size(), 2U);
  for (const auto& pod : all("pods")) EXPECT_THAT(kube::finalizers_of(pod), IsEmpty());
}

TEST_F(Jobs, APersonMayShrinkParallelism) {
  job(R"("parallelism":3,"completions":9)");
  change("jobs", "work", R"({"spec":{"parallelism":1}})");
  settle();
  EXPECT_EQ(active().size(), 1U);
  EXPECT_EQ(field("failed"), "null");
  EXPECT_EQ(field("active"), "1");
}

TEST_F(Jobs, ARefusedPodIsToldAndTriedAgain) {
  made("resourcequotas", R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"1"}}})");
  settle();
  job(R"("parallelism":2,"completions":2)");
  EXPECT_EQ(field("active"), "1");
  EXPECT_THAT(told("Job"), Contains(HasSubstr("FailedCreate: Error creating: pods")));

  change("resourcequotas", "q", R"({"spec":{"hard":{"pods":"5"}}})");
  wait(60);

  EXPECT_EQ(field("active"), "2");
}

TEST(CompletionIndexes, AreWrittenShortAndReadBack) {
  const auto read = Indexes::parse("1,3-5,x,8-20", 11);
  EXPECT_EQ(read.to_string(), "1,3-5,8-10");
  EXPECT_EQ(read.total(), 7);
  EXPECT_EQ(read.merged(Indexes{
                            {0, 2, 6}
  })
                .to_string(),
            "0-6,8-10");
  EXPECT_THAT(read.missing(12, 4), ElementsAre(0, 2, 6, 7));
  EXPECT_EQ(read.shared(Indexes::parse("0-3,10", 11)), 3);
  EXPECT_TRUE(read.has(4));
  EXPECT_FALSE(read.has(6));
}

}  // namespace
}  // namespace fixpoint::cluster::jobs
