// SPDX-License-Identifier: Apache-2.0
#include "cluster/autoscaling/restraint.h"

#include "json/draft.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fixpoint::cluster::autoscaling {
namespace {

using json::Draft;
using json::View;
using std::chrono::seconds;

// The longest window and the longest period that a spec may ask for.
constexpr seconds kLongestWindow{3600};
constexpr seconds kLongestPeriod{1800};
// Without a behavior the number at most doubles, from four on.
constexpr std::int64_t kUpFactor = 2;
constexpr std::int64_t kUpMinimum = 4;

constexpr Verdict kMatches{0, "ReadyForNewScale", "recommended size matches current size"};
constexpr std::string_view kUpStabilised =
    "recent recommendations were lower than current one, applying the lowest recent recommendation";
constexpr std::string_view kDownStabilised =
    "recent recommendations were higher than current one, applying the highest recent "
    "recommendation";
constexpr std::string_view kTooFast =
    "the desired replica count is increasing faster than the maximum scale rate";
constexpr std::string_view kTooFastDown =
    "the desired replica count is decreasing faster than the maximum scale rate";
constexpr std::string_view kTooMany =
    "the desired replica count is more than the maximum replica count";
constexpr std::string_view kTooFew =
    "the desired replica count is less than the minimum replica count";

std::int64_t nanoseconds_of(Instant at) {
  return at.time_since_epoch().count();
}

Instant instant_in(View number) {
  return Instant{std::chrono::nanoseconds(number.as_int())};
}

seconds window_of(View rules, seconds otherwise) {
  const View given = rules.get("stabilizationWindowSeconds");
  return given.is_null() ? otherwise : seconds(given.as_int());
}

}  // namespace

Restraint Restraint::from(View memory) {
  Restraint made;
  for (const View each : memory.get("recommended").elements()) {
    made.recommended_[each.get("replicas").as_int()] = instant_in(each.get("at"));
  }
  for (const View each : memory.get("changes").elements()) {
    made.changes_.push_back({.at = instant_in(each.get("at")), .by = each.get("by").as_int()});
  }
  return made;
}

json::Value Restraint::to_json() const {
  auto recommended = Draft::array();
  for (const auto& [replicas, at] : recommended_) {
    recommended.push_back(Draft::object({
        {"replicas", replicas          },
        {"at",       nanoseconds_of(at)}
    }));
  }
  auto changes = Draft::array();
  for (const auto& change : changes_) {
    changes.push_back(Draft::object({
        {"by", change.by                },
        {"at", nanoseconds_of(change.at)}
    }));
  }
  return Draft::object(
             {
                 {"recommended", std::move(recommended)},
                 {"changes",     std::move(changes)    }
  })
      .freeze();
}

void Restraint::begin(std::int64_t current, Instant now) {
  if (recommended_.empty()) recommended_[current] = now;
}

void Restraint::forget_before(Instant cutoff) {
  std::erase_if(recommended_, [&](const auto& each) { return each.second < cutoff; });
}

Verdict Restraint::stabilise(View behavior, std::int64_t current, std::int64_t desired,
                             Instant now) {
  std::int64_t lowest = desired;
  std::int64_t highest = desired;
  const auto up = behavior.is_null() ? seconds(0) : window_of(behavior.get("scaleUp"), seconds(0));
  const auto down = window_of(behavior.get("scaleDown"), kDownWindow);
  for (const auto& [replicas, at] : recommended_) {
    if (at > now - up) lowest = std::min(lowest, replicas);
    if (at >= now - down) highest = std::max(highest, replicas);
  }
  forget_before(now - kLongestWindow);
  recommended_[desired] = now;
  Verdict verdict = kMatches;
  if (behavior.is_null()) {
    verdict.replicas = highest;
  } else {
    verdict.replicas = std::min(std::max(current, lowest), highest);
  }
  if (verdict.replicas == desired) return verdict;
  const bool rises = !behavior.is_null() && desired >= current;
  verdict.reason = rises ? "ScaleUpStabilized" : "ScaleDownStabilized";
  verdict.message = rises ? kUpStabilised : kDownStabilised;
  return verdict;
}

std::int64_t Restraint::at_start_of(View policy, std::int64_t current, Instant now) const {
  const Instant start = now - seconds(policy.get("periodSeconds").as_int());
  for (const auto& change : changes_) {
    if (change.at > start) current -= change.by;
  }
  return current;
}

std::int64_t Restraint::most_allowed(View rules, std::int64_t current, Instant now) const {
  const auto select = rules.get("selectPolicy").as_string();
  if (select == "Disabled") return current;
  const bool least = select == "Min";
  auto most = least ? std::numeric_limits<std::int64_t>::max() : std::int64_t{0};
  for (const View policy : rules.get("policies").elements()) {
    const auto start = at_start_of(policy, current, now);
    const auto value = policy.get("value").as_int();
    const auto share = static_cast<double>(start) * (1 + static_cast<double>(value) / 100);
    const auto allowed = policy.get("type").as_string() == "Pods"
                             ? start + value
                             : static_cast<std::int64_t>(std::ceil(share));
    most = least ? std::min(most, allowed) : std::max(most, allowed);
  }
  return std::max(most, current);
}

std::int64_t Restraint::least_allowed(View rules, std::int64_t current, Instant now) const {
  const auto select = rules.get("selectPolicy").as_string();
  if (select == "Disabled") return current;
  const bool least = select == "Min";
  auto fewest = least ? std::int64_t{0} : std::numeric_limits<std::int64_t>::max();
  for (const View policy : rules.get("policies").elements()) {
    const auto start = at_start_of(policy, current, now);
    const auto value = policy.get("value").as_int();
    const auto share = static_cast<double>(start) * (1 - static_cast<double>(value) / 100);
    const auto allowed =
        policy.get("type").as_string() == "Pods" ? start - value : static_cast<std::int64_t>(share);
    fewest = least ? std::max(fewest, allowed) : std::min(fewest, allowed);
  }
  return std::min(fewest, current);
}

Verdict Restraint::limit(View behavior, const Bounds& bounds, std::int64_t desired,
                         Instant now) const {
  const bool free = behavior.is_null();
  if (free ? desired < bounds.min : desired < bounds.current) {
    const auto least = free ? 0 : least_allowed(behavior.get("scaleDown"), bounds.current, now);
    const auto floor = std::max(bounds.min, least);
    if (desired < floor) {
      return floor > bounds.min ? Verdict{floor, "ScaleDownLimit", kTooFastDown}
                                : Verdict{floor, "TooFewReplicas", kTooFew};
    }
  } else if (free || desired > bounds.current) {
    const auto most = free ? std::max(kUpFactor * bounds.current, kUpMinimum)
                           : most_allowed(behavior.get("scaleUp"), bounds.current, now);
    const auto ceiling = std::min(bounds.max, most);
    if (desired > ceiling) {
      return ceiling < bounds.max ? Verdict{ceiling, "ScaleUpLimit", kTooFast}
                                  : Verdict{ceiling, "TooManyReplicas", kTooMany};
    }
  }
  return {desired, "DesiredWithinRange", "the desired count is within the acceptable range"};
}

void Restraint::note_change(View behavior, std::int64_t from, std::int64_t to, Instant now) {
  if (behavior.is_null()) return;
  std::erase_if(changes_, [&](const Change& change) { return change.at < now - kLongestPeriod; });
  changes_.push_back({.at = now, .by = to - from});
}

}  // namespace fixpoint::cluster::autoscaling
