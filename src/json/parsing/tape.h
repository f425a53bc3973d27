// SPDX-License-Identifier: Apache-2.0
//
// Tape: simdjson's flat form of one text, behind which no header needs to know simdjson.
//
// A word has its type in the top byte ('{', '[', '"', 'l', 'u', 'd', 't', 'f', 'n'); numbers take a
// second word. A container's word says how many children it has and where the tape goes on after
// it, so what nobody wants is stepped over in one move. Nothing deeper than kTapeDepthMax comes
// this way, so whoever walks a tape need not count levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace fixpoint::json {

// Deeper text is for the exact reader. Half of kDepthMax, so that what is stepped over can never be
// deeper than what json::parse takes.
inline constexpr std::size_t kTapeDepthMax = 500;

struct Tape {
  const std::uint64_t* words = nullptr;
  const std::uint8_t* strings = nullptr;

  // Where the root value is.
  static constexpr std::size_t kRoot = 1;
  // The tape saturates its counts here.
  static constexpr std::uint32_t kCountMax = 0xFFFFFF;

  char type(std::size_t at) const { return static_cast<char>(words[at] >> 56U); }
  std::uint32_t count(std::size_t at) const {
    return static_cast<std::uint32_t>(words[at] >> 32U) & kCountMax;
  }
  std::string_view string(std::size_t at) const {
    const auto* place = strings + (words[at] & kPayload);
    std::uint32_t size = 0;
    std::memcpy(&size, place, sizeof size);
    return {reinterpret_cast<const char*>(place + sizeof size), size};
  }
  // The place after the value at `at`.
  std::size_t after(std::size_t at) const {
    switch (type(at)) {
      case '{':
      case '[': return static_cast<std::uint32_t>(words[at]);
      case 'l':
      case 'u':
      case 'd': return at + 2;
      default: return at + 1;
    }
  }
  // The last word of the container at `at`: its closing bracket.
  std::size_t end(std::size_t at) const { return after(at) - 1; }

 private:
  static constexpr std::uint64_t kPayload = (std::uint64_t{1} << 56U) - 1;
};

// The thread's tape of `text`; the next call on this thread overwrites it. Nothing if simdjson
// refuses the text: then the exact reader knows whether it is wrong, and how.
std::optional<Tape> tape_of(std::string_view text);
// Gives back what an unusually large text needed. After this the tape is gone.
void trim_tape();

}  // namespace fixpoint::json
