// SPDX-License-Identifier: Apache-2.0
//
// The pods of a Job: how many, for which indexes, and what they look like.
#include "cluster/jobs/job_pass.h"
#include "cluster/jobs/names.h"
#include "cluster/jobs/policies.h"
#include "cluster/workloads/pod_ranking.h"
#include "cluster/workloads/pod_state.h"
#include "cluster/workloads/pod_template.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <climits>

#include <fmt/format.h>

namespace fixpoint::cluster::jobs {
namespace {

using json::Draft;
using json::View;

// A pass makes or deletes no more pods than this, as a real controller.
constexpr std::int64_t kPodsPerPass = 500;
// What a server leaves of a generateName.
constexpr std::size_t kStemMax = 58;

std::int64_t annotated_number(View pod, std::string_view annotation) {
  const auto number = whole_number(kube::annotation_of(pod, annotation));
  return number && *number <= INT_MAX ? *number : 0;
}

void add_index_variable(Draft& containers) {
  for (Draft& container : containers.elements()) {
    Draft& variables = container.array_at("env");
    const bool known = std::ranges::any_of(variables.elements(), [](const Draft& variable) {
      const Draft* name = variable.find("name");
      return name != nullptr && name->as_string() == "JOB_COMPLETION_INDEX";
    });
    if (known) continue;
    auto field = Draft::object({
        {"fieldPath", fmt::format("metadata.labels['{}']", kIndexName)}
    });
    variables.push_back(Draft::object({
        {"name",      "JOB_COMPLETION_INDEX"                         },
        {"valueFrom", Draft::object({{"fieldRef", std::move(field)}})}
    }));
  }
}

std::string stem_of(View job, std::int64_t index) {
  const auto tail = fmt::format("-{}-", index);
  std::string stem{kube::name_of(job)};
  if (stem.size() + tail.size() > kStemMax) stem.resize(kStemMax - tail.size());
  return stem + tail;
}

void add_failures(Draft& annotations, View job, View predecessor) {
  auto counted = counted_failures_before(predecessor);
  auto ignored = annotated_number(predecessor, kIndexIgnoredFailures);
  if (!predecessor.is_null()) ++(judge_failure(job, predecessor).counts() ? counted : ignored);
  annotations[kIndexFailures] = std::to_string(counted);
  if (ignored > 0) annotations[kIndexIgnoredFailures] = std::to_string(ignored);
}

std::set<std::int64_t> indexes_of(const std::vector<store::RecordRef>& pods, auto&& which) {
  std::set<std::int64_t> found;
  for (const auto& pod : pods) {
    const auto index = completion_index(pod->body);
    if (index && which(pod->body)) found.insert(*index);
  }
  return found;
}

bool any_pod(View) {
  return true;
}

}  // namespace

std::int64_t counted_failures_before(View pod) {
  return annotated_number(pod, kIndexFailures);
}

std::int64_t failures_before(View pod) {
  return counted_failures_before(pod) + annotated_number(pod, kIndexIgnoredFailures);
}

json::Value new_pod(View job, std::optional<std::int64_t> index, View predecessor) {
  Draft pod = pod_from_template(job, job.get("spec", "template"));
  Draft& metadata = pod.object_at("metadata");
  Draft& finalizers = metadata.array_at("finalizers");
  const bool known = std::ranges::any_of(finalizers.elements(), [](const Draft& finalizer) {
    return finalizer.as_string() == kTrackingFinalizer;
  });
  if (!known) finalizers.push_back(Draft{kTrackingFinalizer});
  if (!index) return pod.freeze();
  const auto text = std::to_string(*index);
  metadata["generateName"] = stem_of(job, *index);
  metadata.object_at("labels")[kIndexName] = text;
  Draft& annotations = metadata.object_at("annotations");
  annotations[kIndexName] = text;
  if (!job.get("spec", "backoffLimitPerIndex").is_null()) {
    add_failures(annotations, job, predecessor);
  }
  Draft& spec = pod.object_at("spec");
  spec["hostname"] = fmt::format("{}-{}", kube::name_of(job), *index);
  for (const std::string_view list : {"initContainers", "containers"}) {
    if (Draft* containers = spec.find(list)) add_index_variable(*containers);
  }
  return pod.freeze();
}

void JobPass::manage() {
  if (suspended()) return remove(surplus(active_count_));
  const View wanted = job_.get("spec", "completions");
  const auto parallelism = job_.get("spec", "parallelism").as_int();
  // Without a number of completions one success is enough: whoever works is left to finish.
  auto target = succeeded_ > 0 ? active_count_ : parallelism;
  if (!wanted.is_null()) {
    target = std::clamp<std::int64_t>(wanted.as_int() - succeeded_, 0, parallelism);
  }
  const auto too_many = surplus(std::max<std::int64_t>(0, active_count_ - target));
  if (!too_many.empty()) return remove(too_many);
  const auto leaving = only_replaces_failed(job_) ? terminating_ : 0;
  const auto missing = target - leaving - active_count_;
  if (missing > 0 && !creation_was_refused()) create(missing);
}

// A pod that is not to be counted loses its finalizer first.
void JobPass::remove(const Pods& pods) {
  const auto count = suspended() ? std::ssize(pods) : std::min(std::ssize(pods), kPodsPerPass);
  for (std::int64_t i = 0; i < count; ++i) {
    const View pod = pods[static_cast<std::size_t>(i)]->body;
    if (kube::has_finalizer(pod, kTrackingFinalizer)) decision_.requests.push_back(untrack(pod));
    decision_.requests.push_back(delete_pod(job_, pod));
    if (kube::condition_is_true(pod, "Ready")) --ready_;
  }
  active_count_ -= count;
  terminating_ += count;
}

// Pods of no index or of one that others work on go in any case.
JobPass::Pods JobPass::surplus(std::int64_t at_least) const {
  Pods gone;
  Pods left;
  if (!indexed()) {
    left = active_;
  } else {
    std::map<std::int64_t, Pods> by_index;
    for (const auto& pod : active_) {
      if (valid_index(pod->body)) {
        by_index[*completion_index(pod->body)].push_back(pod);
      } else {
        gone.push_back(pod);
      }
    }
    for (auto& [index, pods] : by_index) {
      const auto doubles = first_to_delete(pods, {}, pods.size() - 1, now_);
      gone.insert(gone.end(), doubles.begin(), doubles.end());
      std::ranges::copy_if(pods, std::back_inserter(left), [&](const auto& pod) {
        return std::ranges::find(doubles, pod) == doubles.end();
      });
    }
  }
  const auto more = at_least - std::ssize(gone);
  if (more > 0) {
    const auto first = first_to_delete(left, {}, static_cast<std::size_t>(more), now_);
    gone.insert(gone.end(), first.begin(), first.end());
  }
  return gone;
}

void JobPass::create(std::int64_t count) {
  const auto wait = per_index() ? std::nullopt : backoff_.until();
  if (wait && *wait > now_) {
    look_again(*wait);
    active_count_ = 0;  // as a real controller says while it waits
    return;
  }
  count = std::min(count, kPodsPerPass);
  if (!indexed()) {
    const json::Value pod = new_pod(job_, std::nullopt, {});
    const auto body = json::to_text(pod);
    for (std::int64_t i = 0; i < count; ++i) decision_.requests.push_back(create_pod(job_, body));
    active_count_ += count;
    return;
  }
  const auto indexes = indexes_to_fill(count);
  if (indexes.empty() && decision_.again) active_count_ = 0;
  for (const auto index : indexes) {
    const auto before = predecessors_.find(index);
    const json::Value pod =
        new_pod(job_, index, before == predecessors_.end() ? View{} : before->second->body.view());
    decision_.requests.push_back(create_pod(job_, json::to_text(pod)));
    ++active_count_;
  }
}

std::vector<std::int64_t> JobPass::indexes_to_fill(std::int64_t count) {
  Indexes taken = completed_.merged(Indexes{indexes_of(active_, any_pod)});
  if (only_replaces_failed(job_)) {
    taken = taken.merged(Indexes{
        indexes_of(pods_, [](View pod) { return kube::being_deleted(pod) && !is_finished(pod); })});
  }
  if (failed_indexes_) taken = taken.merged(*failed_indexes_);
  std::vector<std::int64_t> now;
  std::optional<Instant> later;
  for (const auto index : taken.missing(completions(), count)) {
    const auto before = predecessors_.find(index);
    if (before == predecessors_.end()) {
      now.push_back(index);
      continue;
    }
    const View pod = before->second->body;
    const auto at = not_before(failures_before(pod) + 1, finished_at(pod));
    if (at <= now_) {
      now.push_back(index);
    } else {
      later = later ? std::min(*later, at) : at;
    }
  }
  if (now.empty() && later) look_again(*later);
  return now;
}

}  // namespace fixpoint::cluster::jobs
