// SPDX-License-Identifier: Apache-2.0
#include "verify/world/digest.h"

#include "base/ascii.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <unordered_map>
#include <utility>

namespace fixpoint::verify::world {
namespace {

constexpr std::size_t kUidChars = 36;
constexpr std::size_t kTimeChars = 20;  // 2026-01-01T00:00:00Z

bool is_lowercase_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}

bool is_uid(std::string_view text) {
  for (std::size_t at = 0; at < kUidChars; ++at) {
    const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
    if (dash ? text[at] != '-' : !is_lowercase_hex(text[at])) return false;
  }
  return true;
}

bool is_time(std::string_view text) {
  return text.size() == kTimeChars && text[4] == '-' && text[7] == '-' && text[10] == 'T' &&
         text[13] == ':' && text[19] == 'Z' && is_digit(text[0]) && is_digit(text[18]);
}

// Grows with time; the digits as they stand.
std::uint64_t time_number(std::string_view text) {
  std::uint64_t number = 0;
  for (const char c : text) {
    if (is_digit(c)) number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

// Trees that are remembered; beyond it the memory starts over, which costs time only.
constexpr std::size_t kRememberedMax = 100'000;

struct Place {
  const json::Block* block = nullptr;
  std::uint32_t node = 0;
  bool operator==(const Place&) const = default;
};
struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    return std::bit_cast<std::size_t>(place.block) / 16 * 0x9e3779b97f4a7c15U + place.node;
  }
};
struct Remembered {
  json::Value kept;  // so that its block is not another one tomorrow
  Digest digest;
};

class Memory {
 public:
  const Digest& of(json::View value) {
    const Place place{value.block(), value.node()};
    if (const auto found = known_.find(place); found != known_.end()) return found->second.digest;
    if (known_.size() >= kRememberedMax) known_.clear();
    DigestBuilder builder;
    builder.value(value);
    auto& made = known_[place];
    made.kept = json::Value(value);
    made.digest = builder.finish();
    return made.digest;
  }

 private:
  std::unordered_map<Place, Remembered, PlaceHash> known_;
};

// Sorted and unique; the rank of a value that is in it counts from 1.
class Ranks {
 public:
  void clear() { values_.clear(); }
  void add(std::uint64_t value) { values_.push_back(value); }
  void close() {
    std::ranges::sort(values_);
    const auto rest = std::ranges::unique(values_);
    values_.erase(rest.begin(), rest.end());
  }
  std::uint64_t of(std::uint64_t value) const {
    return static_cast<std::uint64_t>(std::ranges::lower_bound(values_, value) - values_.begin()) +
           1;
  }

 private:
  std::vector<std::uint64_t> values_;
};

// Few uids are alive at a time: a row is faster than a table.
class FirstUse {
 public:
  void clear() { seen_.clear(); }
  std::uint64_t of(std::uint64_t value) {
    const auto found = std::ranges::find(seen_, value);
    const auto at = static_cast<std::uint64_t>(found - seen_.begin());
    if (found == seen_.end()) seen_.push_back(value);
    return at;
  }

 private:
  std::vector<std::uint64_t> seen_;
};

// Room that a thread uses again and again.
struct Scratch {
  Ranks versions;
  Ranks times;
  Ranks deadlines;
  FirstUse uids;
  std::vector<std::uint64_t> words;
};

}  // namespace

void DigestBuilder::mention(Mention::Kind kind, std::uint64_t value) {
  // The kind is part of the shape: where a version stands no uid can.
  words_.push_back(0xF000 + static_cast<std::uint64_t>(kind));
  refer({kind, value});
}

namespace {

// A row of so many is searched faster than a table is kept.
constexpr std::size_t kFewMentions = 16;

std::size_t home_of(const Mention& mention, std::size_t places) {
  const auto mixed =
      (mention.value ^ static_cast<std::uint64_t>(mention.kind)) * 0x9e3779b97f4a7c15;
  return (mixed >> 32U) & (places - 1);
}

}  // namespace

void DigestBuilder::refer(const Mention& mention) {
  if (mention.kind == Mention::Kind::Deadline) {
    mentions_.push_back(mention);
    return;
  }
  if (mentions_.size() < kFewMentions) {
    const auto at = std::ranges::find(mentions_, mention) - mentions_.begin();
    words_.push_back(static_cast<std::uint64_t>(at));
    if (static_cast<std::size_t>(at) == mentions_.size()) mentions_.push_back(mention);
    return;
  }
  if (places_.size() < mentions_.size() * 2) index();
  std::size_t place = home_of(mention, places_.size());
  while (places_[place] != 0 && mentions_[places_[place] - 1] != mention) {
    place = (place + 1) & (places_.size() - 1);
  }
  if (places_[place] == 0) {
    mentions_.push_back(mention);
    places_[place] = static_cast<std::uint32_t>(mentions_.size());
  }
  words_.push_back(places_[place] - 1);
}

