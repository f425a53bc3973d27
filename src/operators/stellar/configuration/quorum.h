// SPDX-License-Identifier: Apache-2.0
//
// Quorum: whom a node trusts, as stellar-core's configuration says it.
//
// Either a list of validators with their home domains, from which core makes the sets itself, or
// sets written by hand. `spec.validatorConfig.quorumSet` is TOML text of that part of the file; it
// is read here, checked by core's rules and written again by settings.h, so that a user's text
// cannot change the meaning of what surrounds it.
#pragma once

#include "base/error.h"
#include "json/value.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::operators::stellar {

// Of home domains and validators, highest first.
inline constexpr std::array<std::string_view, 4> kQualities{"CRITICAL", "HIGH", "MEDIUM", "LOW"};

struct HomeDomain {
  std::string domain;
  std::string quality;  // LOW MEDIUM HIGH CRITICAL
  friend bool operator==(const HomeDomain&, const HomeDomain&) = default;
};

struct TrustedValidator {
  std::string name;
  std::string home_domain;
  std::string public_key;
  std::string address{};  // host or host:port; empty: unknown
  std::string history{};  // the command that gets a file: "curl -sf http://…/{0} -o {1}"
  std::string quality{};  // when the home domain has none
  friend bool operator==(const TrustedValidator&, const TrustedValidator&) = default;
};

// Depth of sets in sets that core accepts below the outermost.
inline constexpr int kQuorumDepthMax = 4;
// Nodes in all of them that core accepts.
inline constexpr std::size_t kQuorumNodesMax = 1'000;

struct QuorumSet {
  std::int64_t threshold_percent = 67;
  std::vector<std::string> validators{};  // keys, "KEY name" or "$name"
  std::map<std::string, QuorumSet> inner{};
  friend bool operator==(const QuorumSet&, const QuorumSet&) = default;
};

struct Quorum {
  std::vector<HomeDomain> home_domains{};
  std::vector<TrustedValidator> validators{};
  std::optional<QuorumSet> set{};
  bool unsafe = false;                           // UNSAFE_QUORUM
  std::optional<std::int64_t> failure_safety{};  // core computes it if not given
  bool empty() const { return validators.empty() && !set; }
  friend bool operator==(const Quorum&, const Quorum&) = default;
};

// The node that is to live with it.
struct QuorumSelf {
  bool is_validator = true;
  std::string home_domain{};
};
// The error of everything below.
std::unexpected<Error> invalid_quorum(std::string message);

// Core's own rules: what it would refuse to start with, in its words.
Result<void> check_quorum(const Quorum& quorum, const QuorumSelf& self);

// Reads TOML with QUORUM_SET, VALIDATORS, HOME_DOMAINS, UNSAFE_QUORUM, FAILURE_SAFETY and nothing
// else. Invalid: what is wrong and where. What it means for a node is check_quorum()'s.
Result<Quorum> parse_quorum(std::string_view toml);
// The same of a file that was read already; what is none of the five is left to the caller.
Result<Quorum> read_quorum(json::View file);

// "KNOWN_PEERS = [...]" (PREFERRED_PEERS counts too), or only the array.
Result<std::vector<std::string>> parse_peers(std::string_view toml);

// What the network's own tools take when nobody says whom to trust; nothing where it is not known.
// Good for following a network, too convenient for validating one.
std::optional<Quorum> standard_quorum(std::string_view network_passphrase);
// A validator has a place in the list it follows: its home domain gets one, of low quality, if it
// is not among the others'.
void admit_self(Quorum& quorum, const std::string& home_domain);
// The archives that belong to it.
std::vector<std::string> standard_archives(std::string_view network_passphrase);

}  // namespace fixpoint::operators::stellar
