// SPDX-License-Identifier: Apache-2.0
//
// Mask: replaces in texts what two servers can never have in common, by the order of first use.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::conformance {

class Mask {
 public:
  // `id` is the sequence's namespace and name part; the same on all servers but not in all runs.
  explicit Mask(std::string id) : id_(std::move(id)) {}

  // First all of these, then the texts.
  void learn_version(std::string_view version);
  void learn_generated(std::string_view name);
  void learn_prefix(std::string_view prefix);
  // A value of that sort that the server picked: "ip", "port".
  void learn_picked(std::string_view sort, std::string_view value);

  std::string text(std::string_view text);
  // A whole value of that sort: "<rv 3>", "<ip 1>".
  std::string version(std::string_view version) const;
  std::string ordinal(std::string_view sort, std::string_view value);

 private:
  std::string mask_uids(std::string_view text);
  std::string mask_suffixes(std::string text) const;
  std::string mask_picked(std::string text) const;
  std::string mask_self_types(std::string_view text) const;
  std::string mask_times(std::string_view text) const;
  std::string mask_versions(std::string_view text) const;

  std::string id_;
  std::set<std::uint64_t> versions_;
  std::vector<std::string> generated_;
  std::set<std::string> prefixes_;
  std::map<std::string, std::string> picked_;  // "10.0.3.7" -> "<ip 1>"
  std::map<std::pair<std::string, std::string>, std::size_t> ordinals_;
  std::map<std::string, std::size_t, std::less<>> counts_;
};

// "2026-11-15T12:00:00Z" of today, give or take a day or a year: a time the server made.
bool is_recent_time(std::string_view text);

}  // namespace fixpoint::conformance
