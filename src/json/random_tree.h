// SPDX-License-Identifier: Apache-2.0
//
// Random trees for property tests: small, with few distinct keys so that two of them overlap, and
// with every kind of text that needs care. The same seed gives the same tree on every machine.
#pragma once

#include "base/rng.h"
#include "json/draft.h"
#include "json/intern.h"

#include <string>

namespace fixpoint::json {

enum class Nulls : std::uint8_t { No, Yes };

namespace testing_detail {

inline std::string random_text(Rng& rng) {
  static const std::string kPieces[] = {"a",    "Pod",   "<b>&",         "\n\t",       "\"",
                                        "\\",   "é",     "日本",         "\U0001F600", "/~",
                                        "true", "12345", "longer words", "\x01\x7f",   "\u2028"};
  std::string text;
  for (auto count = rng.below(5); count > 0; --count) text += kPieces[rng.below(15)];
  return text;
}

inline std::string random_key(Rng& rng) {
  if (rng.below(8) == 0) return random_text(rng);
  if (rng.below(12) == 0) return std::string(kInternedKeyBytesMax + rng.below(3), 'k');
  return std::string{static_cast<char>('a' + rng.below(6))};
}

inline Draft random_draft(Rng& rng, Nulls nulls, std::size_t depth) {
  const auto kind = rng.below(depth == 0 ? 5 : 8);
  if (kind == 0) return nulls == Nulls::Yes ? Draft{} : Draft{true};
  if (kind == 1) return rng.below(2) == 0;
  if (kind == 2) return static_cast<std::int64_t>(rng.next() >> rng.below(64));
  if (kind == 3) return static_cast<double>(rng.below(1000)) / 8 + 0.0625;
  if (kind == 4) return random_text(rng);
  auto draft = kind == 5 ? Draft::array() : Draft::object();
  for (auto count = rng.below(6); count > 0; --count) {
    auto child = random_draft(rng, nulls, depth - 1);
    if (kind == 5) {
      draft.push_back(std::move(child));
    } else {
      draft[random_key(rng)] = std::move(child);
    }
  }
  return draft;
}

}  // namespace testing_detail

inline Value random_object(std::uint64_t seed, Nulls nulls) {
  Rng rng{seed};
  auto draft = Draft::object();
  for (auto count = rng.below(8); count > 0; --count) {
    const auto key = testing_detail::random_key(rng);
    draft[key] = testing_detail::random_draft(rng, nulls, 4);
  }
  return draft.freeze();
}

}  // namespace fixpoint::json
