// SPDX-License-Identifier: Apache-2.0
//
// Jobs and what makes jobs, as subjects.
#include "tests/conformance/areas/pod.h"
#include "tests/conformance/areas/subject.h"

#include <utility>

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kJob =
    R"({"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"app.example/app:1"}]}}}})";

constexpr std::string_view kCronJob =
    R"({"spec":{"schedule":"*/5 * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"OnFailure","containers":[{"name":"main","image":"app.example/app:1"}]}}}}}})";

const Edits& job_good() {
  static const Edits kEdits{
      R"(/parallelism 2)",
      R"(/parallelism 0)",
      R"(/completions 3)",
      R"(/completions 4)"
      "\n"
      R"(/parallelism 2)"
      "\n"
      R"(/completionMode "Indexed")",
      R"(/completions 4)"
      "\n"
      R"(/completionMode "Indexed")"
      "\n"
      R"(/backoffLimitPerIndex 1)"
      "\n"
      R"(/maxFailedIndexes 2)",
      R"(/backoffLimit 0)",
      R"(/activeDeadlineSeconds 20)",
      R"(/ttlSecondsAfterFinished 60)",
      R"(/suspend true)",
      R"(/podReplacementPolicy "Failed")",
      R"(/managedBy "example.com/mine")",
      R"(/podFailurePolicy {"rules":[{"action":"FailJob","onExitCodes":{"containerName":"main","operator":"In","values":[1,2]}},{"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget"}]}]})"
      "\n"
      R"(/template/spec/restartPolicy "Never")",
      R"(/template/metadata/labels {"app":"x"})",
      R"(/completions 4)"
      "\n"
      R"(/completionMode "Indexed")"
      "\n"
      R"(/successPolicy {"rules":[{"succeededIndexes":"0-2","succeededCount":1}]})",
  };
  return kEdits;
}

const Edits& job_bad() {
  static const Edits kEdits{
      R"(/parallelism -1)",
      R"(/completions -1)",
      R"(/backoffLimit -1)",
      R"(/activeDeadlineSeconds -1)",
      R"(/ttlSecondsAfterFinished -1)",
      R"(/completionMode "Random")",
      R"(/completionMode "Indexed")",
      R"(- /template)",
      R"(/template/spec/restartPolicy "Always")",
      R"(- /template/spec/restartPolicy)",
      R"(/backoffLimitPerIndex 1)",
      R"(/podReplacementPolicy "Now")",
      R"(/managedBy "mine")",
      R"(/manualSelector true)",
      R"(/selector {"matchLabels":{"a":"b"}})",
      R"(/podFailurePolicy {"rules":[{"action":"FailJob"}]})"
      "\n"
      R"(/template/spec/restartPolicy "Never")",
      R"(/podFailurePolicy {"rules":[{"action":"Explode","onPodConditions":[{"type":"x","status":"True"}]}]})"
      "\n"
      R"(/template/spec/restartPolicy "Never")",
      R"(/successPolicy {"rules":[{"succeededCount":1}]})",
      R"(/suspend "yes")",
  };
  return kEdits;
}

}  // namespace

