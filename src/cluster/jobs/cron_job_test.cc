// SPDX-License-Identifier: Apache-2.0
#include "cluster/jobs/cron_job.h"

#include "base/time_zone.h"
#include "cluster/jobs/schedule.h"
#include "cluster/workloads/workload_fixture.h"

#include <chrono>

#include <gmock/gmock.h>

namespace fixpoint::cluster::jobs {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CronJobs : public WorkloadFixture {
 protected:
  void cron(std::string_view schedule, std::string_view more = {}) {
    made("cronjobs", R"({"metadata":{"name":"tick"},"spec":{"schedule":")" + std::string{schedule} +
                         R"(",)" + std::string{more} +
                         R"("jobTemplate":{"metadata":{"labels":{"a":"b"}},"spec":{"template":
                         {"spec":{"schedulerName":"nobody","restartPolicy":"Never",
                         "containers":[{"name":"c","image":"i"}]}}}}}})");
    settle();
  }
  // The clock starts on the full hour.
  void wait(seconds time) {
    for (seconds gone{0}; gone < time; gone += seconds(30)) {
      clock_.advance(std::min(seconds(30), time - gone));
      settle();
    }
  }
  void end(std::string_view job, std::string_view phase) {
    for (const auto& pod : all("pods")) {
      if (is_active(pod) && kube::label_of(pod, "job-name") == job) {
        report(kube::name_of(pod), phase, false);
      }
    }
    settle();
  }
  std::vector<std::string> active() {
    std::vector<std::string> found;
    for (const json::View each : read("cronjobs", "tick").get("status", "active").elements()) {
      found.emplace_back(each.get("name").as_string());
    }
    return found;
  }
  std::string status(std::string_view field) {
    return std::string{read("cronjobs", "tick").get("status", field).as_string()};
  }
};

TEST_F(CronJobs, StartAJobWhenItsTimeHasCome) {
  cron("*/2 * * * *");
  wait(seconds(119));
  EXPECT_THAT(names("jobs"), IsEmpty());
  wait(seconds(2));

  ASSERT_THAT(names("jobs"), ElementsAre("tick-29453762"));
  const json::View job = read("jobs", "tick-29453762");
  EXPECT_EQ(kube::label_of(job, "a"), "b");
  EXPECT_EQ(kube::annotation_of(job, "batch.kubernetes.io/cronjob-scheduled-timestamp"),
            "2026-01-01T00:02:00Z");
  EXPECT_THAT(active(), ElementsAre("tick-29453762"));
  EXPECT_EQ(status("lastScheduleTime"), "2026-01-01T00:02:00Z");
  EXPECT_THAT(told("CronJob"), ElementsAre("SuccessfulCreate: Created job tick-29453762"));
}

TEST_F(CronJobs, KeepTheHistoryTheyAreAllowed) {
  cron("* * * * *", R"("successfulJobsHistoryLimit":1,"failedJobsHistoryLimit":0,)");
  wait(seconds(61));
  end("tick-29453761", "Succeeded");
  EXPECT_THAT(active(), IsEmpty());
  EXPECT_EQ(status("lastSuccessfulTime"), "2026-01-01T00:01:01Z");
  wait(seconds(60));
  end("tick-29453762", "Succeeded");

  EXPECT_THAT(names("jobs"), ElementsAre("tick-29453762"));
  EXPECT_THAT(told("CronJob"),
              Contains("SawCompletedJob: Saw completed job: tick-29453761, condition: Complete"));
  EXPECT_THAT(told("CronJob"), Contains("SuccessfulDelete: Deleted job tick-29453761"));
}

TEST_F(CronJobs, MayForbidASecondJobBesideTheFirst) {
  cron("* * * * *", R"("concurrencyPolicy":"Forbid",)");
  wait(seconds(181));
  EXPECT_THAT(names("jobs"), ElementsAre("tick-29453761"));
  EXPECT_THAT(told("CronJob"), Contains(HasSubstr("JobAlreadyActive: Not starting job")));

  end("tick-29453761", "Succeeded");

  EXPECT_THAT(names("jobs"), ElementsAre("tick-29453761", "tick-29453763"));
}

