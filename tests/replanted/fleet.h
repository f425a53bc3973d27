// SPDX-License-Identifier: Apache-2.0
//
// What replanted operators have in common: boats, their ConfigMaps, and people.
#pragma once

#include "tests/replanted/bug.h"
#include "verify/world/boats_for_tests.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::replanted {

using runtime::Conclusion;
using runtime::Outcomes;
using runtime::Plan;
using runtime::TestOperator;
using Seen = runtime::TestOperator::Seen;
using namespace verify::world;  // NOLINT: only the programs of this folder include this

inline std::shared_ptr<TestOperator> operator_that(std::function<Plan(const Seen&)> decide) {
  auto made = std::make_shared<TestOperator>();
  made->declared.watches.pop_back();  // roles
  made->declared.finalizer = "fixpoint.dev/boats";
  made->on_decide = std::move(decide);
  return made;
}

inline json::Value map_of(std::string_view name, std::string_view color) {
  auto data = json::Draft::object();
  data["color"] = color;
  return TestOperator::map(name, std::move(data));
}

// As the default, and looked at again without a reason.
inline Plan again_and_again(const Seen& seen) {
  Plan plan;
  plan.apply(TestOperator::color_map(seen));
  plan.look_again = std::chrono::seconds(30);
  return plan;
}

inline std::string color_of(const Seen& seen) {
  return std::string{seen.primary.get("spec", "color").as_string()};
}

inline const json::Value* find_map(const Seen& seen, std::string_view name) {
  const auto found =
      std::ranges::find(seen.maps, name, [](const json::Value& map) { return kube::name_of(map); });
  return found == seen.maps.end() ? nullptr : &*found;
}

inline json::View map_in(const Look& look, std::string_view name) {
  return look.get(runtime::kMaps, {"default", std::string{name}});
}

inline bool is_ready(json::View boat) {
  return boat.get("status", "phase").as_string() == "Ready";
}

struct Story {
  std::string_view color = "red";
  std::string_view budget;
  std::vector<Deed> deeds{};
  std::function<bool(const Look&, json::View)> match{};
  std::vector<Promise> promises{};
  std::optional<OutsideModel> outside{};
};

inline Planted planted(std::shared_ptr<const runtime::Operator> reconciler, const Story& story,
                       runtime::Rules rules = {}) {
  Trial trial{.name = "replanted",
              .summary = "",
              .reconciler = std::move(reconciler),
              .definitions = {json::parse(runtime::kBoatsDefinition).value()}};
  auto& scenario = trial.scenarios.emplace_back(boat_scenario("story", story.color, story.budget));
  scenario.deeds = story.deeds;
  scenario.match = story.match;
  scenario.promises = story.promises;
  scenario.outside = story.outside;
  return {std::move(trial), rules};
}

inline Deed somebody_deletes(std::string name) {
  return {.who = "somebody",
          .what = "deletes ConfigMap " + name,
          .price = Trouble::Foreign,
          .fair = false,
          .act = [name](Stage& stage) { stage.remove(runtime::kMaps, {"default", name}); },
          .possible = [name](const Look& look) { return !map_in(look, name).is_null(); }};
}

}  // namespace fixpoint::replanted
