// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/mask.h"

#include "base/ascii.h"
#include "base/rfc3339.h"
#include "net/loop.h"
#include "tests/conformance/text.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace fixpoint::conformance {
namespace {

bool is_lowercase_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}

constexpr std::size_t kUidSize = 36;

bool uid_at(std::string_view text, std::size_t at) {
  if (at + kUidSize > text.size()) return false;
  for (std::size_t i = 0; i < kUidSize; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[at + i] != '-' : !is_lowercase_hex(text[at + i])) return false;
  }
  return true;
}

// The length of the RFC 3339 time that begins here; 0 if none does.
std::size_t time_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kShortest = 20;  // "2026-11-15T12:00:00Z"
  if (at + kShortest > text.size() || text[at + 4] != '-' || text[at + 10] != 'T') return 0;
  auto end = at + 19;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  if (end < text.size() && text[end] == 'Z') ++end;
  return is_recent_time(text.substr(at, end - at)) ? end - at : 0;
}

// The owners in a quoted object stand in the order of the seconds in which they wrote.
std::string mask_owners(std::string text) {
  constexpr std::string_view kOwners = R"(\"managedFields\":[)";
  const auto begin = text.find(kOwners);
  if (begin == std::string::npos) return text;
  int depth = 1;
  auto end = begin + kOwners.size();
  for (; end < text.size() && depth > 0; ++end)
    depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
  return text.replace(begin + kOwners.size(), end - begin - kOwners.size(), "<owners>]");
}

}  // namespace

bool is_recent_time(std::string_view text) {
  const auto time = parse_rfc3339(text);
  if (!time) return false;
  // Signed tokens expire at most a year ahead; nothing that sequences send is so near to now.
  const auto now = net::system_clock().wall();
  return *time > now - std::chrono::hours(24) && *time < now + std::chrono::hours(24 * 366);
}

void Mask::learn_version(std::string_view version) {
  versions_.insert(number_of(version));
}

void Mask::learn_generated(std::string_view name) {
  if (std::ranges::find(generated_, name) == generated_.end()) generated_.emplace_back(name);
}

void Mask::learn_prefix(std::string_view prefix) {
  // A long one is cut to make room for the suffix.
  constexpr std::size_t kRoom = 58;
  prefixes_.emplace(prefix.substr(0, kRoom));
}

void Mask::learn_picked(std::string_view sort, std::string_view value) {
  picked_.emplace(value, ordinal(sort, value));
}

// Where an object is quoted, not inside a longer number.
std::string Mask::mask_picked(std::string text) const {
  const auto joins = [&](std::size_t at) {
    return at < text.size() && (is_digit(text[at]) || text[at] == '.');
  };
  for (const auto& [value, label] : picked_) {
    for (std::size_t at = 0; (at = text.find(value, at)) != std::string::npos;) {
      const auto end = at + value.size();
      if ((at > 0 && joins(at - 1)) || joins(end)) {
        at = end;
        continue;
      }
      text.replace(at, value.size(), label);
      at += label.size();
    }
  }
  return text;
}

// "prefix-bcd5f" to "prefix-<suffix>" where nothing of that name was ever stored.
std::string Mask::mask_suffixes(std::string text) const {
  constexpr std::size_t kSuffix = 5;
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  for (const auto& prefix : prefixes_) {
    for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) {
      at += prefix.size();
      const auto suffix = std::string_view{text}.substr(at, kSuffix);
      if (suffix.size() == kSuffix &&
          suffix.find_first_not_of(kAlphabet) == std::string_view::npos) {
        text.replace(at, kSuffix, "<suffix>");
      }
    }
  }
  return text;
}

std::string Mask::version(std::string_view version) const {
  const auto at = versions_.find(number_of(version));
  if (at == versions_.end()) return "<rv>";
  return "<rv " + std::to_string(std::distance(versions_.begin(), at) + 1) + ">";
}

