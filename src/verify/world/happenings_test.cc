// SPDX-License-Identifier: Apache-2.0
#include "verify/world/happenings.h"

#include "verify/world/boats_for_tests.h"
#include "verify/world/subject.h"

#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::verify::world {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTitle = "What else happened";

Report report_of(Scenario scenario) {
  auto trial = boat_trial();
  const auto name = scenario.name;
  trial.scenarios = {std::move(scenario)};
  auto report = subject_of(std::make_shared<const Trial>(std::move(trial))).run({.scenario = name});
  return *std::move(report);
}

Section section_of(const Report& report) {
  for (const auto& section : report.sections) {
    if (section.title == kTitle) return section;
  }
  return {};
}

// What is said of a life with those troubles in which everything happened that could.
std::string happenings_with(std::string_view budget) {
  auto life = boat_scenario("life", "red", budget);
  life.deeds = {paints("green"), sinks()};
  const auto section = section_of(report_of(life));
  EXPECT_EQ(section.missing, 0U) << section.text;
  EXPECT_THAT(section.text, Not(HasSubstr("MISSED")));
  return section.text;
}

TEST(Happenings, AreListedByKind) {
  const auto ends = happenings_with("edit=1,crash=1,travel=1");
  const auto news = happenings_with("edit=1,watch=1,stale=1");

  EXPECT_THAT(ends, AllOf(HasSubstr("crash, travel, edit"), HasSubstr("between two passes")));
  EXPECT_THAT(news,
              AllOf(HasSubstr("watch, edit"), HasSubstr("events missed, an event twice"),
                    HasSubstr("1 behind"), HasSubstr("paints the boat green, deletes the boat")));
}

TEST(Happenings, ATroubleThatNeverCameFailsTheRun) {
  // One process has nobody to lose the lease to.
  const auto report = report_of(boat_scenario("alone", "red", "lease=1"));

  EXPECT_EQ(section_of(report).missing, 1U);
  EXPECT_THAT(section_of(report).text, HasSubstr("MISSED: lease"));
  EXPECT_EQ(report.conclusion(), Conclusion::Violated);
}

TEST(Happenings, ADeedThatNobodyEverDidFailsTheRun) {
  auto life = boat_scenario("life", "red", "edit=1");
  life.deeds = {sinks(), paints("green")};
  life.deeds.back().possible = [](const Look&) { return false; };

  const auto report = report_of(life);

  EXPECT_EQ(section_of(report).missing, 1U) << section_of(report).text;
  EXPECT_THAT(section_of(report).text, HasSubstr("MISSED: " + life.deeds.back().what));
  EXPECT_EQ(report.conclusion(), Conclusion::Violated);
}

TEST(Happenings, WhatTheClusterDoesByItselfMayHaveNoOccasion) {
  auto life = boat_scenario("life", "red", "");
  life.deeds = {removes_map()};  // of somebody else's, and there is none

  const auto section = section_of(report_of(life));

  EXPECT_EQ(section.missing, 0U) << section.text;
  EXPECT_THAT(section.text, HasSubstr("(no occasion: " + life.deeds.back().what));
}

TEST(Happenings, ADeedThatNeedsALargerBudgetIsNamed) {
  auto life = boat_scenario("life", "red", "edit=1");
  // Only what is being deleted can be painted, and the one edit is spent by then.
  life.deeds = {sinks(), paints("green")};
  life.deeds.back().possible = [](const Look& look) {
    return kube::being_deleted(look.get(runtime::kBoats, kBoat));
  };

  const auto section = section_of(report_of(life));

  EXPECT_EQ(section.missing, 0U) << section.text;
  EXPECT_THAT(section.text, HasSubstr("(beyond the budget: " + life.deeds.back().what));
}

}  // namespace
}  // namespace fixpoint::verify::world
