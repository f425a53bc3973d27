// SPDX-License-Identifier: Apache-2.0
#include "cluster/jobs/job.h"

#include "base/rfc3339.h"
#include "cluster/jobs/job_pass.h"
#include "cluster/jobs/names.h"
#include "cluster/jobs/policies.h"
#include "cluster/workloads/claim.h"
#include "cluster/workloads/pod_state.h"
#include "cluster/workloads/pod_template.h"
#include "json/strings.h"
#include "kube/meta/metadata.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace fixpoint::cluster::jobs {
namespace {

using json::Draft;
using json::View;

bool managed_by_others(View job) {
  return job.get("spec", "managedBy").as_string(kJobManager) != kJobManager;
}

std::set<std::string, std::less<>> set_of(View list) {
  const auto all = json::strings_of(list);
  return {all.begin(), all.end()};
}

Effect track_adopted(View pod) {
  const auto patch =
      Draft::object({
                        {"metadata", Draft::object({{"finalizers",
                                                     Draft::array({Draft{kTrackingFinalizer}})}})}
  })
          .freeze();
  return {.request = patch_request(kPodResource, pod, patch),
          .tolerates = Effect::Tolerates::Absence};
}

// Where containers are restarted in place, their restarts are failures too.
bool restarted_too_often(View job, const std::vector<store::RecordRef>& pods) {
  if (job.get("spec", "template", "spec", "restartPolicy").as_string() != "OnFailure") return false;
  std::int64_t restarts = 0;
  for (const auto& pod : pods) {
    const auto phase = phase_of(pod->body);
    if (phase != "Running" && phase != "Pending") continue;
    for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
      for (const View status : pod->body.get("status", list).elements()) {
        restarts += status.get("restartCount").as_int();
      }
    }
  }
  const auto limit = job.get("spec", "backoffLimit").as_int();
  return limit == 0 ? restarts > 0 : restarts >= limit;
}

}  // namespace

bool is_over(View job) {
  return kube::condition_is_true(job, "Complete") || kube::condition_is_true(job, "Failed");
}

JobPass::JobPass(const JobFacts& facts, Instant now)
    : facts_(facts), job_(facts.job->body), now_(now), status_(job_.get("status")) {
  if (!status_.is_object()) status_ = Draft::object();
}

bool JobPass::indexed() const {
  return job_.get("spec", "completionMode").as_string() == "Indexed";
}

bool JobPass::valid_index(View pod) const {
  if (!indexed()) return true;
  const auto index = completion_index(pod);
  return index && *index < completions();
}

// A pod that is being adopted is tracked by the time this pass is over.
bool JobPass::tracked(View pod) const {
  return kube::has_finalizer(pod, kTrackingFinalizer) || !kube::owned_by(pod, kube::uid_of(job_));
}

bool JobPass::creation_was_refused() const {
  return facts_.refused && facts_.refused->request.resource == kPodResource &&
         facts_.refused->request.verb == apiserver::Verb::Create;
}

void JobPass::look_again(Instant at) {
  decision_.again = decision_.again ? std::min(*decision_.again, at) : at;
}

Draft* JobPass::condition(std::string_view type) {
  Draft* all = status_.find("conditions");
  if (all == nullptr || !all->is_array()) return nullptr;
  const auto found = std::ranges::find_if(all->elements(), [&](const Draft& each) {
    const Draft* given = each.find("type");
    return given != nullptr && given->as_string() == type;
  });
  return found == all->elements().end() ? nullptr : &*found;
}

bool JobPass::set_condition(std::string_view status, const End& wanted) {
  const auto time = format_seconds(now_);
  auto made = Draft::object({
      {"type",               wanted.type   },
      {"status",             status        },
      {"reason",             wanted.reason },
      {"message",            wanted.message},
      {"lastProbeTime",      time          },
      {"lastTransitionTime", time          }
  });
  Draft* known = condition(wanted.type);
  if (known == nullptr) {
    if (status == "False") return false;
    status_.array_at("conditions").push_back(std::move(made));
    return true;
  }
  const auto same = [&](std::string_view field) {
    const Draft* given = known->find(field);
    return given != nullptr && given->as_string() == made.find(field)->as_string();
  };
  if (same("status") && same("reason") && same("message")) return false;
  *known = std::move(made);
  return true;
}

