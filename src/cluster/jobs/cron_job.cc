// SPDX-License-Identifier: Apache-2.0
#include "cluster/jobs/cron_job.h"

#include "base/rfc3339.h"
#include "cluster/jobs/job.h"
#include "cluster/jobs/names.h"
#include "cluster/jobs/schedule.h"
#include "json/draft.h"
#include "kube/go/text.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace fixpoint::cluster::jobs {
namespace {

using json::Draft;
using json::View;
using std::chrono::seconds;
using Type = Notice::Type;

constexpr std::string_view kScheduledAt = "batch.kubernetes.io/cronjob-scheduled-timestamp";
constexpr std::string_view kTooClose =
    "time difference between two schedules is less than 1 second";
// More missed times than this are worth a word.
constexpr std::int64_t kManyMissed = 100;
// As a real controller: a little after the time, never before it.
constexpr auto kAfterwards = std::chrono::milliseconds(100);

std::optional<Instant> time_of(std::string_view text) {
  const auto parsed = parse_rfc3339(text);
  return parsed ? std::optional{*parsed} : std::nullopt;
}

std::string job_name(View cron, Instant at) {
  const auto minutes = std::chrono::floor<std::chrono::minutes>(at).time_since_epoch().count();
  return fmt::format("{}-{}", kube::name_of(cron), minutes);
}

// RFC 3339 in the time of a place.
std::string local_time(Instant at, seconds offset) {
  if (offset == seconds(0)) return format_seconds(at);
  auto text = format_seconds(at + offset);
  text.pop_back();  // the Z
  const auto minutes = std::chrono::abs(offset) / std::chrono::minutes(1);
  return fmt::format("{}{}{:02}:{:02}", text, offset < seconds(0) ? '-' : '+', minutes / 60,
                     minutes % 60);
}

class CronPass {
 public:
  CronPass(const CronJobFacts& facts, Instant now)
      : facts_(facts), cron_(facts.cron->body), now_(now), status_(cron_.get("status")) {
    if (!status_.is_object()) status_ = Draft::object();
    for (const View active : cron_.get("status", "active").elements()) active_.emplace_back(active);
  }
  Decision decide();

 private:
  // Which of the past times counts.
  struct Due {
    Instant earliest;               // what they are counted from
    std::optional<Instant> recent;  // the last of them
    std::int64_t missed = 0;
  };

  void trim_history();
  void trim(std::vector<store::RecordRef> jobs, View limit);
  void look_at_jobs();
  void look_at_job(View job);
  void drop_missing();
  std::optional<Schedule> schedule();
  Result<Due> due(const Schedule& schedule, bool within_deadline) const;
  void start_when_due(const Schedule& schedule);
  bool start(Instant at);
  void look_again(const Schedule& schedule);
  void write_status();
  bool is_active_uid(std::string_view uid) const;
  bool drop_active(std::string_view uid);
  Effect deletion_of(View job) const;
  Draft new_job(Instant at) const;
  Notice notice(Type type, std::string reason, std::string message) const {
    return {
        .object = cron_, .type = type, .reason = std::move(reason), .message = std::move(message)};
  }
  void tell(Type type, std::string reason, std::string message) {
    decision_.notices.push_back(notice(type, std::move(reason), std::move(message)));
  }
  bool creation_was_refused() const {
    return facts_.refused && facts_.refused->request.verb == apiserver::Verb::Create;
  }

