// SPDX-License-Identifier: Apache-2.0
#include "cluster/jobs/indexes.h"

#include "cluster/jobs/names.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::cluster::jobs {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return number < 0 ? std::nullopt : std::optional{number};
}

std::optional<std::int64_t> completion_index(json::View pod) {
  return whole_number(kube::annotation_of(pod, kIndexName));
}

Indexes::Indexes(const std::set<std::int64_t>& indexes) {
  for (const auto index : indexes) append({index, index});
}

// Needs first >= the first of the last one.
void Indexes::append(const Interval& next) {
  if (intervals_.empty() || next.first > intervals_.back().last + 1) {
    intervals_.push_back(next);
  } else {
    intervals_.back().last = std::max(intervals_.back().last, next.last);
  }
}

Indexes Indexes::parse(std::string_view text, std::int64_t completions) {
  Indexes made;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const auto piece = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const auto dash = std::min(piece.find('-'), piece.size());
    const auto first = whole_number(piece.substr(0, dash));
    if (!first) continue;
    if (*first >= completions) break;
    const auto last = dash == piece.size() ? first : whole_number(piece.substr(dash + 1));
    if (last) made.append({*first, std::min(*last, completions - 1)});
  }
  return made;
}

Indexes Indexes::merged(const Indexes& other) const {
  std::vector<Interval> both = intervals_;
  both.insert(both.end(), other.intervals_.begin(), other.intervals_.end());
  std::ranges::sort(both, {}, &Interval::first);
  Indexes made;
  for (const auto& interval : both) made.append(interval);
  return made;
}

bool Indexes::has(std::int64_t index) const {
  const auto at = std::ranges::lower_bound(intervals_, index, {}, &Interval::last);
  return at != intervals_.end() && at->first <= index;
}

std::int64_t Indexes::total() const {
  std::int64_t sum = 0;
  for (const auto& interval : intervals_) sum += interval.last - interval.first + 1;
  return sum;
}

std::int64_t Indexes::shared(const Indexes& other) const {
  std::int64_t sum = 0;
  auto mine = intervals_.begin();
  auto theirs = other.intervals_.begin();
  while (mine != intervals_.end() && theirs != other.intervals_.end()) {
    const auto last = std::min(mine->last, theirs->last);
    sum += std::max<std::int64_t>(0, last - std::max(mine->first, theirs->first) + 1);
    if (mine->last == last) {
      ++mine;
    } else {
      ++theirs;
    }
  }
  return sum;
}

std::vector<std::int64_t> Indexes::missing(std::int64_t completions, std::int64_t count) const {
  std::vector<std::int64_t> found;
  std::int64_t candidate = 0;
  const auto up_to = [&](std::int64_t end) {
    for (; candidate < end && std::ssize(found) < count; ++candidate) found.push_back(candidate);
  };
  for (const auto& interval : intervals_) {
    up_to(std::min(completions, interval.first));
    candidate = std::max(candidate, interval.last + 1);
  }
  up_to(completions);
  return found;
}

std::string Indexes::to_string() const {
  std::string made;
  for (const auto& [first, last] : intervals_) {
    if (!made.empty()) made += ",";
    made += std::to_string(first);
    if (last > first) made += fmt::format("{}{}", last == first + 1 ? "," : "-", last);
  }
  return made;
}

}  // namespace fixpoint::cluster::jobs
