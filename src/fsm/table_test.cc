// SPDX-License-Identifier: Apache-2.0
#include "fsm/table.h"

#include "fsm/diagram.h"

#include <array>
#include <span>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::fsm {
namespace {

using testing::HasSubstr;
using testing::Not;

enum class Phase : std::uint8_t { Closed, Open, Gone };
enum class Event : std::uint8_t { Pull, Push, Burn };
enum class Guard : std::uint8_t { Always, Unlocked };

constexpr std::array<std::string_view, 3> kPhases{"Closed", "Open", "Gone"};
constexpr std::array<std::string_view, 3> kEvents{"Pull", "Push", "Burn"};
constexpr std::array<std::string_view, 2> kGuards{"Always", "Unlocked"};
constexpr std::span<const std::string_view> enum_names(Phase) {
  return kPhases;
}
constexpr std::span<const std::string_view> enum_names(Event) {
  return kEvents;
}
constexpr std::span<const std::string_view> enum_names(Guard) {
  return kGuards;
}

using Row = Transition<Phase, Event, Guard>;
constexpr Row kRows[]{
    {Phase::Closed, Event::Pull, Phase::Open, Guard::Unlocked},
    {Phase::Closed, Event::Pull, Phase::Closed},
    {kEverywhere, Event::Burn, Phase::Gone},
    {{Phase::Open}, Event::Push, Phase::Closed},
};
constexpr auto kDoor = table<Phase, Event, Guard>(Phase::Closed, kRows, Phase::Gone);

constexpr auto kYes = [](Guard) { return true; };
constexpr auto kNo = [](Guard) { return false; };

static_assert(every_phase_reachable(kDoor));
static_assert(every_phase_leavable(kDoor));
static_assert(every_row_counts(kDoor));
static_assert(!answers_every_event(kDoor, Phase::Open));

TEST(Table, TakesTheFirstRowWhoseGuardHolds) {
  EXPECT_EQ(next(kDoor, Phase::Closed, Event::Pull, kYes), Phase::Open);
  EXPECT_EQ(next(kDoor, Phase::Closed, Event::Pull, kNo), Phase::Closed);
}

TEST(Table, RefusesWhatItDoesNotList) {
  EXPECT_EQ(next(kDoor, Phase::Open, Event::Pull, kYes), std::nullopt);
  EXPECT_EQ(next(kDoor, Phase::Gone, Event::Pull, kYes), std::nullopt);
}

TEST(Table, KnowsPhasesThatCannotBeReachedOrLeft) {
  static constexpr Row kNever[]{
      {Phase::Open, Event::Push, Phase::Closed}
  };
  constexpr auto kBroken = table<Phase, Event, Guard>(Phase::Closed, kNever);

  EXPECT_FALSE(every_phase_reachable(kBroken));
  EXPECT_FALSE(every_phase_leavable(kBroken));
}

TEST(Table, KnowsRowsThatAreNeverTaken) {
  static constexpr Row kTwice[]{
      {Phase::Open, Event::Push, Phase::Closed},
      {Phase::Open, Event::Push, Phase::Gone, Guard::Unlocked}
  };

  EXPECT_FALSE((every_row_counts(table<Phase, Event, Guard>(Phase::Open, kTwice))));
}

TEST(Diagram, DrawsNoRowThatAnEarlierOneHides) {
  static constexpr Row kHidden[]{
      {Phase::Closed, Event::Burn, Phase::Open},
      {kEverywhere,   Event::Burn, Phase::Gone}
  };
  const auto drawn =
      diagram_of(table<Phase, Event, Guard>(Phase::Closed, kHidden, Phase::Gone), "x");

  EXPECT_EQ(drawn.arrows, (std::vector<Arrow>{
                              {"Closed", "Open", {"Burn"}},
                              {"Open",   "Gone", {"Burn"}}
  }));
}

TEST(Diagram, GathersRowsIntoArrowsAndDrawsWhatLeadsFromEverywhereOnce) {
  const auto drawn = diagram_of(kDoor, "A door");

  EXPECT_EQ(drawn.arrows, (std::vector<Arrow>{
                              {"Closed", "Open",   {"Pull [Unlocked]"}},
                              {"",       "Gone",   {"Burn"}           },
                              {"Open",   "Closed", {"Push"}           }
  }));
}

TEST(Diagram, IsMermaid) {
  EXPECT_EQ(mermaid(diagram_of(kDoor, "A door")),
            "---\ntitle: A door\n---\nstateDiagram-v2\n"
            "    [*] --> Closed\n"
            "    state \"any phase\" as any\n"
            "    Closed --> Open : Pull [Unlocked]\n"
            "    any --> Gone : Burn\n"
            "    Open --> Closed : Push\n"
            "    Gone --> [*]\n");
}

TEST(Diagram, IsSvgWithEveryPhaseAndArrow) {
  const auto text = svg(diagram_of(kDoor, "A <door>"));

  EXPECT_THAT(text, testing::StartsWith("<svg"));
  EXPECT_THAT(text, HasSubstr("A &lt;door&gt;"));
  EXPECT_THAT(text, HasSubstr(">Closed</text>"));
  EXPECT_THAT(text, HasSubstr(">any phase</text>"));
  EXPECT_THAT(text, HasSubstr(">Pull [Unlocked]</text>"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace fixpoint::fsm