Decision JobPass::decide() {
  if (managed_by_others(job_) || is_over(job_)) return {};
  take_pods();
  count();
  if (status_.find("startTime") == nullptr && !suspended()) {
    status_["startTime"] = format_seconds(now_);
  }
  end_ = end_so_far();
  if (!end_) end_ = end_by_failure();
  if (indexed()) {
    auto by_indexes = end_by_indexes();
    if (!end_) end_ = std::move(by_indexes);
  }
  if (end_) {
    end_pods();
  } else {
    go_on();
  }
  track();
  decision_.memory = backoff_.to_json();
  return std::move(decision_);
}

void JobPass::take_pods() {
  const auto selector = kube::LabelSelector::from_object(job_.get("spec", "selector"));
  auto claimed = claim(job_, kPodResource, facts_.pods, [&](View pod) {
    return selector && selector->matches(kube::labels_of(pod));
  });
  decision_.requests = std::move(claimed.effects);
  pods_ = std::move(claimed.children);
  for (const auto& pod : pods_) {
    if (!kube::has_finalizer(pod->body, kTrackingFinalizer) && tracked(pod->body)) {
      decision_.requests.push_back(track_adopted(pod->body));
    }
  }
}

void JobPass::count() {
  Pods succeeded;
  Pods failed;
  std::int64_t ignored = 0;
  uncounted_succeeded_ = set_of(job_.get("status", "uncountedTerminatedPods", "succeeded"));
  uncounted_failed_ = set_of(job_.get("status", "uncountedTerminatedPods", "failed"));
  for (const auto& record : pods_) {
    const View pod = record->body;
    if (is_active(pod)) {
      active_.push_back(record);
      if (is_ready(pod)) ++ready_;
    } else if (!is_finished(pod)) {
      ++terminating_;
    }
    if (!tracked(pod) || !valid_index(pod)) continue;
    const auto uid = kube::uid_of(pod);
    if (phase_of(pod) == "Succeeded" && !uncounted_succeeded_.contains(uid)) {
      succeeded.push_back(record);
    }
    if (pod_failed(job_, pod) && !uncounted_failed_.contains(uid)) {
      failed.push_back(record);
      if (!judge_failure(job_, pod).counts()) ++ignored;
    }
  }
  active_count_ = std::ssize(active_);
  const View status = job_.get("status");
  succeeded_ =
      status.get("succeeded").as_int() + std::ssize(succeeded) + std::ssize(uncounted_succeeded_);
  failed_ =
      status.get("failed").as_int() + std::ssize(failed) - ignored + std::ssize(uncounted_failed_);
  backoff_ = facts_.backoff.after(succeeded, failed);
}

// What earlier passes found out holds.
std::optional<JobPass::End> JobPass::end_so_far() const {
  for (const std::string_view type : {"SuccessCriteriaMet", "FailureTarget"}) {
    const View known = kube::condition_of(job_, type);
    if (known.get("status").as_string() != "True") continue;
    return End{.type = std::string{type},
               .reason = std::string{known.get("reason").as_string()},
               .message = std::string{known.get("message").as_string()}};
  }
  return std::nullopt;
}

