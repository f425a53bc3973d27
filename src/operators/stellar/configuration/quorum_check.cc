// SPDX-License-Identifier: Apache-2.0
//
// What core makes of a quorum, and when it refuses: the sets it derives from a list of validators,
// how many failures break them, and the arithmetic of FAILURE_SAFETY.
#include "operators/stellar/configuration/quorum.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

// Of validators of one home domain whose quality is HIGH or CRITICAL.
constexpr std::size_t kRedundancy = 3;
constexpr std::string_view kSelf = "self";

// A set with its threshold as a number and its nodes by key.
struct Slice {
  std::size_t threshold = 0;
  std::vector<std::string> nodes;
  std::vector<Slice> inner;
  std::size_t size() const { return nodes.size() + inner.size(); }
};

std::size_t simple_majority(std::size_t size) {
  return size - (size - 1) / 2;
}

std::size_t byzantine(std::size_t size) {
  return size - (size - 1) / 3;
}

bool is_high(std::string_view quality) {
  return quality == "HIGH" || quality == "CRITICAL";
}

// The fewest nodes without which the set is never satisfied.
std::size_t failures_that_break(const Slice& slice) {
  std::vector<std::size_t> costs(slice.nodes.size(), 1);
  for (const auto& inner : slice.inner) costs.push_back(failures_that_break(inner));
  std::ranges::sort(costs);
  const auto needed = std::min(slice.size() - slice.threshold + 1, costs.size());
  std::size_t sum = 0;
  for (std::size_t i = 0; i < needed; ++i) sum += costs[i];
  return sum;
}

class Check {
 public:
  Check(const Quorum& quorum, const QuorumSelf& self) : quorum_(quorum), self_(self) {}

  Result<void> run() {
    FP_TRY_VOID(name_validators());
    FP_TRY(slice, quorum_.set ? from_set(*quorum_.set) : from_validators());
    if (quorum_.set && !validators_.empty() && !quorum_.unsafe) {
      return invalid_quorum(
          "Can't override [[VALIDATORS]] with QUORUM_SET unless you also set "
          "UNSAFE_QUORUM=true");
    }
    if (slice.size() == 0) return invalid_quorum("no validators defined in VALIDATORS/QUORUM_SET");
    FP_TRY_VOID(check_safety(slice));
    FP_TRY_VOID(check_sane(slice));
    if (seen_.size() > kQuorumNodesMax) {
      return invalid_quorum("Total number of nodes in a quorum must be within 1 and 1000");
    }
    return {};
  }

 private:
  struct Member {
    std::string key;
    std::string domain;
    std::string quality;
  };

  Result<void> name_validators() {
    std::map<std::string_view, std::string_view> qualities;
    for (const auto& domain : quorum_.home_domains) {
      if (!qualities.emplace(domain.domain, domain.quality).second) {
        return invalid_quorum(fmt::format("Malformed HOME_DOMAINS: duplicate '{}'", domain.domain));
      }
    }
    for (const auto& validator : quorum_.validators) {
      const auto found = qualities.find(validator.home_domain);
      if (found != qualities.end() && !validator.quality.empty()) {
        return invalid_quorum(fmt::format(
            "malformed VALIDATORS entry '{}': quality already defined in home domain '{}'",
            validator.name, validator.home_domain));
      }
      const std::string quality{found == qualities.end() ? validator.quality : found->second};
      if (quality.empty()) {
        return invalid_quorum(
            fmt::format("malformed VALIDATORS entry '{}' (missing quality)", validator.name));
      }
      if (is_high(quality) && validator.history.empty()) {
        return invalid_quorum(
            fmt::format("malformed VALIDATORS entry '{}' (critical and high quality "
                        "must have an archive)",
                        validator.name));
      }
      FP_TRY_VOID(name(validator.name, validator.public_key));
      validators_.push_back({validator.public_key, validator.home_domain, quality});
    }
    return add_self(qualities);
  }

  Result<void> name(const std::string& name, const std::string& key) {
    if (!names_.emplace(name, key).second) return invalid_quorum("name already used: " + name);
    if (!keys_.insert(key).second) return invalid_quorum("naming node twice: " + name);
    return {};
  }

  Result<void> add_self(const std::map<std::string_view, std::string_view>& qualities) {
    if (!self_.is_validator || (validators_.empty() && quorum_.set)) return {};
    if (self_.home_domain.empty()) return invalid_quorum("NODE_HOME_DOMAIN must be set");
    const auto found = qualities.find(self_.home_domain);
    if (found == qualities.end()) {
      return invalid_quorum(
          fmt::format("Validator configured with NODE_HOME_DOMAIN='{}' but there is no "
                      "matching HOME_DOMAINS",
                      self_.home_domain));
    }
    validators_.push_back({std::string{kSelf}, self_.home_domain, std::string{found->second}});
    return {};
  }

