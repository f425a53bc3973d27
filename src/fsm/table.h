// SPDX-License-Identifier: Apache-2.0
//
// Table: a life cycle as data. Phases, events, guards and targets are constexpr; what is not listed
// is refused.
//
//   enum class Phase : std::uint8_t { Closed, Open, Gone };   // each with enum_names(), as in
//   types/ enum class Event : std::uint8_t { Pull, Push, Burn }; enum class Guard : std::uint8_t {
//   Always, Unlocked }; inline constexpr auto kDoor = fsm::table<Phase, Event,
//   Guard>(Phase::Closed, {{
//       {Phase::Closed, Event::Pull, Phase::Open, Guard::Unlocked},
//       {Phase::Open, Event::Push, Phase::Closed},
//       {fsm::kEverywhere, Event::Burn, Phase::Gone},
//   }}, Phase::Gone);
//   static_assert(fsm::every_phase_reachable(kDoor) && fsm::every_phase_leavable(kDoor));
//
// Rows of one phase and event are tried in order: the first whose guard holds decides. The guard
// with value zero always does. Read next: diagram.h, which draws a table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace fixpoint::fsm {

struct Everywhere {};
// In a row: from every phase but the last.
inline constexpr Everywhere kEverywhere;

// The phases a row is about: one, several, or all but the last.
template <class Phase>
class From {
 public:
  constexpr From() = default;
  constexpr From(Phase phase) : bits_(bit(phase)) {}  // NOLINT: a phase is a set of one
  constexpr From(std::initializer_list<Phase> phases) {
    for (const Phase phase : phases) bits_ |= bit(phase);
  }
  constexpr From(Everywhere) : bits_(~std::uint64_t{0}), everywhere_(true) {}  // NOLINT

  constexpr bool has(Phase phase, std::optional<Phase> last) const {
    return (bits_ & bit(phase)) != 0 && !(everywhere_ && last == phase);
  }

 private:
  static constexpr std::uint64_t bit(Phase phase) {
    return std::uint64_t{1} << static_cast<unsigned>(phase);
  }
  std::uint64_t bits_ = 0;
  bool everywhere_ = false;
};

template <class Phase, class Event, class Guard>
struct Transition {
  From<Phase> from{};
  Event event{};
  Phase to{};
  Guard guard{};
};

template <class PhaseType, class EventType, class GuardType, std::size_t kRows>
struct Table {
  using Phase = PhaseType;
  using Event = EventType;
  using Guard = GuardType;
  using Row = Transition<Phase, Event, Guard>;

  Phase initial{};
  std::array<Row, kRows> rows{};
  std::optional<Phase> last{};  // the phase that is left only by ceasing to exist
};

// Lets the number of rows be counted.
template <class Phase, class Event, class Guard, std::size_t kRows>
constexpr Table<Phase, Event, Guard, kRows> table(
    Phase initial, const Transition<Phase, Event, Guard> (&rows)[kRows],
    std::optional<Phase> last = std::nullopt) {
  Table<Phase, Event, Guard, kRows> made;
  made.initial = initial;
  made.last = last;
  for (std::size_t at = 0; at < kRows; ++at) made.rows[at] = rows[at];
  return made;
}

// Where the event leads, or nothing: it is not allowed to happen in this phase. `holds` answers for
// a guard; it is not asked about the one that always does.
template <class T, class Holds>
constexpr std::optional<typename T::Phase> next(const T& table, typename T::Phase from,
                                                typename T::Event event, Holds holds) {
  for (const auto& row : table.rows) {
    if (!row.from.has(from, table.last) || row.event != event) continue;
    if (row.guard == typename T::Guard{} || holds(row.guard)) return row.to;
  }
  return std::nullopt;
}

// How many values an enumeration has, by its names.
template <class Enum>
constexpr std::size_t count_of() {
  return enum_names(Enum{}).size();
}

template <class T>
constexpr bool every_phase_reachable(const T& table) {
  using Phase = typename T::Phase;
  std::array<bool, count_of<Phase>()> seen{};
  seen[static_cast<std::size_t>(table.initial)] = true;
  for (std::size_t round = 0; round < seen.size(); ++round) {
    for (const auto& row : table.rows) {
      for (std::size_t at = 0; at < seen.size(); ++at) {
        if (seen[at] && row.from.has(static_cast<Phase>(at), table.last)) {
          seen[static_cast<std::size_t>(row.to)] = true;
        }
      }
    }
  }
  for (const bool one : seen) {
    if (!one) return false;
  }
  return true;
}

// Every phase but the last has a row that leads elsewhere; the last has none at all.
template <class T>
constexpr bool every_phase_leavable(const T& table) {
  using Phase = typename T::Phase;
  for (std::size_t at = 0; at < count_of<Phase>(); ++at) {
    const auto phase = static_cast<Phase>(at);
    bool leaves = false;
    for (const auto& row : table.rows) {
      leaves = leaves || (row.from.has(phase, table.last) && row.to != phase);
    }
    if (leaves == (table.last == phase)) return false;
  }
  return true;
}

// Whether this phase knows what to do about every event, whatever the guards say.
template <class T>
constexpr bool answers_every_event(const T& table, typename T::Phase phase) {
  using Event = typename T::Event;
  for (std::size_t at = 0; at < count_of<Event>(); ++at) {
    if (!next(table, phase, static_cast<Event>(at), [](auto) { return false; })) return false;
  }
  return true;
}

// Whether the row is ever taken from this phase: no earlier one of the same event holds first.
template <class T>
constexpr bool counts_from(const T& table, std::size_t row, typename T::Phase phase) {
  using Guard = typename T::Guard;
  const auto& late = table.rows[row];
  if (!late.from.has(phase, table.last)) return false;
  for (std::size_t before = 0; before < row; ++before) {
    const auto& early = table.rows[before];
    if (early.event != late.event || !early.from.has(phase, table.last)) continue;
    if (early.guard == Guard{} || early.guard == late.guard) return false;
  }
  return true;
}

template <class T>
constexpr bool every_row_counts(const T& table) {
  using Phase = typename T::Phase;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    bool counts = false;
    for (std::size_t at = 0; at < count_of<Phase>(); ++at) {
      counts = counts || counts_from(table, row, static_cast<Phase>(at));
    }
    if (!counts) return false;
  }
  return true;
}

}  // namespace fixpoint::fsm