Subject job_subject() {
  return {
      .sort = {"batch/v1", "Job", "jobs", true, kJob, {}, true},
      .good = joined({good_template_edits("/spec/template"),
               under("/spec", job_good()),
               under("/spec", job_good()),
               {R"(/spec/manualSelector true)"
                       "\n"
                       R"(/spec/selector {"matchLabels":{"a":"b"}})"
                       "\n"
                       R"(/spec/template/metadata {"labels":{"a":"b"}})"}}
        ),
      .bad = joined({under("/spec/template/spec", bad_pod_edits()), under("/spec", job_bad()),
               under("/spec", job_bad())}
        ),
      .changes = joined(
          {template_changes("/spec/template"),
               under("/spec", {R"(/parallelism 3)", R"(/completions 5)", R"(/suspend true)",
                           R"(/suspend false)", R"(/backoffLimit 2)", R"(/activeDeadlineSeconds 9)",
                           R"(/completionMode "Indexed")", R"(/ttlSecondsAfterFinished 5)",
                           R"(/selector {"matchLabels":{"x":"y"}})", R"(/manualSelector true)",
                           R"(/template/spec/tolerations [{"operator":"Exists"}])",
                           R"(/template/metadata/labels {"x":"y"})"})}
        ),
      .status =
          {R"(/status {"active":1,"startTime":"2024-01-01T00:00:00Z"})",
               R"(/status {"active":1,"ready":1})", R"(/status/active -1)", R"(/status/succeeded 1)",
               R"(/status {"startTime":"2024-01-01T00:00:00Z","conditions":[{"type":"Suspended","status":"True"}]})",
               R"(/status {"conditions":[{"type":"Complete","status":"True"}]})", R"(/status {"startTime":"2024-01-01T00:00:00Z","completionTime":"2024-01-02T00:00:00Z","succeeded":1,"conditions":[{"type":"SuccessCriteriaMet","status":"True"},{"type":"Complete","status":"True"}]})",
               R"(/status {"startTime":"2024-01-01T00:00:00Z","conditions":[{"type":"FailureTarget","status":"True"},{"type":"Failed","status":"True"}]})",
               R"(/status/completedIndexes "1-3")"},
  };
}

Subject cron_job_subject() {
  return {
      .sort = {"batch/v1", "CronJob", "cronjobs", true, kCronJob, {}, true},
      .good = joined(
          {good_template_edits("/spec/jobTemplate/spec/template"),
               under("/spec/jobTemplate/spec", job_good()),
               under("/spec", {R"(/schedule "@hourly")", R"(/schedule "0 9 * * MON-FRI")",
                           R"(/timeZone "Etc/UTC")", R"(/concurrencyPolicy "Forbid")",
                           R"(/startingDeadlineSeconds 30)", R"(/suspend true)",
                           R"(/successfulJobsHistoryLimit 0)", R"(/failedJobsHistoryLimit 9)",
                           R"(/jobTemplate/metadata {"labels":{"a":"b"}})",
                           R"(/schedule "@every 1h30m")"})}
        ),
      .bad = joined(
          {under("/spec/jobTemplate/spec/template/spec", bad_pod_edits()),
               under("/spec/jobTemplate/spec", job_bad()),
               under("/spec", {R"(/schedule "")", R"(/schedule "often")", R"(/schedule "* * * *")",
                           R"(/schedule "61 * * * *")", R"(/schedule "TZ=UTC 0 * * * *")",
                           R"(/timeZone "Nowhere/Land")", R"(/timeZone "")", R"(/timeZone "Local")",
                           R"(/concurrencyPolicy "Maybe")", R"(/startingDeadlineSeconds -1)",
                           R"(/successfulJobsHistoryLimit -1)", R"(- /jobTemplate)",
                           R"(/jobTemplate/spec/ttlSecondsAfterFinished -1)"}),
               {R"(/metadata/name "this-name-is-much-too-long-for-a-cron-job-since-52-are-the-most")"}}
        ),
      .changes = joined(
          {metadata_edits(),
               under("/spec", {R"(/schedule "1 * * * *")", R"(/schedule "x")", R"(/suspend true)",
                           R"(/timeZone "Europe/Berlin")", R"(/timeZone null)",
                           R"(/concurrencyPolicy "Replace")", R"(/jobTemplate/spec/parallelism 2)",
                           R"(/jobTemplate/spec/template/spec/containers/0/image "x:2")"})}
        ),
      .status = {R"(/status/lastScheduleTime "2024-01-01T00:00:00Z")",
               R"(/status/active [{"kind":"Job","name":"x","apiVersion":"batch/v1"}])", R"(/status/lastSuccessfulTime "soon")"},
  };
}

}  // namespace fixpoint::conformance