  // Domains of one quality side by side, everything of lower quality together as one more.
  Result<Slice> tier(std::size_t quality) {
    Slice out;
    if (quality == kQualities.size()) return out;
    std::map<std::string, Slice> domains;
    for (const auto& member : validators_) {
      if (member.quality == kQualities[quality]) {
        domains[member.domain].nodes.push_back(member.key);
      }
    }
    for (auto& [domain, slice] : domains) {
      if (is_high(kQualities[quality]) && slice.nodes.size() < kRedundancy) {
        return invalid_quorum(
            fmt::format("Critical and High quality validators for '{}' must have "
                        "redundancy of at least {}",
                        domain, kRedundancy));
      }
      slice.threshold = simple_majority(slice.nodes.size());
      out.inner.push_back(std::move(slice));
    }
    FP_TRY(lower, tier(quality + 1));
    if (out.inner.empty()) return lower;
    if (lower.size() > 0) out.inner.push_back(std::move(lower));
    const bool all = kQualities[quality] == "CRITICAL";
    out.threshold = all ? out.size() : byzantine(out.size());
    return out;
  }

  Result<Slice> from_validators() { return tier(0); }

  Result<Slice> from_set(const QuorumSet& set) {
    FP_TRY_VOID(name_inline(set));
    return resolve(set);
  }

  Result<void> name_inline(const QuorumSet& set) {
    for (const auto& node : set.validators) {
      const auto blank = node.find(' ');
      if (node[0] == '$' || blank == std::string::npos) continue;
      const auto given = node.substr(std::min(node.find_first_not_of(' ', blank), node.size()));
      if (!given.empty()) FP_TRY_VOID(name(given, node.substr(0, blank)));
    }
    for (const auto& [key, inner] : set.inner) FP_TRY_VOID(name_inline(inner));
    return {};
  }

  Result<Slice> resolve(const QuorumSet& set) {
    Slice out;
    for (const auto& node : set.validators) {
      if (node[0] != '$') {
        out.nodes.push_back(node.substr(0, node.find(' ')));
        continue;
      }
      const auto alias = node.substr(1);
      const auto found = names_.find(alias);
      if (found == names_.end() && alias != kSelf) {
        return invalid_quorum("unknown key in config: " + node);
      }
      out.nodes.push_back(found == names_.end() ? alias : found->second);
    }
    for (const auto& [key, inner] : set.inner) {
      FP_TRY(slice, resolve(inner));
      out.inner.push_back(std::move(slice));
    }
    const auto percent = static_cast<std::size_t>(set.threshold_percent);
    out.threshold = 1 + (out.size() * percent - 1) / 100;
    return out;
  }

  Result<void> check_safety(const Slice& slice) const {
    std::set<std::string_view> domains;
    for (const auto& member : validators_) domains.insert(member.domain);
    const bool majority = !quorum_.set && domains.size() <= 1 && slice.inner.empty();
    const auto least = majority ? simple_majority(slice.size()) : byzantine(slice.size());
    const auto safety = quorum_.failure_safety ? static_cast<std::size_t>(*quorum_.failure_safety)
                                               : slice.size() - least;
    if (safety >= failures_that_break(slice)) {
      return invalid_quorum("FAILURE_SAFETY incompatible with QUORUM_SET");
    }
    if (quorum_.unsafe) return {};
    if (safety == 0) {
      return invalid_quorum(
          "SCP unsafe: can't have FAILURE_SAFETY=0 unless you also set "
          "UNSAFE_QUORUM=true");
    }
    if (slice.threshold < least) {
      return invalid_quorum(
          "SCP unsafe: THRESHOLD_PERCENT is too low unless you also set "
          "UNSAFE_QUORUM=true");
    }
    return {};
  }

  Result<void> check_sane(const Slice& slice) {
    if (!quorum_.unsafe && slice.threshold < slice.size() - slice.threshold + 1) {
      return invalid_quorum(
          "Invalid QUORUM_SET: Threshold is lower than the v-blocking size (< 51%).");
    }
    for (const auto& node : slice.nodes) {
      if (!seen_.insert(node).second) {
        return invalid_quorum("Invalid QUORUM_SET: Duplicate node found in quorum configuration");
      }
    }
    for (const auto& inner : slice.inner) FP_TRY_VOID(check_sane(inner));
    return {};
  }

  const Quorum& quorum_;
  const QuorumSelf& self_;
  std::vector<Member> validators_;
  std::map<std::string, std::string> names_;
  std::set<std::string> keys_;
  std::set<std::string> seen_;
};

}  // namespace

Result<void> check_quorum(const Quorum& quorum, const QuorumSelf& self) {
  return Check(quorum, self).run();
}

}  // namespace fixpoint::operators::stellar
