// SPDX-License-Identifier: Apache-2.0
//
// Plays in which pods run to an end: the stage says how.
#include "tests/conformance/workloads.h"

#include <chrono>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

using Pods = Act::Pods;
using std::chrono::seconds;

// A real controller gathers the changes of a Job's pods for a second.
constexpr seconds kGathers{2};
// After this a pod that failed once has been replaced.
constexpr seconds kAfterBackoff{12};

Deed make_job(std::string_view spec, std::string_view restart = "Never") {
  return {"POST", "batch/jobs",
          fmt::format(R"({{"metadata":{{"name":"job"}},"spec":{{{}{}"template":{{"spec":)"
                      R"({{"schedulerName":"nobody","restartPolicy":"{}",)"
                      R"("containers":[{{"name":"c","image":"i"}}]}}}}}}}})",
                      spec, spec.empty() ? "" : ",", restart)};
}

Deed job_spec(std::string_view fields) {
  return {"PATCH", "batch/jobs/job", fmt::format(R"({{"spec":{{{}}}}})", fields)};
}

Deed ends(std::string_view pod, std::string_view phase, int code) {
  return {"PATCH", fmt::format("pods/<{}>/status", pod),
          fmt::format(R"({{"status":{{"phase":"{}","containerStatuses":[{{"name":"c","image":"i",)"
                      R"("imageID":"","ready":false,"restartCount":0,"state":{{"terminated":)"
                      R"({{"finishedAt":"<now>","exitCode":{}}}}}}}]}}}})",
                      phase, code)};
}

Act job_act(std::string name, std::vector<Deed> deeds, Duration wait = kGathers) {
  return {std::move(name), std::move(deeds), Pods::AsTheyAre, wait};
}

Act succeeds(std::string_view pod) {
  return job_act(fmt::format("{} succeeds", pod), {ends(pod, "Succeeded", 0)});
}

Act fails(std::string_view pod, int code = 1) {
  return job_act(fmt::format("{} fails with {}", pod, code), {ends(pod, "Failed", code)});
}

Act end_job(std::string_view policy) {
  return job_act("ended", {
                              {"DELETE", "batch/jobs/job",
                               fmt::format(R"({{"propagationPolicy":"{}"}})", policy)}
  });
}

std::vector<Play> plain_jobs() {
  return {
      {"job",
       "as many at once as allowed until enough succeeded", {job_act("made", {make_job(R"("completions":3,"parallelism":2)")}), succeeds("any"),
        succeeds("any"), succeeds("any")}                                             },
      {"job-queue",
       "without completions one success is enough",         {job_act("made", {make_job(R"("parallelism":2)")}), succeeds("any"), succeeds("any")}},
      {"job-retry",
       "a failed pod is replaced after a pause",            {job_act("made", {make_job(R"("backoffLimit":1)")}), fails("any"),
        job_act("later", {}, kAfterBackoff), fails("any")}                                       },
      {"job-fails",
       "too many failures end those that still work",       {job_act("made", {make_job(R"("backoffLimit":0,"parallelism":2,"completions":2)")}),
        fails("any")}                                                                       },
      {"job-ready",
       "pods that are ready are counted",                   {{"made", {make_job(R"("parallelism":2,"completions":2)")}, Pods::AllAtOnce, kGathers},
        succeeds("any")}                                                                                },
      {"job-deadline",
       "a deadline ends it",                                {job_act("made", {make_job(R"("activeDeadlineSeconds":15)")}),
        job_act("later", {}, seconds(16))}                                                                           },
      {"job-suspend",
       "a suspended Job has no pods",                       {job_act("made", {make_job(R"("suspend":true,"parallelism":2)")}),
        job_act("resumed", {job_spec(R"("suspend":false)")}),
        job_act("suspended", {job_spec(R"("suspend":true)")})}                                              },
      {"job-scale",
       "parallelism may change",                            {job_act("made", {make_job(R"("completions":5,"parallelism":3)")}),
        job_act("shrunk", {job_spec(R"("parallelism":1)")}),
        job_act("grown", {job_spec(R"("parallelism":4)")})}                                                      },
      {"job-restarts",
       "restarts in place are failures",                    {job_act("made", {make_job(R"("backoffLimit":2)", "OnFailure")}),
        job_act("restarted",
                {{"PATCH", "pods/<any>/status",
                  R"({"status":{"phase":"Running","containerStatuses":[{"name":"c","image":"i",)"
                  R"("imageID":"","ready":true,"restartCount":2}]}})"}})}                                },
      {"job-pod-deleted",
       "a pod that a person deletes has failed",            {job_act("made", {make_job(R"("backoffLimit":2)")}),
        job_act("deleted", {{"DELETE", "pods/<any>", ""}}), job_act("later", {}, kAfterBackoff)} },
      {"job-expires",
       "a Job that is over goes after its time",            {job_act("made", {make_job(R"("ttlSecondsAfterFinished":6)")}), succeeds("any"),
        job_act("later", {}, seconds(8))}                                                        },
      {"job-managed",
       "the Job of another manager is left alone",          {job_act("made", {make_job(R"("managedBy":"example.com/other")")})}                  },
      {"job-ended",
       "no pod is held by a Job that is gone",              {job_act("made", {make_job(R"("parallelism":2)")}), end_job("Background")}           },
      {"job-orphaned",
       "orphans are not held either",                       {job_act("made", {make_job(R"("parallelism":2)")}), end_job("Orphan")}               },
      {"job-foreground",
       "pods first, then the Job",                          {job_act("made", {make_job(R"("parallelism":2)")}), end_job("Foreground")}           },
  };
}