std::optional<JobPass::End> JobPass::end_by_failure() {
  for (const auto& pod : pods_) {
    if (!pod_failed(job_, pod->body)) continue;
    auto verdict = judge_failure(job_, pod->body);
    if (verdict.action != FailureVerdict::Action::FailJob) continue;
    return End{"FailureTarget", "PodFailurePolicy", std::move(verdict.message)};
  }
  if (failed_ > job_.get("spec", "backoffLimit").as_int() || restarted_too_often(job_, pods_)) {
    return End{"FailureTarget", "BackoffLimitExceeded",
               "Job has reached the specified backoff limit"};
  }
  const View deadline = job_.get("spec", "activeDeadlineSeconds");
  if (deadline.is_null() || suspended()) return std::nullopt;
  const auto started = parse_rfc3339(status_.find("startTime")->as_string());
  const Instant at = started.value_or(now_) + std::chrono::seconds(deadline.as_int());
  if (at <= now_) {
    return End{"FailureTarget", "DeadlineExceeded",
               "Job was active longer than specified deadline"};
  }
  look_again(at);
  return std::nullopt;
}

// Also finds out which indexes are done with, whatever ends the Job.
std::optional<JobPass::End> JobPass::end_by_indexes() {
  std::set<std::int64_t> succeeded;
  std::set<std::int64_t> failed;
  for (const auto& record : pods_) {
    const View pod = record->body;
    if (!tracked(pod) || !valid_index(pod)) continue;
    const auto index = *completion_index(pod);
    if (phase_of(pod) == "Succeeded") succeeded.insert(index);
    if (!per_index() || !pod_failed(job_, pod)) continue;
    const auto verdict = judge_failure(job_, pod);
    const auto limit = job_.get("spec", "backoffLimitPerIndex").as_int();
    if (verdict.action == FailureVerdict::Action::FailIndex ||
        (verdict.counts() && counted_failures_before(pod) >= limit)) {
      failed.insert(index);
    }
  }
  const View status = job_.get("status");
  completed_before_ = Indexes::parse(status.get("completedIndexes").as_string(), completions());
  completed_ = completed_before_.merged(Indexes{succeeded});
  succeeded_ = completed_.total();
  std::optional<End> end;
  if (per_index()) {
    failed_indexes_ = Indexes::parse(status.get("failedIndexes").as_string(), completions())
                          .merged(Indexes{failed});
    find_predecessors();
    const auto total = failed_indexes_->total();
    const View limit = job_.get("spec", "maxFailedIndexes");
    if (!limit.is_null() && total > limit.as_int()) {
      end = End{"FailureTarget", "MaxFailedIndexesExceeded",
                "Job has exceeded the specified maximal number of failed indexes"};
    } else if (total > 0 && total + completed_.total() >= completions()) {
      end = End{"FailureTarget", "FailedIndexes", "Job has failed indexes"};
    }
  }
  if (end) return end;
  if (auto message = success_by_policy(job_, completed_)) {
    return End{"SuccessCriteriaMet", "SuccessPolicy", std::move(*message)};
  }
  return std::nullopt;
}

// The failed pod of an index that has no other is kept until its replacement carries its count on.
void JobPass::find_predecessors() {
  std::set<std::int64_t> busy;
  for (const auto& pod : active_) {
    if (const auto index = completion_index(pod->body)) busy.insert(*index);
  }
  for (const auto& record : pods_) {
    const View pod = record->body;
    if (!tracked(pod) || !valid_index(pod) || !pod_failed(job_, pod)) continue;
    const auto index = *completion_index(pod);
    if (completed_.has(index) || failed_indexes_->has(index) || busy.contains(index)) continue;
    auto& last = predecessors_[index];
    const bool later = !last || (failures_before(last->body) <= failures_before(pod) &&
                                 finished_at(pod) >= finished_at(last->body));
    if (later) last = record;
  }
}

// They keep their finalizer until the status says what became of them.
void JobPass::end_pods() {
  for (const auto& pod : active_) decision_.requests.push_back(delete_pod(job_, pod->body));
  terminating_ += active_count_;
  active_count_ = 0;
  ready_ = 0;
}

