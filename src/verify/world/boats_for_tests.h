// SPDX-License-Identifier: Apache-2.0
//
// Boats: an operator that does something of everything, by the color of a boat, and the scenarios
// in which each rule of the runtime is missed when it is not there.
#pragma once

#include "kube/meta/metadata.h"
#include "runtime/controller/test_world.h"
#include "verify/world/scenario.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fixpoint::verify::world {

inline const kube::Key kBoat{"default", "a"};
inline const kube::Key kMap{"default", "a-map"};
inline const kube::Key kSail{"default", "sail"};

inline std::shared_ptr<const runtime::Operator> boats() {
  auto made = std::make_shared<runtime::TestOperator>();
  made->declared.watches.pop_back();  // roles
  made->declared.finalizer = "fixpoint.dev/boats";
  made->on_check = [](json::View boat) {
    kube::FieldErrors errors;
    if (boat.get("spec", "color").as_string() == "black") {
      errors.push_back(kube::forbidden(kube::FieldPath("spec").child("color"), "not black"));
    }
    return errors;
  };
  made->on_decide = [](const runtime::TestOperator::Seen& seen) {
    using runtime::TestOperator;
    const auto color = seen.primary.get("spec", "color").as_string();
    runtime::Plan plan;
    if (color == "blue") {
      for (const auto& map : seen.maps) {
        plan.remove({runtime::kMapKind, kube::key_of(map)},
                    kube::Uid{std::string{kube::uid_of(map)}});
      }
      return plan;
    }
    if (color == "white") {
      plan.branch("sail").steps.emplace_back(
          runtime::ApplyStep{TestOperator::map("sail", json::Draft::object())});
      plan.branch("hull").steps.emplace_back(runtime::ApplyStep{TestOperator::color_map(seen)});
      return plan;
    }
    const std::size_t more = color == "many" ? runtime::kPlanStepsMax : 0;
    for (std::size_t at = 0; at < more; ++at) {
      plan.apply(TestOperator::map("m" + std::to_string(at), json::Draft::object()));
    }
    plan.apply(TestOperator::color_map(seen));
    return plan;
  };
  return made;
}

inline bool boat_matches(const Look& look, json::View boat) {
  const auto color = boat.get("spec", "color").as_string();
  const json::View map = look.get(runtime::kMaps, kMap);
  const bool as_wanted =
      color == "blue" ? map.is_null() : map.get("data", "color").as_string() == color;
  return as_wanted && boat.get("status", "phase").as_string() == "Ready" &&
         (color != "white" || !look.get(runtime::kMaps, kSail).is_null());
}

inline Deed paints(const std::string& color) {
  return {.who = "person",
          .what = "paints the boat " + color,
          .price = Trouble::Edit,
          .fair = false,
          .act =
              [color](Stage& stage) {
                stage.patch(runtime::kBoats, kBoat, R"({"spec":{"color":")" + color + R"("}})");
              },
          .possible =
              [color](const Look& look) {
                const json::View boat = look.get(runtime::kBoats, kBoat);
                return !boat.is_null() && boat.get("spec", "color").as_string() != color;
              }};
}

inline Deed sinks() {
  return {.who = "person",
          .what = "deletes the boat",
          .price = Trouble::Edit,
          .fair = false,
          .act = [](Stage& stage) { stage.remove(runtime::kBoats, kBoat); },
          .possible =
              [](const Look& look) {
                const json::View boat = look.get(runtime::kBoats, kBoat);
                return !boat.is_null() && !kube::being_deleted(boat);
              }};
}

inline Deed removes_map() {
  return {.who = "person",
          .what = "removes the namesake",
          .price = std::nullopt,
          .fair = true,
          .act = [](Stage& stage) { stage.remove(runtime::kMaps, kMap); },
          .possible =
              [](const Look& look) {
                const json::View map = look.get(runtime::kMaps, kMap);
                return !map.is_null() && map.get("metadata", "ownerReferences").empty();
              }};
}

// Never ends by itself.
inline Deed paints_back() {
  return {
      .who = "another operator",
      .what = "changes the map back",
      .price = std::nullopt,
      .fair = false,
      .act =
          [](Stage& stage) { stage.patch(runtime::kMaps, kMap, R"({"data":{"color":"grey"}})"); },
      .possible =
          [](const Look& look) {
            return look.get(runtime::kMaps, kMap).get("data", "color").as_string() == "red";
          }};
}

// A war of three edits is long enough.
inline runtime::GuardSettings short_tempered() {
  runtime::GuardSettings settings;
  const runtime::GuardLimit few{3, std::chrono::hours(24)};
  settings.burst = settings.strict_short = settings.strict_day = few;
  settings.loose_hour = settings.loose_day = settings.any_day = few;
  return settings;
}

inline Scenario boat_scenario(std::string name, std::string_view color, std::string_view budget) {
  return {.name = std::move(name),
          .summary = {},
          .budget = Budget{}.with(budget).value(),
          .objects =
              {"{apiVersion: sea.example.com/v1, kind: Boat, metadata: {name: a}, spec: {color: " +
               std::string{color} + "}}"},
          .deeds = {},
          .match = boat_matches,
          .processes = 1,
          .outside = std::nullopt,
          .guard = std::nullopt};
}

inline Trial boat_trial() {
  Trial trial{.name = "boats",
              .summary = "something of everything",
              .reconciler = boats(),
              .definitions = {json::parse(runtime::kBoatsDefinition).value()}};
  auto& all = trial.scenarios;
  all.push_back(boat_scenario("life", "red", "edit=1,stale=1"));
  all.back().deeds = {paints("green"), sinks()};
  all.push_back(boat_scenario("namesake", "red", "stale=1"));
  all.back().objects.emplace_back("{apiVersion: v1, kind: ConfigMap, metadata: {name: a-map}}");
  all.back().deeds = {removes_map()};
  all.push_back(boat_scenario("two leaders", "red", "lease=1"));
  all.back().processes = 2;
  all.push_back(boat_scenario("invalid", "black", "edit=1"));
  all.back().deeds = {paints("red")};
  all.push_back(boat_scenario("errors", "white", "error=1"));
  all.push_back(boat_scenario("shrinks", "red", "edit=1,stale=1"));
  all.back().deeds = {paints("blue")};
  all.push_back(boat_scenario("past", "red", "edit=1,past=1,stale=1"));
  all.back().deeds = {sinks()};
  all.push_back(boat_scenario("war", "red", ""));
  all.back().deeds = {paints_back()};
  all.back().guard = short_tempered();
  all.back().match = nullptr;  // it is not for the operator to win
  all.push_back(boat_scenario("many", "many", ""));
  // A plan without end is refused, and a person must act.
  all.back().match = nullptr;
  return trial;
}

}  // namespace fixpoint::verify::world