TEST_F(CronJobs, MayReplaceTheFirstJobByTheSecond) {
  cron("* * * * *", R"("concurrencyPolicy":"Replace",)");
  wait(seconds(121));
  EXPECT_THAT(names("jobs"), ElementsAre("tick-29453762"));
  EXPECT_THAT(active(), ElementsAre("tick-29453762"));
  EXPECT_EQ(names("pods").size(), 1U);
}

TEST_F(CronJobs, MakeUpForTheLastOfTheTimesTheyMissed) {
  cron("*/5 * * * *");
  clock_.advance(minutes(23));
  settle();
  EXPECT_THAT(names("jobs"), ElementsAre("tick-29453780"));
}

TEST_F(CronJobs, AreTooLateAfterTheirDeadline) {
  cron("0 * * * *", R"("startingDeadlineSeconds":20,)");
  clock_.advance(minutes(61));
  settle();
  EXPECT_THAT(names("jobs"), IsEmpty());
}

TEST_F(CronJobs, LeaveAJobOfTheSameNameToWhoeverMadeIt) {
  made("jobs", R"({"metadata":{"name":"tick-29453761"},"spec":{"template":{"spec":{"restartPolicy":
    "Never","schedulerName":"nobody","containers":[{"name":"c","image":"i"}]}}}})");
  cron("* * * * *");
  wait(seconds(90));
  EXPECT_THAT(active(), IsEmpty());
  EXPECT_THAT(told("CronJob"), IsEmpty());
}

TEST_F(CronJobs, DoNothingWhileSuspended) {
  cron("* * * * *", R"("suspend":true,)");
  wait(seconds(150));
  EXPECT_THAT(names("jobs"), IsEmpty());
  change("cronjobs", "tick", R"({"spec":{"suspend":false}})");
  settle();
  EXPECT_THAT(names("jobs"), ElementsAre("tick-29453762"));
}

TEST_F(CronJobs, WithAnotherScheduleBeginWithItsNextTime) {
  cron("0 0 1 1 *");
  wait(seconds(150));
  change("cronjobs", "tick", R"({"spec":{"schedule":"* * * * *"}})");
  settle();
  EXPECT_THAT(names("jobs"), IsEmpty());
  wait(seconds(31));
  EXPECT_THAT(names("jobs"), ElementsAre("tick-29453763"));
}

TEST_F(CronJobs, NoticeJobsOfAPersonAndJobsThatAreGone) {
  cron("* * * * *");
  wait(seconds(61));
  const auto uid = std::string{kube::uid_of(read("cronjobs", "tick"))};
  made("jobs", R"({"metadata":{"name":"mine","ownerReferences":[{"apiVersion":"batch/v1","kind":
    "CronJob","name":"tick","uid":")" +
                   uid + R"(","controller":true}]},"spec":{"template":{"spec":
    {"restartPolicy":"Never","schedulerName":"nobody","containers":[{"name":"c","image":"i"}]}}}})");
  settle();
  EXPECT_THAT(told("CronJob"), Contains("UnexpectedJob: Saw a job that the controller did not "
                                        "create or forgot: mine"));

  remove(path("jobs", "tick-29453761"), R"({"propagationPolicy":"Background"})");
  settle();

  EXPECT_THAT(told("CronJob"), Contains("MissingJob: Active job went missing: tick-29453761"));
  EXPECT_THAT(active(), IsEmpty());
}

TEST_F(CronJobs, AFinishedJobGoesAfterItsTime) {
  made("jobs",
       R"({"metadata":{"name":"once"},"spec":{"ttlSecondsAfterFinished":60,"template":{"spec":
    {"restartPolicy":"Never","schedulerName":"nobody","containers":[{"name":"c","image":"i"}]}}}})");
  settle();
  end("once", "Succeeded");
  wait(seconds(59));
  EXPECT_THAT(names("jobs"), ElementsAre("once"));
  wait(seconds(1));
  EXPECT_THAT(names("jobs"), IsEmpty());
  EXPECT_THAT(names("pods"), IsEmpty());
}