  const CronJobFacts& facts_;
  View cron_;
  Instant now_;
  Draft status_;
  std::vector<Draft> active_;
  Decision decision_;
};

Decision CronPass::decide() {
  trim_history();
  look_at_jobs();
  drop_missing();
  const auto going = schedule();
  if (going && !kube::being_deleted(cron_)) {
    start_when_due(*going);
  }
  write_status();
  decision_.memory = Draft::object({
                                       {"schedule", cron_.get("spec", "schedule")            },
                                       {"zone",     cron_.get("spec", "timeZone").as_string()}
  })
                         .freeze();
  return std::move(decision_);
}

bool CronPass::is_active_uid(std::string_view uid) const {
  return std::ranges::any_of(active_, [&](const Draft& each) {
    const Draft* given = each.find("uid");
    return given != nullptr && given->as_string() == uid;
  });
}

bool CronPass::drop_active(std::string_view uid) {
  return std::erase_if(active_, [&](const Draft& each) {
           const Draft* given = each.find("uid");
           return given != nullptr && given->as_string() == uid;
         }) > 0;
}

Effect CronPass::deletion_of(View job) const {
  return {.request = delete_request(kJobResource, job, std::nullopt, Propagation::Background),
          .done = notice(Type::Normal, "SuccessfulDelete",
                         fmt::format("Deleted job {}", kube::name_of(job))),
          .refused = notice(Type::Warning, "FailedDelete", "Deleted job: {}"),
          .tolerates = Effect::Tolerates::Absence};
}

void CronPass::trim_history() {
  std::vector<store::RecordRef> complete;
  std::vector<store::RecordRef> failed;
  for (const auto& job : facts_.jobs) {
    if (kube::condition_is_true(job->body, "Complete")) {
      complete.push_back(job);
    } else if (kube::condition_is_true(job->body, "Failed")) {
      failed.push_back(job);
    }
  }
  trim(std::move(complete), cron_.get("spec", "successfulJobsHistoryLimit"));
  trim(std::move(failed), cron_.get("spec", "failedJobsHistoryLimit"));
}

void CronPass::trim(std::vector<store::RecordRef> jobs, View limit) {
  if (limit.is_null()) return;
  std::ranges::sort(jobs, {}, [](const store::RecordRef& job) {
    const auto started = job->body.get("status", "startTime").as_string();
    return std::tuple{started.empty(), started, kube::name_of(job->body)};
  });
  for (std::int64_t i = 0; i < std::ssize(jobs) - limit.as_int(); ++i) {
    const View job = jobs[static_cast<std::size_t>(i)]->body;
    if (kube::being_deleted(job)) continue;
    decision_.requests.push_back(deletion_of(job));
    drop_active(kube::uid_of(job));
  }
}

void CronPass::look_at_jobs() {
  for (const auto& job : facts_.jobs) look_at_job(job->body);
}

void CronPass::look_at_job(View job) {
  const auto uid = kube::uid_of(job);
  const auto name = kube::name_of(job);
  const auto last = time_of(cron_.get("status", "lastScheduleTime").as_string());
  if (!is_over(job)) {
    if (is_active_uid(uid)) return;
    if (last && name == job_name(cron_, *last)) {
      active_.push_back(Draft::object({
          {"apiVersion",      job.get("apiVersion")         },
          {"kind",            job.get("kind")               },
          {"name",            name                          },
          {"namespace",       kube::namespace_of(job)       },
          {"uid",             uid                           },
          {"resourceVersion", kube::resource_version_of(job)}
      }));
      return;
    }
    return tell(Type::Warning, "UnexpectedJob",
                fmt::format("Saw a job that the controller did not create or forgot: {}", name));
  }
  const bool complete = kube::condition_is_true(job, "Complete");
  if (drop_active(uid)) {
    tell(Type::Normal, "SawCompletedJob",
         fmt::format("Saw completed job: {}, condition: {}", name,
                     complete ? "Complete" : "Failed"));
  }
  const auto completed = time_of(job.get("status", "completionTime").as_string());
  if (!complete || !completed) return;
  const Draft* known = status_.find("lastSuccessfulTime");
  const auto before = known == nullptr ? std::nullopt : time_of(known->as_string());
  if (!before || *completed > *before) {
    status_["lastSuccessfulTime"] = job.get("status", "completionTime");
  }
}

void CronPass::drop_missing() {
  for (const View active : cron_.get("status", "active").elements()) {
    const auto uid = active.get("uid").as_string();
    const auto name = active.get("name").as_string();
    const bool own = std::ranges::any_of(
        facts_.jobs, [&](const auto& job) { return kube::uid_of(job->body) == uid; });
    if (own || facts_.exists(name)) continue;
    if (drop_active(uid)) {
      tell(Type::Normal, "MissingJob", fmt::format("Active job went missing: {}", name));
    }
  }
}

// Nothing when there is none to go by; then it has been said why.
std::optional<Schedule> CronPass::schedule() {
  const View spec = cron_.get("spec");
  const auto named = spec.get("timeZone").as_string();
  auto zone = facts_.zones(named);
  if (!zone) {
    tell(Type::Warning, "UnknownTimeZone",
         fmt::format("invalid timeZone: {}: {}", kube::go_quoted(named), zone.error().message));
    return std::nullopt;
  }
  if (spec.get("suspend").as_bool()) return std::nullopt;
  const auto text = spec.get("schedule").as_string();
  if (text.find("TZ") != std::string_view::npos) {
    tell(Type::Warning, "UnsupportedSchedule",
         fmt::format("CRON_TZ or TZ used in schedule {} is not officially supported, see "
                     "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for "
                     "more details",
                     kube::go_quoted(text)));
  }
  auto times = kinds::schedule_times(text);
  if (times && !times->zone.empty()) zone = facts_.zones(times->zone);
  if (!times || !zone) {
    tell(Type::Warning, "UnparseableSchedule",
         fmt::format("unparseable schedule: {} : {}", kube::go_quoted(text),
                     kinds::schedule_problem(text).value_or("")));
    return std::nullopt;
  }
  return Schedule{*std::move(times), *std::move(zone)};
}

Result<CronPass::Due> CronPass::due(const Schedule& schedule, bool within_deadline) const {
  const auto last = status_.find("lastScheduleTime");
  Due found{.earliest =
                time_of(cron_.get("metadata", "creationTimestamp").as_string()).value_or(now_)};
  if (last != nullptr) {
    found.earliest = time_of(last->as_string()).value_or(found.earliest);
  }
  const View deadline = cron_.get("spec", "startingDeadlineSeconds");
  if (within_deadline && !deadline.is_null()) {
    found.earliest = std::max(found.earliest, now_ - seconds(deadline.as_int()));
  }
  const auto first = schedule.next(found.earliest);
  const auto second = first ? schedule.next(*first) : std::nullopt;
  if (!first || !second) return fail(ErrorKind::Invalid, std::string{kTooClose});
  if (now_ < *first) return found;
  found.recent = first;
  if (now_ < *second) return found;
  // Not every time since is gone through: the distance of two of them tells where to begin.
  const auto between = std::chrono::round<seconds>(*second - *first);
  if (between < seconds(1)) return fail(ErrorKind::Invalid, std::string{kTooClose});
  found.missed = std::chrono::floor<seconds>(now_ - *first) / between + 1;
  found.recent.reset();
  auto at = schedule.next(*first + (found.missed - 2) * between);
  for (; at && *at <= now_; at = schedule.next(*at)) found.recent = at;
  return found;
}

void CronPass::look_again(const Schedule& schedule) {
  const auto found = due(schedule, false);
  Instant from = now_;
  if (found && found->recent) from = *found->recent;
  if (found && !found->recent && found->missed == 0) from = found->earliest;
  const auto next = schedule.next(from);
  if (next) decision_.again = *next + kAfterwards;
}

void CronPass::start_when_due(const Schedule& schedule) {
  // Another schedule than before begins with its next time.
  const View before = facts_.memory;
  const bool changed =
      !before.is_null() &&
      (!(before.get("schedule") == cron_.get("spec", "schedule")) ||
       before.get("zone").as_string() != cron_.get("spec", "timeZone").as_string());
  if (changed) return look_again(schedule);
  const auto found = due(schedule, true);
  if (!found) {
    return tell(Type::Warning, "InvalidSchedule",
                fmt::format("invalid schedule: {} : {}", cron_.get("spec", "schedule").as_string(),
                            found.error().message));
  }
  if (found->recent) {
    if (found->missed > kManyMissed) {
      tell(Type::Warning, "TooManyMissedTimes",
           "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check "
           "clock skew");
    }
    if (!start(*found->recent)) return;
  }
  look_again(schedule);
}

// False when the pass cannot go on from here.
bool CronPass::start(Instant at) {
  const View deadline = cron_.get("spec", "startingDeadlineSeconds");
  if (!deadline.is_null() && at + seconds(deadline.as_int()) < now_) {
    tell(Type::Warning, "MissSchedule",
         fmt::format("Missed scheduled time to start a job: {:%a, %d %b %Y %H:%M:%S} +0000",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(
                         std::chrono::floor<std::chrono::system_clock::duration>(at)))));
    return true;
  }
  const auto name = job_name(cron_, at);
  const Draft* last = status_.find("lastScheduleTime");
  const bool processed = last != nullptr && time_of(last->as_string()) == at;
  const bool listed = std::ranges::any_of(active_, [&](const Draft& each) {
    const Draft* given = each.find("name");
    return given != nullptr && given->as_string() == name;
  });
  if (processed || listed) return true;
  const auto policy = cron_.get("spec", "concurrencyPolicy").as_string();
  if (policy == "Forbid" && !active_.empty()) {
    tell(Type::Normal, "JobAlreadyActive",
         "Not starting job because prior execution is running and concurrency policy is Forbid");
    return true;
  }
  // One of this name was made by a pass that got no further, or is another's.
  const bool there = std::ranges::any_of(
      facts_.jobs, [&](const auto& job) { return kube::name_of(job->body) == name; });
  if (!there && facts_.exists(name)) return true;
  if (!there && creation_was_refused()) return false;
  if (policy == "Replace") {
    for (const auto& job : facts_.jobs) {
      if (!is_active_uid(kube::uid_of(job->body))) continue;
      decision_.requests.push_back(deletion_of(job->body));
      drop_active(kube::uid_of(job->body));
    }
  }
  if (!there) {
    const json::Value job = new_job(at).freeze();
    decision_.requests.push_back(
        {.request = create_request(kJobResource, job),
         .done = notice(Type::Normal, "SuccessfulCreate", "Created job {}"),
         .refused = notice(Type::Warning, "FailedCreate", "Error creating job: {}")});
  }
  status_["lastScheduleTime"] = format_seconds(at);
  return true;
}