std::vector<Play> indexed_jobs() {
  constexpr std::string_view kIndexed = R"("completionMode":"Indexed",)";
  const auto indexed = [&](std::string_view more) {
    return job_act("made", {make_job(fmt::format("{}{}", kIndexed, more))});
  };
  return {
      {"job-indexed",
       "every index succeeds once",                   {indexed(R"("completions":4,"parallelism":3)"), succeeds("2"), succeeds("0"), succeeds("1"),
        succeeds("3")}                                                               },
      {"job-index-fails",
       "an index fails by itself",                    {indexed(R"("completions":2,"parallelism":2,"backoffLimitPerIndex":1)"), fails("0"),
        job_act("later", {}, kAfterBackoff), fails("0"), succeeds("1")}               },
      {"job-indexes-fail",
       "too many failed indexes end it",              {indexed(R"("completions":3,"parallelism":3,"backoffLimitPerIndex":0,"maxFailedIndexes":1)"),
        fails("0"), fails("1")}                                                 },
      {"job-success-policy",
       "enough is enough",                            {indexed(R"("completions":3,"parallelism":3,"successPolicy":{"rules":[)"
                R"({"succeededIndexes":"1-2","succeededCount":1}]})"),
        succeeds("0"), succeeds("1")}                                                         },
      {"job-index-policy",
       "a rule fails an index",                       {indexed(R"("completions":2,"parallelism":2,"backoffLimitPerIndex":3,"podFailurePolicy":)"
                R"({"rules":[{"action":"FailIndex","onExitCodes":{"operator":"In","values":[7]}},)"
                R"({"action":"Ignore","onExitCodes":{"operator":"In","values":[8]}}]})"),
        fails("0", 7), fails("1", 8), job_act("later", {}, kAfterBackoff), succeeds("1")}},
      {"job-policy",
       "rules ignore, count and end",                 {job_act("made",
                {make_job(R"("backoffLimit":1,"podFailurePolicy":{"rules":[)"
                          R"({"action":"Ignore","onExitCodes":{"operator":"In","values":[3]}},)"
                          R"({"action":"FailJob","onExitCodes":{"operator":"NotIn","values":)"
                          R"([1,2,3]}}]})")}),
        fails("any", 3), job_act("later", {}, kAfterBackoff), fails("any", 42)}    },
      {"job-elastic",
       "completions and parallelism change together", {indexed(R"("completions":3,"parallelism":3)"), succeeds("2"),
        job_act("shrunk", {job_spec(R"("completions":2,"parallelism":2)")}), succeeds("0"),
        succeeds("1")}                                             },
  };
}

// Begins well inside a minute, so that the next one comes when it is waited for.
std::vector<Play> cron_jobs() {
  constexpr auto kCron =
      R"({"metadata":{"name":"cron"},"spec":{"schedule":"* * * * *","timeZone":"Asia/Kolkata",)"
      R"("concurrencyPolicy":"Forbid","jobTemplate":{"metadata":{"labels":{"a":"b"}},"spec":)"
      R"({"template":{"spec":{"schedulerName":"nobody","restartPolicy":"Never","containers":)"
      R"([{"name":"c","image":"i"}]}}}}}})";
  auto early = job_act("early in a minute", {}, {});
  early.second = 10;
  auto next = job_act("in the next minute", {}, {});
  next.second = 3;
  auto made = job_act("made", {
                                  {"POST", "batch/cronjobs", kCron}
  });
  auto suspended =
      job_act("suspended", {
                               {"PATCH", "batch/cronjobs/cron", R"({"spec":{"suspend":true}})"}
  });
  return {
      {"cron",
       "a Job for every minute", {early, made, next, suspended, succeeds("any"),
        job_act("ended",
                {{"DELETE", "batch/cronjobs/cron", R"({"propagationPolicy":"Background"})"}})}}
  };
}

}  // namespace

std::vector<Play> job_plays() {
  auto all = plain_jobs();
  for (auto& play : indexed_jobs()) all.push_back(std::move(play));
  for (auto& play : cron_jobs()) all.push_back(std::move(play));
  return all;
}

}  // namespace fixpoint::conformance
