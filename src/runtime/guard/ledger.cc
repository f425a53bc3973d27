// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard/ledger.h"

#include <utility>

namespace fixpoint::runtime {

std::string_view to_string(GuardRule rule) {
  switch (rule) {
    case GuardRule::None: return "";
    case GuardRule::Burst: return "B";
    case GuardRule::StrictShort: return "S1";
    case GuardRule::StrictDay: return "S2";
    case GuardRule::LooseHour: return "L1";
    case GuardRule::LooseDay: return "L2";
    case GuardRule::AnyDay: return "A";
    case GuardRule::Expensive: return "E";
    case GuardRule::Probation: return "P";
    case GuardRule::NonConvergent: return "N";
  }
  std::unreachable();
}

void Ledger::add(const Contest& contest) {
  if (contests_.size() >= kContestsMax) contests_.erase(contests_.begin());
  contests_.push_back(contest);
}

void Ledger::settle(const GuardSettings& settings, MonotonicInstant now) {
  if (contests_.empty() || now - contests_.back().at < settings.quiet) return;
  contests_.clear();
}

void Ledger::put_on_probation(std::uint64_t strict, MonotonicInstant until) {
  probation_print_ = strict;
  probation_until_ = until;
}

// What happened exactly one window ago is outside.
template <class Same>
GuardHit Ledger::count(const GuardLimit& limit, GuardRule rule, MonotonicInstant now,
                       Same same) const {
  if (limit.count == 0 || contests_.empty()) return {};
  std::size_t found = 0;
  MonotonicInstant first = now;
  for (const auto& contest : contests_) {
    if (now - contest.at >= limit.window || !same(contest)) continue;
    if (found++ == 0) first = contest.at;
  }
  if (found < limit.count) return {};
  return {.rule = rule, .count = found, .span = now - first};
}

GuardHit Ledger::judge(const GuardSettings& settings, Cost cost, MonotonicInstant now) const {
  if (contests_.empty()) return {};
  const auto newest = contests_.back().print;
  const auto any = [](const Contest&) { return true; };
  const auto strict = [&](const Contest& c) { return c.print.strict == newest.strict; };
  const auto loose = [&](const Contest& c) { return c.print.loose == newest.loose; };
  const bool probation = probation_print_ == newest.strict && now < probation_until_;
  const bool expensive = cost == Cost::Expensive;
  const GuardHit hits[] = {
      probation ? count(settings.probation, GuardRule::Probation, now, strict) : GuardHit{},
      expensive ? count(settings.expensive_strict, GuardRule::Expensive, now, strict) : GuardHit{},
      count(settings.strict_short, GuardRule::StrictShort, now, strict),
      count(settings.strict_day, GuardRule::StrictDay, now, strict),
      count(settings.burst, GuardRule::Burst, now, any),
      count(settings.loose_hour, GuardRule::LooseHour, now, loose),
      count(settings.loose_day, GuardRule::LooseDay, now, loose),
      count(settings.any_day, GuardRule::AnyDay, now, any),
  };
  for (const auto& hit : hits) {
    if (hit) return hit;
  }
  return {};
}

bool Ledger::worth_a_warning(const GuardSettings& settings, MonotonicInstant now) const {
  if (contests_.empty()) return false;
  const auto newest = contests_.back().print;
  return count(settings.warn_strict, GuardRule::StrictDay, now,
               [&](const Contest& c) { return c.print.strict == newest.strict; }) ||
         count(settings.warn_loose, GuardRule::LooseDay, now,
               [&](const Contest& c) { return c.print.loose == newest.loose; });
}

}  // namespace fixpoint::runtime
