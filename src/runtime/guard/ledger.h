// SPDX-License-Identifier: Apache-2.0
//
// Ledger: the contested drifts of one object, and the rule that says when it is a war.
//
// A contested drift is one where we want what we wanted, and somebody else wrote one of our fields.
// Its strict fingerprint is who, which fields and which values; its loose one is who and which
// fields. Windows slide on a steady clock; what is older than the longest is forgotten.
#pragma once

#include "base/clock.h"
#include "runtime/guard/settings.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

// Above what any rule counts, so that forgetting the oldest forgets nothing that matters.
inline constexpr std::size_t kContestsMax = 256;

enum class GuardRule : std::uint8_t {
  None,
  Burst,
  StrictShort,
  StrictDay,
  LooseHour,
  LooseDay,
  AnyDay,
  Expensive,
  Probation,
  NonConvergent,
};
// "B", "S1", "S2", "L1", "L2", "A", "E", "P", "N": as pause records and metrics say it.
std::string_view to_string(GuardRule rule);

struct Fingerprint {
  std::uint64_t strict = 0;
  std::uint64_t loose = 0;

  bool operator==(const Fingerprint&) const = default;
};

struct Contest {
  MonotonicInstant at{};
  Fingerprint print;
};

struct GuardHit {
  GuardRule rule = GuardRule::None;
  std::size_t count = 0;
  Duration span{};  // from the first counted to the last
  explicit operator bool() const { return rule != GuardRule::None; }
};

class Ledger {
 public:
  void add(const Contest& contest);
  // Forgets all after a quiet period.
  void settle(const GuardSettings& settings, MonotonicInstant now);
  void clear() { contests_.clear(); }
  // A person resumed: `print` coming back soon counts as the same war.
  void put_on_probation(std::uint64_t strict, MonotonicInstant until);

  enum class Cost : std::uint8_t { Normal, Expensive };
  // The first rule that the newest contest breaks.
  GuardHit judge(const GuardSettings& settings, Cost cost, MonotonicInstant now) const;
  bool worth_a_warning(const GuardSettings& settings, MonotonicInstant now) const;

  const std::vector<Contest>& contests() const { return contests_; }
  std::uint64_t probation_print() const { return probation_print_; }
  MonotonicInstant probation_until() const { return probation_until_; }

 private:
  template <class Same>
  GuardHit count(const GuardLimit& limit, GuardRule rule, MonotonicInstant now, Same same) const;

  std::vector<Contest> contests_;  // oldest first
  std::uint64_t probation_print_ = 0;
  MonotonicInstant probation_until_{};
};

}  // namespace fixpoint::runtime
