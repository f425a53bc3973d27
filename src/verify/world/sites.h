// SPDX-License-Identifier: Apache-2.0
//
// Sites: the places in an operator's plans and conclusions where a mistake can be made, found out
// by letting it run while nothing goes wrong.
#pragma once

#include "json/value.h"
#include "verify/world/scenario.h"

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace fixpoint::verify::world {

// A step of a plan, by its place and by what it is: plans of other states have others there.
struct StepSite {
  std::string branch;
  std::size_t index = 0;
  std::size_t kind = 0;  // of the variant
  std::string what;      // "apply ConfigMap default/web"

  auto operator<=>(const StepSite&) const = default;
};

struct Sites {
  std::set<StepSite> steps;
  std::set<StepSite> cleanup_steps;
  std::map<StepSite, json::Value> objects;  // that steps make, one of each
  std::map<std::string, json::Value> status_fields;
  std::set<std::string> conditions;
};

Sites sites_of(const Trial& trial);

// The step there; null when the plan has another one there or none.
runtime::Step* find_step(runtime::Plan& plan, const StepSite& site);
// The object that the step makes; null when it makes none.
json::Value* object_of(runtime::Step& step);

}  // namespace fixpoint::verify::world
