// SPDX-License-Identifier: Apache-2.0
//
// Indexes: a set of completion indexes as intervals, in the form that a Job's status keeps them in:
// "1,3-5,7". A Job of a hundred thousand indexes is a few intervals.
#pragma once

#include "json/value.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::jobs {

class Indexes {
 public:
  Indexes() = default;
  explicit Indexes(const std::set<std::int64_t>& indexes);
  // Those below `completions`; pieces that are no interval are passed over.
  static Indexes parse(std::string_view text, std::int64_t completions);

  Indexes merged(const Indexes& other) const;
  bool has(std::int64_t index) const;
  bool empty() const { return intervals_.empty(); }
  std::int64_t total() const;
  // How many indexes both have.
  std::int64_t shared(const Indexes& other) const;
  // The first `count` indexes below `completions` that are not in here.
  std::vector<std::int64_t> missing(std::int64_t completions, std::int64_t count) const;
  std::string to_string() const;

  bool operator==(const Indexes&) const = default;

 private:
  struct Interval {
    std::int64_t first = 0;
    std::int64_t last = 0;
    bool operator==(const Interval&) const = default;
  };
  void append(const Interval& next);

  std::vector<Interval> intervals_;  // in order, apart
};

// A number that is all of the text, and not negative.
std::optional<std::int64_t> whole_number(std::string_view text);

// The index a pod works on; nothing when it has none.
std::optional<std::int64_t> completion_index(json::View pod);

}  // namespace fixpoint::cluster::jobs
