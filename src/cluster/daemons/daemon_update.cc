// SPDX-License-Identifier: Apache-2.0
//
// Rolling updates of a DaemonSet.
#include "cluster/daemons/daemon_pass.h"
#include "kube/meta/metadata.h"
#include "kube/scalars/int_or_string.h"

#include <algorithm>

namespace fixpoint::cluster::daemons {
namespace {

using json::View;
using Verdict = Placement::Verdict;

}  // namespace

std::int64_t DaemonPass::allowance(std::string_view field, std::int64_t desired) const {
  const View strategy = set_.get("spec", "updateStrategy");
  const View given = strategy.get("rollingUpdate", field);
  if (strategy.get("type").as_string() != "RollingUpdate" || given.is_null()) return 0;
  return kube::scaled_value(kube::IntOrString::from(given), desired, kube::Rounding::Up)
      .value_or(0);
}

bool DaemonPass::surges() const {
  return allowance("maxSurge", 1) > 0;
}

std::optional<DaemonPass::Pair> DaemonPass::pair_on(const Pods& there) const {
  Pair pair;
  for (const auto& pod : there) {
    if (kube::being_deleted(pod->body)) continue;
    auto& place = updated(pod->body) ? pair.young : pair.old;
    if (place) return std::nullopt;
    place = pod;
  }
  return pair;
}

void DaemonPass::roll() {
  std::int64_t desired = 0;
  for (const auto& [node, verdict] : verdicts_) {
    if (verdict != Verdict::Runs) continue;
    ++desired;
    on_.try_emplace(std::string{node});
  }
  const auto surge = allowance("maxSurge", desired);
  const auto unavailable = allowance("maxUnavailable", desired);
  if (surge > 0) return roll_with_surge(surge, desired);
  roll_within(desired > 0 && unavailable == 0 ? 1 : unavailable);
}

// What does not serve goes at once, of the rest as many as may be missed.
void DaemonPass::roll_within(std::int64_t unavailable_max) {
  std::int64_t unavailable = 0;
  Pods broken;
  Pods candidates;
  for (const auto& [node, there] : on_) {
    const auto pair = pair_on(there);
    const bool one = pair && static_cast<bool>(pair->young) != static_cast<bool>(pair->old);
    if (!one) {
      ++unavailable;
    } else if (pair->young) {
      unavailable += available(pair->young->body) ? 0 : 1;
    } else if (!available(pair->old->body)) {
      broken.push_back(pair->old);
      ++unavailable;
    } else {
      candidates.push_back(pair->old);
    }
  }
  const auto more =
      std::clamp<std::int64_t>(unavailable_max - unavailable, 0, std::ssize(candidates));
  broken.insert(broken.end(), candidates.begin(), candidates.begin() + more);
  remove(broken);
}

// A new pod beside the old one on as many nodes as allowed; the old one goes when it serves.
void DaemonPass::roll_with_surge(std::int64_t surge_max, std::int64_t desired) {
  std::int64_t surge = 0;
  std::int64_t served = 0;
  Pods done;
  Pods misplaced;
  std::vector<std::string_view> urgent;
  std::vector<std::string_view> candidates;
  for (const auto& [node, there] : on_) {
    const auto pair = pair_on(there);
    if (!pair) {
      ++surge;
      continue;
    }
    const auto& serving = pair->old ? pair->old : pair->young;
    if (serving && available(serving->body)) ++served;
    if (!pair->old) continue;
    if (pair->young) {
      if (available(pair->young->body)) {
        done.push_back(pair->old);
      } else {
        ++surge;
      }
      continue;
    }
    const auto verdict = verdicts_.find(node);
    const bool runs = verdict != verdicts_.end() && verdict->second == Verdict::Runs;
    if (available(pair->old->body)) {
      if (runs) {
        candidates.push_back(node);
      } else {
        misplaced.push_back(pair->old);
      }
    } else if (runs) {
      urgent.push_back(node);
    } else {
      done.push_back(pair->old);
    }
  }
  const auto spare = std::clamp<std::int64_t>(served - desired, 0, std::ssize(misplaced));
  done.insert(done.end(), misplaced.begin(), misplaced.begin() + spare);
  const auto more = std::clamp<std::int64_t>(surge_max - surge, 0, std::ssize(candidates));
  urgent.insert(urgent.end(), candidates.begin(), candidates.begin() + more);
  create_on(urgent);
  remove(done);
}

}  // namespace fixpoint::cluster::daemons
