// SPDX-License-Identifier: Apache-2.0
//
// How a mistake changes a plan: which of its branches and objects it is about.
#pragma once

#include "json/draft.h"
#include "runtime/plan.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fixpoint::trials::stellar {

inline runtime::Branch* find_branch(runtime::Plan& plan, std::string_view name) {
  const auto found = std::ranges::find(plan.branches, name, &runtime::Branch::name);
  return found == plan.branches.end() ? nullptr : &*found;
}

// The branch and everybody's wish to come after it.
inline void drop_branch(runtime::Plan& plan, std::string_view name) {
  std::erase_if(plan.branches, [&](const auto& branch) { return branch.name == name; });
  for (auto& branch : plan.branches) {
    std::erase_if(branch.after, [&](const std::string& other) { return other == name; });
  }
}

template <class Wanted>
void drop_branches_if(runtime::Plan& plan, Wanted unwanted) {
  std::vector<std::string> names;
  for (const auto& branch : plan.branches) {
    if (unwanted(branch)) names.push_back(branch.name);
  }
  for (const auto& name : names) drop_branch(plan, name);
}

// Applied objects of that kind and name ending, changed in place.
inline void change_applied(runtime::Plan& plan, std::string_view kind, std::string_view suffix,
                           const std::function<void(runtime::ApplyStep&)>& change) {
  for (auto& branch : plan.branches) {
    for (auto& step : branch.steps) {
      auto* apply = std::get_if<runtime::ApplyStep>(&step);
      if (apply == nullptr || apply->object.get("kind").as_string() != kind) continue;
      if (apply->object.get("metadata", "name").as_string().ends_with(suffix)) change(*apply);
    }
  }
}

inline void drop_applied(runtime::Plan& plan, std::string_view kind, std::string_view suffix) {
  for (auto& branch : plan.branches) {
    std::erase_if(branch.steps, [&](const runtime::Step& step) {
      const auto* apply = std::get_if<runtime::ApplyStep>(&step);
      return apply != nullptr && apply->object.get("kind").as_string() == kind &&
             apply->object.get("metadata", "name").as_string().ends_with(suffix);
    });
  }
}

inline void edit_object(runtime::ApplyStep& step, const std::function<void(json::Draft&)>& edit) {
  json::Draft draft(step.object);
  edit(draft);
  step.object = draft.freeze();
}

}  // namespace fixpoint::trials::stellar
