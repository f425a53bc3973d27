// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/configuration/quorum.h"

#include "json/toml/toml.h"
#include "operators/stellar/configuration/strkey.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

constexpr std::array<std::string_view, 5> kQuorumKeys{"QUORUM_SET", "VALIDATORS", "HOME_DOMAINS",
                                                      "UNSAFE_QUORUM", "FAILURE_SAFETY"};

Result<std::string> text_of(std::string_view key, json::View value) {
  if (!value.is_string()) return invalid_quorum(fmt::format("invalid '{}'", key));
  return std::string{value.as_string()};
}

Result<std::string> quality_of(json::View value) {
  FP_TRY(quality, text_of("QUALITY", value));
  if (std::ranges::find(kQualities, quality) == kQualities.end()) {
    return invalid_quorum(fmt::format("Unknown QUALITY '{}'", quality));
  }
  return quality;
}

Result<std::vector<std::string>> texts_of(std::string_view key, json::View value) {
  if (!value.is_array()) return invalid_quorum(fmt::format("'{}' must be an array", key));
  std::vector<std::string> out;
  for (const json::View element : value.elements()) {
    if (!element.is_string()) return invalid_quorum(fmt::format("invalid element of '{}'", key));
    out.emplace_back(element.as_string());
  }
  return out;
}

// "$name", a key, or a key and the name it gets.
Result<void> check_node(std::string_view node) {
  if (node.size() >= 2 && node[0] == '$') return {};
  if (is_public_key(node.substr(0, node.find(' ')))) return {};
  return invalid_quorum(fmt::format("invalid key: {}", node));
}

Result<QuorumSet> set_of(json::View table, int depth) {
  if (!table.is_object()) return invalid_quorum("invalid quorum set, should be a group");
  if (depth > kQuorumDepthMax) return invalid_quorum("too many levels in quorum set");
  QuorumSet set;
  for (const auto& [key, value] : table.members()) {
    if (key == "THRESHOLD_PERCENT") {
      set.threshold_percent = value.is_int() ? value.as_int() : 0;
      if (set.threshold_percent < 1 || set.threshold_percent > 100) {
        return invalid_quorum("invalid THRESHOLD_PERCENT");
      }
    } else if (key == "VALIDATORS") {
      FP_TRY(validators, texts_of(key, value));
      for (const auto& node : validators) FP_TRY_VOID(check_node(node));
      set.validators = std::move(validators);
    } else {
      auto inner = set_of(value, depth + 1);
      if (!inner)
        return invalid_quorum(fmt::format("{} while parsing '{}'", inner.error().message, key));
      set.inner.emplace(key, *std::move(inner));
    }
  }
  if (set.validators.empty() && set.inner.empty())
    return invalid_quorum("invalid quorum set definition");
  return set;
}

Result<TrustedValidator> validator_of(json::View table) {
  TrustedValidator out;
  for (const auto& [key, value] : table.members()) {
    if (key == "QUALITY") {
      FP_TRY(quality, quality_of(value));
      out.quality = quality;
      continue;
    }
    FP_TRY(text, text_of(key, value));
    if (key == "NAME") {
      out.name = text;
    } else if (key == "HOME_DOMAIN") {
      out.home_domain = text;
    } else if (key == "PUBLIC_KEY") {
      out.public_key = text;
    } else if (key == "ADDRESS") {
      out.address = text;
    } else if (key == "HISTORY") {
      out.history = text;
    } else {
      return invalid_quorum(fmt::format("malformed VALIDATORS entry, unknown element '{}'", key));
    }
  }
  if (out.name.empty()) return invalid_quorum("malformed VALIDATORS entry: missing 'NAME'");
  if (out.home_domain.empty() || !is_public_key(out.public_key)) {
    return invalid_quorum(fmt::format("malformed VALIDATORS entry '{}'", out.name));
  }
  return out;
}