std::string Mask::ordinal(std::string_view sort, std::string_view value) {
  const std::pair<std::string, std::string> key{sort, value};
  auto at = ordinals_.find(key);
  if (at == ordinals_.end()) at = ordinals_.emplace(key, ++counts_[std::string{sort}]).first;
  return "<" + key.first + " " + std::to_string(at->second) + ">";
}

std::string Mask::text(std::string_view text) {
  std::string masked = mask_uids(text);
  for (std::size_t i = 0; i < generated_.size(); ++i) {
    masked = replaced(masked, generated_[i], "<generated " + std::to_string(i + 1) + ">");
  }
  masked = replaced(mask_suffixes(std::move(masked)), id_, "<id>");
  masked = mask_self_types(mask_picked(mask_owners(std::move(masked))));
  return mask_versions(mask_times(masked));
}

// A real server names the type of a rule's self by the time.
std::string Mask::mask_self_types(std::string_view text) const {
  constexpr std::string_view kName = "selfType";
  std::string masked;
  for (std::size_t at = 0; at < text.size();) {
    if (!text.substr(at).starts_with(kName)) {
      masked += text[at++];
      continue;
    }
    masked += kName;
    at += kName.size();
    if (at >= text.size() || !is_digit(text[at])) continue;
    while (at < text.size() && is_digit(text[at])) ++at;
    masked += "<number>";
  }
  return masked;
}

std::string Mask::mask_uids(std::string_view text) {
  std::string masked;
  for (std::size_t at = 0; at < text.size();) {
    if (uid_at(text, at)) {
      masked += ordinal("uid", text.substr(at, kUidSize));
      at += kUidSize;
    } else {
      masked += text[at++];
    }
  }
  return masked;
}

std::string Mask::mask_times(std::string_view text) const {
  std::string masked;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto size = is_digit(text[at]) ? time_at(text, at) : 0; size > 0) {
      masked += "<time>";
      at += size;
    } else {
      masked += text[at++];
    }
  }
  return masked;
}

// Numbers in a sentence about versions; any other number is what it is.
std::string Mask::mask_versions(std::string_view text) const {
  const auto word = text.find("ersion");
  if (word == std::string_view::npos) return std::string{text};
  // The lines of a quoted object's change have numbers of their own.
  const auto change = std::min(text.find("\n@@ -"), text.size());
  if (change < word) return std::string{text};
  std::string masked{text.substr(0, word)};
  for (std::size_t at = word; at < change;) {
    // Of a word, or of a place in a source file, "scheme.go:110".
    const bool inside = std::isalnum(static_cast<unsigned char>(masked.back())) != 0 ||
                        masked.back() == '.' || masked.back() == '-' || masked.back() == ':';
    if (!is_digit(text[at]) || inside) {
      masked += text[at++];
      continue;
    }
    auto end = at;
    while (end < change && is_digit(text[end])) ++end;
    // Only what a server counted itself: a version that nobody has stands as it was sent.
    const auto number = number_of(text.substr(at, end - at));
    // How far a server has counted is its own affair.
    const bool newest = masked.ends_with("current: ");
    // A number in a quoted object is a field's: versions are strings there. A young server has
    // versions as small as a file's mode. And no version has a unit.
    const bool quoted = masked.ends_with("\": ") || masked.ends_with("\":") ||
                        (end < change && std::isalpha(static_cast<unsigned char>(text[end])) != 0);
    // Of an object that was never shown but in a refusal.
    const bool of_object = masked.ends_with(R"(resourceVersion\":\")");
    if (newest) {
      masked += "<rv>";
    } else if (of_object) {
      masked += version(text.substr(at, end - at));
    } else if (quoted) {
      masked += text.substr(at, end - at);
    } else {
      masked += versions_.contains(number) ? version(text.substr(at, end - at))
                                           : std::string{text.substr(at, end - at)};
    }
    at = end;
  }
  return masked + std::string{text.substr(change)};
}

}  // namespace fixpoint::conformance