// A zone of one hour, and two from the last Sunday of March to that of October, as the slimmest
// file would say it.
TimeZone middle_europe() {
  std::string bytes{"TZif2"};
  const auto header = [&](std::string_view counts) {
    bytes.append(15, '\0');
    for (const char count : counts) bytes.append(3, '\0').push_back(static_cast<char>(count - '0'));
  };
  header("000011");
  bytes.append({'\0', '\0', '\0', '\0', '\0', '\0', '\0'});
  bytes.append("TZif2");
  header("000011");
  bytes.append({'\0', '\0', '\0', '\0', '\0', '\0', '\0'});
  bytes.append("\nCET-1CEST,M3.5.0,M10.5.0/3\n");
  const auto zone = TimeZone::parse(bytes);
  EXPECT_TRUE(zone.has_value());
  return zone.value_or(TimeZone{});
}

std::string next(const TimeZone& zone, std::string_view schedule, std::string_view after) {
  const auto at = Schedule{*kinds::schedule_times(schedule), zone}.next(*parse_rfc3339(after));
  return at ? format_seconds(*at) : "never";
}

TEST(Schedules, AreReadInTheTimeOfTheirPlace) {
  const auto zone = middle_europe();
  EXPECT_EQ(next(zone, "30 6 * * *", "2040-01-01T00:00:00Z"), "2040-01-01T05:30:00Z");
  EXPECT_EQ(next(zone, "30 6 * * *", "2040-07-01T00:00:00Z"), "2040-07-01T04:30:00Z");
  EXPECT_EQ(next(zone, "0 0 * * *", "2040-03-24T12:00:00Z"), "2040-03-24T23:00:00Z");
  EXPECT_EQ(next(zone, "0 0 * * *", "2040-03-25T12:00:00Z"), "2040-03-25T22:00:00Z");
}

TEST(Schedules, SkipAnHourThatIsNotThereAndKeepOneThatComesTwice) {
  const auto zone = middle_europe();
  EXPECT_EQ(next(zone, "30 2 * * *", "2040-03-24T12:00:00Z"), "2040-03-26T00:30:00Z");
  EXPECT_EQ(next(zone, "30 2 * * *", "2040-10-27T12:00:00Z"), "2040-10-28T00:30:00Z");
  EXPECT_EQ(next(zone, "30 2 * * *", "2040-10-28T00:30:00Z"), "2040-10-28T01:30:00Z");
}

TEST(Schedules, KnowDaysStepsAndDescriptors) {
  const TimeZone utc;
  EXPECT_EQ(next(utc, "0 12 13 * 5", "2026-01-01T00:00:00Z"), "2026-01-02T12:00:00Z");
  EXPECT_EQ(next(utc, "0 12 13 * *", "2026-01-01T00:00:00Z"), "2026-01-13T12:00:00Z");
  EXPECT_EQ(next(utc, "*/20 1-2 * feb sun", "2026-01-01T00:00:00Z"), "2026-02-01T01:00:00Z");
  EXPECT_EQ(next(utc, "@monthly", "2026-01-01T00:00:00Z"), "2026-02-01T00:00:00Z");
  EXPECT_EQ(next(utc, "@every 90s", "2026-01-01T00:00:00.5Z"), "2026-01-01T00:01:30Z");
  EXPECT_EQ(next(utc, "0 0 29 2 *", "2026-01-01T00:00:00Z"), "2028-02-29T00:00:00Z");
  EXPECT_EQ(next(utc, "0 0 31 2 *", "2026-01-01T00:00:00Z"), "never");
}

TEST(TimeZones, ThatAreNotThereAreAnError) {
  EXPECT_FALSE(load_time_zone("Nowhere/Else").has_value());
  EXPECT_FALSE(load_time_zone("../../etc/passwd").has_value());
  EXPECT_FALSE(TimeZone::parse("TZif2").has_value());
  EXPECT_TRUE(load_time_zone("UTC").has_value());
}

}  // namespace
}  // namespace fixpoint::cluster::jobs
