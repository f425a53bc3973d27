// SPDX-License-Identifier: Apache-2.0
#include "cluster/jobs/backoff.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <string_view>

namespace fixpoint::cluster::jobs {
namespace {

using json::View;

std::optional<Instant> time_in(View text) {
  const auto parsed = parse_rfc3339(text.as_string());
  return parsed ? std::optional{*parsed} : std::nullopt;
}

bool is_sidecar(View pod, View status) {
  return std::ranges::any_of(pod.get("spec", "initContainers").elements(), [&](View container) {
    return container.get("name") == status.get("name") &&
           container.get("restartPolicy").as_string() == "Always";
  });
}

// Of the last container to end, sidecars too; nothing while one has not.
std::optional<Instant> containers_ended(View pod) {
  std::optional<Instant> last;
  for (const View status : pod.get("status", "containerStatuses").elements()) {
    const auto at = time_in(status.get("state", "terminated", "finishedAt"));
    if (!at) return std::nullopt;
    last = std::max(last, at);
  }
  for (const View status : pod.get("status", "initContainerStatuses").elements()) {
    if (!is_sidecar(pod, status)) continue;
    const auto at = time_in(status.get("state", "terminated", "finishedAt"));
    if (!at) return std::nullopt;
    last = std::max(last, at);
  }
  return last;
}

std::optional<Instant> became_unready(View pod) {
  const View ready = kube::condition_of(pod, "Ready");
  if (ready.get("status").as_string() != "False") return std::nullopt;
  return time_in(ready.get("lastTransitionTime"));
}

std::optional<Instant> deleted_at(View pod) {
  const auto at = time_in(pod.get("metadata", "deletionTimestamp"));
  if (!at) return std::nullopt;
  return *at - std::chrono::seconds(kube::deletion_grace_seconds_of(pod).value_or(0));
}

std::vector<Instant> ends_of(const std::vector<store::RecordRef>& pods) {
  std::vector<Instant> ends;
  ends.reserve(pods.size());
  for (const auto& pod : pods) ends.push_back(finished_at(pod->body));
  std::ranges::sort(ends);
  return ends;
}

}  // namespace

Instant finished_at(View pod) {
  if (const auto at = containers_ended(pod)) return *at;
  if (const auto at = became_unready(pod)) return *at;
  if (const auto at = deleted_at(pod)) return *at;
  return time_in(pod.get("metadata", "creationTimestamp")).value_or(Instant{});
}

Instant not_before(std::int64_t failures, Instant last_failure) {
  auto pause = Backoff::kFirst;
  for (std::int64_t i = 1; i < failures && pause < Backoff::kLongest; ++i) pause *= 2;
  return last_failure + std::min(pause, Backoff::kLongest);
}

Backoff Backoff::from(View memory) {
  const std::chrono::nanoseconds last(memory.get("last").as_int());
  return {.failures = memory.get("failures").as_int(), .last = Instant{last}};
}

json::Value Backoff::to_json() const {
  if (failures == 0) return {};
  return json::Draft::object({
                                 {"failures", failures                       },
                                 {"last",     last.time_since_epoch().count()}
  })
      .freeze();
}

Backoff Backoff::after(const std::vector<store::RecordRef>& succeeded,
                       const std::vector<store::RecordRef>& failed) const {
  if (succeeded.empty() && failed.empty()) return *this;
  auto ends = ends_of(failed);
  Backoff made = *this;
  if (!succeeded.empty()) {
    made = {};
    const Instant success = ends_of(succeeded).back();
    std::erase_if(ends, [&](Instant end) { return end <= success; });
  }
  made.failures += std::ssize(ends);
  if (!ends.empty()) made.last = ends.back();
  return made;
}

std::optional<Instant> Backoff::until() const {
  return failures == 0 ? std::nullopt : std::optional{not_before(failures, last)};
}

}  // namespace fixpoint::cluster::jobs