void JobPass::go_on() {
  const bool manages = !kube::being_deleted(job_);
  if (manages) manage();
  const View wanted = job_.get("spec", "completions");
  const bool enough = wanted.is_null() ? succeeded_ > 0 : succeeded_ >= wanted.as_int();
  if (enough && active_count_ == 0) {
    end_ = End{"SuccessCriteriaMet", "CompletionsReached",
               "Reached expected number of succeeded pods"};
  } else if (manages) {
    note_suspension();
  }
}

void JobPass::note_suspension() {
  if (suspended()) {
    if (set_condition("True", {"Suspended", "JobSuspended", "Job suspended"})) {
      decision_.notices.push_back(
          {.object = job_, .reason = "Suspended", .message = "Job suspended"});
    }
  } else if (set_condition("False", {"Suspended", "JobResumed", "Job resumed"})) {
    decision_.notices.push_back({.object = job_, .reason = "Resumed", .message = "Job resumed"});
    // Deadlines count from here.
    status_["startTime"] = format_seconds(now_);
  }
}

Decision decide(const JobFacts& facts, Instant now) {
  return JobPass{facts, now}.decide();
}

// The pod of a Job that is at work is that Job's business.
Decision decide(const StrayFacts& facts) {
  const View pod = facts.pod->body;
  if (!kube::has_finalizer(pod, kTrackingFinalizer)) return {};
  if (const auto owner = kube::controller_of(pod)) {
    if (owner->kind != "Job" || owner->api_version != "batch/v1") return {};
    const bool there = facts.job && kube::uid_of(facts.job->body) == owner->uid;
    if (there && (managed_by_others(facts.job->body) || !is_over(facts.job->body))) return {};
  }
  Decision decision;
  decision.requests.push_back(untrack(pod));
  return decision;
}

JobController::JobController()
    : KeyedController({
          .name = "job-controller",
          .prefix = kJobPrefix,
          .kind = {"batch", "Job"},
          .children = {kPodPrefix},
          .adopts = {kPodPrefix},
          .follows = {kPodPrefix, kJobPrefix}
}) {}

namespace {

StrayFacts stray_facts(const Reader& reader, const store::RecordRef& pod) {
  const auto owner = kube::controller_of(pod->body);
  return {.pod = pod,
          .job = owner ? reader.find(kJobPrefix, kube::namespace_of(pod->body), owner->name)
                       : store::RecordRef{}};
}

void add_stray(const Reader& reader, const store::RecordRef& pod, KeyQueue& keys) {
  if (!kube::has_finalizer(pod->body, kTrackingFinalizer)) return;
  if (!decide(stray_facts(reader, pod)).requests.empty()) keys.add(pod->key);
}

}  // namespace

void JobController::begin_with(const Reader& reader, KeyQueue& keys) const {
  reader.snapshot().scan(kPodPrefix, {}, [&](const store::RecordRef& pod) {
    add_stray(reader, pod, keys);
    return true;
  });
}

// Strays: pods that are let go, and those of Jobs that are gone or over.
void JobController::map(const store::Event& event, const Reader& reader, KeyQueue& keys) const {
  if (split_key(event.key()).prefix == kPodPrefix) {
    if (event.after) add_stray(reader, event.after, keys);
    return;
  }
  const auto& job = event.after ? event.after : event.before;
  if (event.after && !is_over(job->body)) return;
  for (const auto& pod : reader.controlled(kube::uid_of(job->body), kPodPrefix)) {
    add_stray(reader, pod, keys);
  }
}

Decision JobController::pass(const Reader& reader, const Subject& subject, Instant now) const {
  if (!subject.record) return {};
  if (subject.parts.prefix == kPodPrefix) return decide(stray_facts(reader, subject.record));
  JobFacts facts{.job = subject.record,
                 .pods = reader.controlled(kube::uid_of(subject.record->body), kPodPrefix),
                 .refused = subject.refused,
                 .backoff = Backoff::from(subject.memory)};
  std::ranges::copy(reader.orphans(kPodPrefix, subject.parts.ns), std::back_inserter(facts.pods));
  return decide(facts, now);
}

}  // namespace fixpoint::cluster::jobs