Result<HomeDomain> domain_of(json::View table) {
  HomeDomain out;
  for (const auto& [key, value] : table.members()) {
    if (key == "QUALITY") {
      FP_TRY(quality, quality_of(value));
      out.quality = quality;
    } else if (key == "HOME_DOMAIN") {
      FP_TRY(domain, text_of(key, value));
      out.domain = domain;
    } else {
      return invalid_quorum(fmt::format("Unknown field '{}' in HOME_DOMAINS", key));
    }
  }
  if (out.domain.empty() || out.quality.empty()) {
    return invalid_quorum(fmt::format("Malformed HOME_DOMAINS '{}'", out.domain));
  }
  return out;
}

// The tables of [[key]], each read by `read`.
template <class T>
Result<std::vector<T>> tables_of(json::View file, std::string_view key,
                                 Result<T> (*read)(json::View)) {
  std::vector<T> out;
  const auto found = file.find(key);
  if (!found) return out;
  if (!found->is_array()) return invalid_quorum(fmt::format("malformed {}", key));
  for (const json::View table : found->elements()) {
    if (!table.is_object()) return invalid_quorum(fmt::format("malformed {}", key));
    FP_TRY(one, read(table));
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::unexpected<Error> invalid_quorum(std::string message) {
  return fail(ErrorKind::Invalid, std::move(message));
}

Result<Quorum> read_quorum(json::View file) {
  Quorum quorum;
  FP_TRY(domains, tables_of<HomeDomain>(file, "HOME_DOMAINS", domain_of));
  quorum.home_domains = std::move(domains);
  FP_TRY(validators, tables_of<TrustedValidator>(file, "VALIDATORS", validator_of));
  quorum.validators = std::move(validators);
  if (const auto set = file.find("QUORUM_SET")) {
    FP_TRY(read, set_of(*set, 0));
    quorum.set = std::move(read);
  }
  if (const auto unsafe = file.find("UNSAFE_QUORUM")) {
    if (!unsafe->is_bool()) return invalid_quorum("invalid 'UNSAFE_QUORUM'");
    quorum.unsafe = unsafe->as_bool();
  }
  if (const auto safety = file.find("FAILURE_SAFETY")) {
    if (!safety->is_int()) return invalid_quorum("invalid 'FAILURE_SAFETY'");
    if (safety->as_int() < -1 || safety->as_int() > 1'000'000)
      return invalid_quorum("bad 'FAILURE_SAFETY'");
    if (safety->as_int() >= 0) quorum.failure_safety = safety->as_int();
  }
  return quorum;
}

Result<Quorum> parse_quorum(std::string_view toml) {
  FP_TRY(file, json::parse_toml(toml));
  for (const auto& [key, value] : file.members()) {
    if (std::ranges::find(kQuorumKeys, key) == kQuorumKeys.end()) {
      return invalid_quorum(
          fmt::format("'{}' has no place here: only {}", key, fmt::join(kQuorumKeys, ", ")));
    }
  }
  return read_quorum(file);
}

Result<std::vector<std::string>> parse_peers(std::string_view toml) {
  const auto begin = toml.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return std::vector<std::string>{};
  const bool bare = toml[begin] == '[' && toml.substr(begin, 2) != "[[";
  FP_TRY(file, json::parse_toml(bare ? fmt::format("KNOWN_PEERS={}", toml.substr(begin))
                                     : std::string{toml}));
  std::vector<std::string> peers;
  for (const auto& [key, value] : file.members()) {
    if (key != "KNOWN_PEERS" && key != "PREFERRED_PEERS") {
      return invalid_quorum(
          fmt::format("'{}' has no place here: only KNOWN_PEERS, PREFERRED_PEERS", key));
    }
    FP_TRY(more, texts_of(key, value));
    peers.insert(peers.end(), more.begin(), more.end());
  }
  for (const auto& peer : peers) {
    if (peer.empty() || peer.find_first_of(" \t\"\\/") != std::string::npos) {
      return invalid_quorum(fmt::format("'{}' is no peer: give HOST or HOST:PORT", peer));
    }
  }
  return peers;
}

}  // namespace fixpoint::operators::stellar
