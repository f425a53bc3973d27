// SPDX-License-Identifier: Apache-2.0
//
// A Deployment that is given another size in the middle of a rollout, or while it is paused: all of
// its sets grow or shrink in proportion, so that the rollout is neither hastened nor undone.
#include "cluster/workloads/deployment_pass.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace fixpoint::cluster {
namespace {

std::optional<std::int64_t> count_in(std::string_view text) {
  std::uint32_t count = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return count <= 2147483647U ? std::optional<std::int64_t>{count} : std::nullopt;
}

std::vector<SetState*> active(const std::vector<SetState*>& sets) {
  std::vector<SetState*> found;
  std::ranges::copy_if(sets, std::back_inserter(found),
                       [](const SetState* set) { return set->replicas > 0; });
  return found;
}

std::int64_t total(const std::vector<SetState*>& sets) {
  std::int64_t sum = 0;
  for (const SetState* set : sets) sum += set->replicas;
  return sum;
}

// The one set that has pods; when none has, the newest. Nothing when several have.
SetState* only_active(const DeploymentPass& pass) {
  const auto sets = active(pass.all());
  if (sets.size() == 1) return sets.front();
  if (!sets.empty()) return nullptr;
  if (pass.newest != nullptr) return pass.newest;
  return pass.old.empty() ? nullptr : pass.old.back();
}

bool is_saturated(const DeploymentPass& pass, const SetState* set) {
  if (set == nullptr) return false;
  return set->replicas == pass.replicas() &&
         count_in(set->annotation(kDesiredReplicas)) == pass.replicas() &&
         set->status("availableReplicas") == pass.replicas();
}

// How many more (or fewer) this set would have at the Deployment's new size.
std::int64_t fraction(const DeploymentPass& pass, const SetState& set) {
  if (pass.replicas() == 0) return -set.replicas;
  auto most_before = count_in(set.annotation(kMaxReplicas)).value_or(0);
  if (most_before == 0) most_before = pass.deployment.get("status", "replicas").as_int();
  if (most_before == 0) return 0;
  const auto most = pass.replicas() + pass.max_surge();
  const double size = static_cast<double>(set.replicas * most) / static_cast<double>(most_before);
  return std::llround(size) - set.replicas;
}

// Larger sets first: what is left over after rounding goes to the first. Among equals, growing
// prefers the newer, shrinking the older.
void sort_by_size(std::vector<SetState*>& sets, bool growing) {
  if (growing) std::ranges::reverse(sets);  // they come oldest first
  std::ranges::stable_sort(sets, std::ranges::greater{}, &SetState::replicas);
}

void spread(DeploymentPass& pass, std::vector<SetState*> sets) {
  const auto allowed = pass.replicas() > 0 ? pass.replicas() + pass.max_surge() : 0;
  const auto to_add = allowed - total(sets);
  if (to_add != 0) sort_by_size(sets, to_add > 0);
  std::int64_t added = 0;
  std::vector<std::int64_t> sizes;
  for (const SetState* set : sets) {
    std::int64_t part = 0;
    if (to_add != added && set->replicas != 0) {
      const auto wanted = fraction(pass, *set);
      part = to_add > 0 ? std::min(wanted, to_add - added) : std::max(wanted, to_add - added);
    }
    sizes.push_back(set->replicas + part);
    added += part;
  }
  if (!sizes.empty()) sizes.front() = std::max<std::int64_t>(0, sizes.front() + to_add - added);
  for (std::size_t i = 0; i < sets.size(); ++i) pass.scale(*sets[i], sizes[i]);
}

}  // namespace

bool is_scaling(const DeploymentPass& pass) {
  return std::ranges::any_of(active(pass.all()), [&](const SetState* set) {
    const auto desired = count_in(set->annotation(kDesiredReplicas));
    return desired && *desired != pass.replicas();
  });
}

void scale_proportionally(DeploymentPass& pass) {
  if (SetState* only = only_active(pass)) {
    if (only->replicas != pass.replicas()) pass.scale(*only, pass.replicas());
    return;
  }
  if (is_saturated(pass, pass.newest)) {
    for (SetState* set : active(pass.old)) pass.scale(*set, 0);
    return;
  }
  if (pass.deployment.get("spec", "strategy", "type").as_string() == "RollingUpdate") {
    spread(pass, active(pass.all()));
  }
}

std::int64_t new_set_replicas(const DeploymentPass& pass, const SetState& newest) {
  if (pass.deployment.get("spec", "strategy", "type").as_string() != "RollingUpdate") {
    return pass.replicas();
  }
  const auto room = pass.replicas() + pass.max_surge() - total(pass.all());
  if (room <= 0) return newest.replicas;
  return newest.replicas + std::min(room, pass.replicas() - newest.replicas);
}

}  // namespace fixpoint::cluster
