// SPDX-License-Identifier: Apache-2.0
#include "verify/world/budget.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::verify::world {
namespace {

constexpr std::string_view kStale = "stale";
// The counters are bytes, and no world is explored to the end with even a tenth of it.
constexpr unsigned kTimesMax = 200;

std::uint8_t* find(Budget& budget, std::string_view name) {
  if (name == kStale) return &budget.stale;
  for (std::size_t at = 0; at < kTroubles; ++at) {
    if (to_string(static_cast<Trouble>(at)) == name) return &budget.times[at];
  }
  return nullptr;
}

std::string known() {
  std::string names{kStale};
  for (std::size_t at = 0; at < kTroubles; ++at) {
    names += fmt::format(", {}", to_string(static_cast<Trouble>(at)));
  }
  return names;
}

}  // namespace

std::string_view to_string(Trouble trouble) {
  switch (trouble) {
    case Trouble::Crash: return "crash";
    case Trouble::Error: return "error";
    case Trouble::Late: return "late";
    case Trouble::Travel: return "travel";
    case Trouble::Past: return "past";
    case Trouble::Watch: return "watch";
    case Trouble::Lease: return "lease";
    case Trouble::Edit: return "edit";
    case Trouble::Foreign: return "foreign";
    case Trouble::Flap: return "flap";
  }
  return "unknown";
}

bool Budget::within(const Budget& other) const {
  return stale <= other.stale && std::ranges::equal(times, other.times, [](auto mine, auto theirs) {
           return mine <= theirs;
         });
}

Result<Budget> Budget::with(std::string_view text) const {
  Budget made = *this;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const auto item = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    const auto equals = item.find('=');
    std::uint8_t* const place = find(made, item.substr(0, equals));
    if (place == nullptr) {
      return fail(ErrorKind::Invalid, fmt::format("there is no budget \"{}\"; there are {}",
                                                  item.substr(0, equals), known()));
    }
    unsigned number = 0;
    const auto digits = equals == std::string_view::npos ? "" : item.substr(equals + 1);
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || stop != digits.data() + digits.size() || number > kTimesMax) {
      return fail(
          ErrorKind::Invalid,
          fmt::format("\"{}\": a budget is a name, = and a number up to {}", item, kTimesMax));
    }
    *place = static_cast<std::uint8_t>(number);
  }
  return made;
}

std::string Budget::to_string() const {
  std::string text;
  const auto add = [&](std::string_view name, unsigned number) {
    if (number > 0) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, number);
  };
  for (std::size_t at = 0; at < kTroubles; ++at) {
    add(world::to_string(static_cast<Trouble>(at)), times[at]);
  }
  add(kStale, stale);
  return text.empty() ? "none" : text;
}

}  // namespace fixpoint::verify::world
