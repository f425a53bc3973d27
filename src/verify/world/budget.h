// SPDX-License-Identifier: Apache-2.0
//
// Budget: how often each kind of trouble may happen in one run, at most.
//
// A budget is part of the state, so within it everything is explored and nothing is cut. `stale` is
// different: not a number of times but how many events a cache may lag behind, for each kind.
#pragma once

#include "base/error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::verify::world {

enum class Trouble : std::uint8_t {
  Crash,    // a process dies, between any two effects
  Error,    // a call fails, before or after it was acted upon
  Late,     // a request is acted upon after its sender gave it up, or died
  Travel,   // after a restart the cache begins in the past
  Past,     // a live read is answered from the past
  Watch,    // a watch breaks and events are missed, or an event comes twice
  Lease,    // the lease changes hands
  Edit,     // a person does something
  Foreign,  // somebody else writes what the operator manages
  Flap,     // what was ready is so no more
};
inline constexpr std::size_t kTroubles = static_cast<std::size_t>(Trouble::Flap) + 1;
std::string_view to_string(Trouble trouble);

struct Budget {
  std::array<std::uint8_t, kTroubles> times{};
  std::uint8_t stale = 0;

  std::uint8_t& operator[](Trouble trouble) { return times[static_cast<std::size_t>(trouble)]; }
  std::uint8_t operator[](Trouble trouble) const {
    return times[static_cast<std::size_t>(trouble)];
  }
  bool operator==(const Budget&) const = default;
  // Nothing may happen more often than there.
  bool within(const Budget& other) const;

  // "crash=1,error=2,stale=2": changes what it names. An error says what there is.
  Result<Budget> with(std::string_view text) const;
  // As `with` takes it, without what is zero; "none" when all is.
  std::string to_string() const;
};

}  // namespace fixpoint::verify::world
