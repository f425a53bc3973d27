// SPDX-License-Identifier: Apache-2.0
#include "cluster/jobs/time_to_live.h"

#include "base/rfc3339.h"
#include "cluster/jobs/names.h"
#include "kube/meta/metadata.h"

#include <chrono>

namespace fixpoint::cluster::jobs {
namespace {

using json::View;

std::optional<Instant> over_since(View job) {
  for (const std::string_view type : {"Complete", "Failed"}) {
    const View condition = kube::condition_of(job, type);
    if (condition.get("status").as_string() != "True") continue;
    const auto since = parse_rfc3339(condition.get("lastTransitionTime").as_string());
    if (since) return *since;
  }
  return std::nullopt;
}

}  // namespace

Decision decide_expiry(const store::RecordRef& record, Instant now) {
  Decision decision;
  const View job = record->body;
  const View seconds = job.get("spec", "ttlSecondsAfterFinished");
  const auto since = over_since(job);
  if (seconds.is_null() || !since || kube::being_deleted(job)) return decision;
  const Instant at = *since + std::chrono::seconds(seconds.as_int());
  if (at > now) {
    decision.again = at;
    return decision;
  }
  decision.requests.push_back(
      {.request = delete_request(kJobResource, job, std::nullopt, Propagation::Foreground),
       .tolerates = Effect::Tolerates::Absence});
  return decision;
}

TimeToLive::TimeToLive()
    : KeyedController({
          .name = "ttl-after-finished-controller",
          .prefix = kJobPrefix,
          .kind = {"batch", "Job"},
          .children = {},
          .adopts = {},
          .follows = {}
}) {}

Decision TimeToLive::pass(const Reader&, const Subject& subject, Instant now) const {
  return subject.record ? decide_expiry(subject.record, now) : Decision{};
}

}  // namespace fixpoint::cluster::jobs