void DigestBuilder::index() {
  places_.assign(std::bit_ceil(mentions_.size() * 4), 0);
  for (std::uint32_t at = 0; at < mentions_.size(); ++at) {
    if (mentions_[at].kind == Mention::Kind::Deadline) continue;
    std::size_t place = home_of(mentions_[at], places_.size());
    while (places_[place] != 0) place = (place + 1) & (places_.size() - 1);
    places_[place] = at + 1;
  }
}

void DigestBuilder::version(std::string_view text) {
  std::uint64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && stop == end && number != 0) {
    mention(Mention::Kind::Version, number);
  } else {
    plain(text);
  }
}

void DigestBuilder::plain(std::string_view text) {
  words_.push_back(text.size());
  words_.push_back(hash64(text));
}

void DigestBuilder::text(std::string_view text) {
  if (is_time(text)) return mention(Mention::Kind::Time, time_number(text));
  std::size_t begin = 0;
  for (std::size_t at = 0; at + kUidChars <= text.size();) {
    if (!is_uid(text.substr(at, kUidChars))) {
      ++at;
      continue;
    }
    plain(text.substr(begin, at - begin));
    mention(Mention::Kind::Uid, hash64(text.substr(at, kUidChars)));
    at += kUidChars;
    begin = at;
  }
  plain(text.substr(begin));
}

void DigestBuilder::deadline(MonotonicInstant at) {
  if (at == MonotonicInstant::max()) return number(0);
  mention(Mention::Kind::Deadline, static_cast<std::uint64_t>(at.time_since_epoch().count()));
}

void DigestBuilder::value(json::View value) {
  walk(value);
}

void DigestBuilder::walk(json::View value) {
  words_.push_back(0xA000 + static_cast<std::uint64_t>(value.type()));
  switch (value.type()) {
    case json::Type::Null: return;
    case json::Type::Bool: return truth(value.as_bool());
    case json::Type::Int: return number(static_cast<std::uint64_t>(value.as_int()));
    case json::Type::Float: return number(std::bit_cast<std::uint64_t>(value.as_double()));
    case json::Type::String: return text(value.as_string());
    case json::Type::Array:
      number(value.size());
      for (const json::View element : value.elements()) walk(element);
      return;
    case json::Type::Object:
      number(value.size());
      for (const auto [key, member] : value.members()) {
        text(key);
        if (key == "resourceVersion" && member.is_string()) {
          version(member.as_string());
        } else {
          walk(member);
        }
      }
      return;
  }
}

void DigestBuilder::part(const Digest& digest) {
  words_.push_back(digest.shape.high);
  words_.push_back(digest.shape.low);
  for (const Mention& mention : digest.mentions) refer(mention);
}

Digest DigestBuilder::finish() {
  const std::string_view bytes{reinterpret_cast<const char*>(words_.data()),
                               words_.size() * sizeof(std::uint64_t)};
  return {hash128(bytes), std::move(mentions_)};
}

Hash128 Digest::exact(std::uint64_t seed) const {
  thread_local std::vector<std::uint64_t> words;
  words.assign({shape.high, shape.low, seed});
  for (const Mention& mention : mentions) words.push_back(mention.value);
  return hash128(
      {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t)});
}

const Digest& digest_of(json::View value) {
  thread_local Memory memory;
  return memory.of(value);
}

Hash128 Canonical::fingerprint(const std::vector<const Digest*>& parts) const {
  thread_local Scratch scratch;
  auto& [versions, times, deadlines, uids, words] = scratch;
  versions.clear();
  times.clear();
  deadlines.clear();
  uids.clear();
  words.clear();
  const auto moment = static_cast<std::uint64_t>(now.time_since_epoch().count());
  for (const Digest* part : parts) {
    for (const Mention& mention : part->mentions) {
      if (mention.kind == Mention::Kind::Version && mention.value > first_version) {
        versions.add(mention.value);
      } else if (mention.kind == Mention::Kind::Time) {
        times.add(mention.value);
      } else if (mention.kind == Mention::Kind::Deadline && mention.value > moment) {
        deadlines.add(mention.value);
      }
    }
  }
  versions.close();
  times.close();
  deadlines.close();
  const auto is_fixed = [&](std::uint64_t uid) {
    return fixed_uids != nullptr && std::ranges::binary_search(*fixed_uids, uid);
  };
  const auto number = [&](const Mention& mention) -> std::uint64_t {
    switch (mention.kind) {
      case Mention::Kind::Version:
        if (!reductions.versions || mention.value <= first_version) return mention.value;
        return first_version + versions.of(mention.value);
      case Mention::Kind::Uid:
        if (!reductions.uids || is_fixed(mention.value)) return mention.value;
        return uids.of(mention.value);
      case Mention::Kind::Time: return reductions.times ? times.of(mention.value) : mention.value;
      case Mention::Kind::Deadline:
        if (mention.value <= moment) return 0;  // due
        return reductions.deadlines ? deadlines.of(mention.value) : mention.value - moment;
    }
    return 0;
  };
  for (const Digest* part : parts) {
    words.push_back(part->shape.high);
    words.push_back(part->shape.low);
    for (const Mention& mention : part->mentions) words.push_back(number(mention));
  }
  return hash128(
      {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t)});
}

}  // namespace fixpoint::verify::world