Draft CronPass::new_job(Instant at) const {
  const View job_template = cron_.get("spec", "jobTemplate");
  Draft annotations{job_template.get("metadata", "annotations")};
  if (!annotations.is_object()) annotations = Draft::object();
  const auto zone = facts_.zones(cron_.get("spec", "timeZone").as_string());
  annotations[kScheduledAt] = local_time(at, zone ? zone->offset_at(at) : seconds(0));
  auto metadata = Draft::object({
      {"name", job_name(cron_, at)},
      {"namespace", kube::namespace_of(cron_)},
      {"annotations", std::move(annotations)},
      {"ownerReferences", Draft::array({kube::controller_reference(cron_).to_json()})}
  });
  const View labels = job_template.get("metadata", "labels");
  if (!labels.empty()) metadata["labels"] = labels;
  return Draft::object({
      {"apiVersion", "batch/v1"              },
      {"kind",       "Job"                   },
      {"metadata",   std::move(metadata)     },
      {"spec",       job_template.get("spec")}
  });
}

void CronPass::write_status() {
  status_.erase("active");
  for (Draft& each : active_) status_.array_at("active").push_back(std::move(each));
  const json::Value made = status_.freeze();
  if (made == cron_.get("status")) return;
  Draft cron{cron_};
  cron["status"] = made;
  const json::Value body = cron.freeze();
  decision_.requests.push_back({.request = update_request(kCronJobResource, body, "status")});
}

}  // namespace

Decision decide(const CronJobFacts& facts, Instant now) {
  return CronPass{facts, now}.decide();
}

CronJobController::CronJobController(ZoneSource zones)
    : KeyedController({
          .name = "cronjob-controller",
          .prefix = kCronJobPrefix,
          .kind = {"batch", "CronJob"},
          .children = {kJobPrefix},
          .adopts = {},
          .follows = {}
}),
      zones_(std::move(zones)) {}

Decision CronJobController::pass(const Reader& reader, const Subject& subject, Instant now) const {
  if (!subject.record) return {};
  const View cron = subject.record->body;
  CronJobFacts facts{
      .cron = subject.record,
      .jobs = reader.controlled(kube::uid_of(cron), kJobPrefix),
      .exists =
          [&](std::string_view name) {
            return static_cast<bool>(reader.find(kJobPrefix, subject.parts.ns, name));
          },
      .zones = zones_,
      .refused = subject.refused,
      .memory = subject.memory};
  return decide(facts, now);
}

}  // namespace fixpoint::cluster::jobs
