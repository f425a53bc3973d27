// SPDX-License-Identifier: Apache-2.0
//
// Drawings for tests, and what tests ask about them.
#pragma once

#include "base/rng.h"
#include "verify/models/search.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::verify {

// Who moves in a drawing of two actors: one that is fair, and one that need never come.
inline constexpr ActorId kMachine = 0;
inline constexpr ActorId kPerson = 1;

// Of random drawings.
inline constexpr unsigned kPlaces = 6;
inline constexpr unsigned kActors = 3;  // the last one is not fair

// A drawing, and where what leads somewhere begins and ends.
struct Picture {
  std::vector<Drawn::Arrow> arrows;
  unsigned when = 0;  // sets of places, as bits
  unsigned holds = 0;
};

inline Picture random_picture(Rng& rng) {
  Picture picture;
  const auto count = 2 + rng.below(12);
  for (std::uint64_t i = 0; i < count; ++i) {
    picture.arrows.push_back({static_cast<unsigned>(rng.below(kPlaces)),
                              static_cast<unsigned>(rng.below(kPlaces)),
                              static_cast<ActorId>(rng.below(kActors))});
  }
  picture.when = static_cast<unsigned>(rng.below(1U << kPlaces));
  picture.holds = static_cast<unsigned>(rng.below(1U << kPlaces));
  return picture;
}

// Whether a place is in a set of places.
inline bool has(unsigned set, unsigned place) {
  return (set >> place & 1U) != 0;
}

inline Verdict verdict_of(const Drawn& model, const ExploreOptions& options = {}) {
  return explore(model, options).verdicts.at(0);
}

// The states of a trace: "0 1 2 | 1 2" with the loop after the bar.
inline std::string way_of(const Verdict& verdict) {
  if (!verdict.trace) return "";
  std::string way = "0";
  for (std::size_t i = 0; i < verdict.trace->steps.size(); ++i) {
    if (verdict.trace->loop_from == i) way += " |";
    const auto& action = verdict.trace->steps[i].action;
    way += action.substr(action.rfind(' '));
  }
  if (verdict.trace->loop_from == verdict.trace->steps.size()) way += " |";
  return way;
}

}  // namespace fixpoint::verify
