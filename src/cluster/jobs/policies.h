// SPDX-License-Identifier: Apache-2.0
//
// What a Job's own rules make of its pods: podFailurePolicy of one that failed, successPolicy of
// the indexes that succeeded.
#pragma once

#include "cluster/jobs/indexes.h"
#include "json/value.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fixpoint::cluster::jobs {

// Whether the pod counts as failed for this Job. Where only failed pods are replaced, one that is
// being deleted does not, yet.
bool pod_failed(json::View job, json::View pod);
bool only_replaces_failed(json::View job);

struct FailureVerdict {
  enum class Action : std::uint8_t { None, Ignore, Count, FailIndex, FailJob };
  Action action = Action::None;
  std::string message;  // of FailJob

  bool counts() const { return action != Action::Ignore; }
};
// The first rule that matches a pod that failed.
FailureVerdict judge_failure(json::View job, json::View pod);

// What to say when enough has succeeded.
std::optional<std::string> success_by_policy(json::View job, const Indexes& succeeded);

}  // namespace fixpoint::cluster::jobs
