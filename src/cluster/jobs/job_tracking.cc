// SPDX-License-Identifier: Apache-2.0
//
// Counting pods exactly once, and the end of a Job.
#include "base/rfc3339.h"
#include "cluster/jobs/job_pass.h"
#include "cluster/jobs/names.h"
#include "cluster/jobs/policies.h"
#include "cluster/workloads/pod_state.h"
#include "cluster/workloads/pod_template.h"
#include "cluster/workloads/status_counts.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::cluster::jobs {
namespace {

using json::Draft;
using json::View;

// As a real controller: keeps a status below 20 KB and a pass short.
constexpr std::size_t kUncountedMax = 500;

std::size_t size_of(const Draft& uncounted, std::string_view field) {
  const Draft* list = uncounted.find(field);
  return list == nullptr ? 0 : list->size();
}

}  // namespace

Effect untrack(View pod) {
  const auto patch =
      Draft::object({
                        {"metadata", Draft::object({{"$deleteFromPrimitiveList/finalizers",
                                                     Draft::array({Draft{kTrackingFinalizer}})}})}
  })
          .freeze();
  return {.request = patch_request(kPodResource, pod, patch),
          .tolerates = Effect::Tolerates::Absence};
}

void JobPass::track() {
  status_.object_at("uncountedTerminatedPods");
  count_untracked();
  if (indexed()) {
    std::ranges::stable_sort(pods_, {}, [](const store::RecordRef& pod) {
      return completion_index(pod->body).value_or(-1);
    });
  }
  std::size_t noted = 0;
  for (const auto& record : pods_) {
    const View pod = record->body;
    if (!tracked(pod)) continue;
    const bool failed = pod_failed(job_, pod);
    if (!may_be_untracked(pod, failed)) continue;
    if (noted++ == kUncountedMax) {
      more_to_untrack_ = true;
      break;
    }
    to_untrack_.push_back(record);
    note_end_of(pod, failed);
  }
  if (indexed()) write_indexes();
  if (end_) write_end();
  write_status();
  for (const auto& pod : to_untrack_) decision_.requests.push_back(untrack(pod->body));
}

// What has no finalizer any more, or is gone, becomes a number.
void JobPass::count_untracked() {
  std::set<std::string_view> still;
  for (const auto& pod : pods_) {
    if (tracked(pod->body)) still.insert(kube::uid_of(pod->body));
  }
  Draft& uncounted = status_.object_at("uncountedTerminatedPods");
  for (const std::string_view field : {"succeeded", "failed"}) {
    Draft* list = uncounted.find(field);
    if (list == nullptr || !list->is_array()) continue;
    const auto counted = std::erase_if(
        list->elements(), [&](const Draft& uid) { return !still.contains(uid.as_string()); });
    set_count(status_, field, count_of(status_, field) + static_cast<std::int64_t>(counted));
    if (list->empty()) uncounted.erase(field);
  }
}

bool JobPass::may_be_untracked(View pod, bool failed) const {
  if (kube::being_deleted(job_) || end_ || phase_of(pod) == "Succeeded") return true;
  if (!failed) return false;
  const auto index = completion_index(pod);
  if (!per_index() || !index) return true;
  const auto kept = predecessors_.find(*index);
  return kept == predecessors_.end() || kube::uid_of(kept->second->body) != kube::uid_of(pod);
}

void JobPass::note_end_of(View pod, bool failed) {
  const auto uid = kube::uid_of(pod);
  Draft& uncounted = status_.object_at("uncountedTerminatedPods");
  if (phase_of(pod) == "Succeeded" && !uncounted_failed_.contains(uid)) {
    // An index is its own record of having succeeded.
    if (!indexed() && !uncounted_succeeded_.contains(uid)) {
      uncounted.array_at("succeeded").push_back(Draft{uid});
    }
    return;
  }
  // When a Job fails, whoever still worked failed with it.
  if (!failed && (!end_ || end_->type == "SuccessCriteriaMet")) return;
  if (uncounted_failed_.contains(uid) || !valid_index(pod)) return;
  if (judge_failure(job_, pod).counts()) uncounted.array_at("failed").push_back(Draft{uid});
}

void JobPass::write_indexes() {
  set_count(status_, "succeeded", completed_.total());
  if (completed_.empty()) {
    status_.erase("completedIndexes");
  } else {
    status_["completedIndexes"] = completed_.to_string();
  }
  if (failed_indexes_) {
    status_["failedIndexes"] = failed_indexes_->to_string();
  } else {
    status_.erase("failedIndexes");
  }
}

// First what is to come; the end itself once every pod is counted and none is left.
void JobPass::write_end() {
  set_condition("True", *end_);
  const Draft* uncounted = status_.find("uncountedTerminatedPods");
  const bool counted = size_of(*uncounted, "succeeded") + size_of(*uncounted, "failed") == 0;
  if (!counted || !to_untrack_.empty() || more_to_untrack_ || terminating_ > 0) return;
  const bool complete = end_->type == "SuccessCriteriaMet";
  set_condition("True", {complete ? "Complete" : "Failed", end_->reason, end_->message});
  if (!complete) {
    decision_.notices.push_back({.object = job_,
                                 .type = Notice::Type::Warning,
                                 .reason = end_->reason,
                                 .message = end_->message});
    return;
  }
  status_["completionTime"] = format_seconds(now_);
  const View wanted = job_.get("spec", "completions");
  if (!wanted.is_null() && count_of(status_, "succeeded") > wanted.as_int()) {
    decision_.notices.push_back(
        {.object = job_,
         .type = Notice::Type::Warning,
         .reason = "TooManySucceededPods",
         .message = "Too many succeeded pods running after completion count reached"});
  }
  decision_.notices.push_back({.object = job_, .reason = "Completed", .message = "Job completed"});
}

void JobPass::write_status() {
  set_count(status_, "active", active_count_);
  status_["ready"] = ready_;
  status_["terminating"] = terminating_;
  const json::Value made = status_.freeze();
  if (made == job_.get("status")) return;
  Draft job{job_};
  job["status"] = made;
  const json::Value body = job.freeze();
  decision_.requests.push_back({.request = update_request(kJobResource, body, "status")});
}

}  // namespace fixpoint::cluster::jobs
