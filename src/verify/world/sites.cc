// SPDX-License-Identifier: Apache-2.0
#include "verify/world/sites.h"

#include "verify/world/search.h"
#include "verify/world/twisted.h"
#include "verify/world/world.h"

#include <algorithm>
#include <variant>

namespace fixpoint::verify::world {
namespace {

void note_steps(runtime::Plan& plan, std::set<StepSite>& steps, Sites& sites) {
  for (auto& branch : plan.branches) {
    for (std::size_t at = 0; at < branch.steps.size(); ++at) {
      auto& step = branch.steps[at];
      const StepSite site{branch.name, at, step.index(), runtime::describe(step)};
      steps.insert(site);
      if (const auto* object = object_of(step)) sites.objects.emplace(site, *object);
    }
  }
}

void note_conclusion(const runtime::Conclusion& conclusion, Sites& sites) {
  for (const auto [key, value] : conclusion.status.view().members()) {
    sites.status_fields.emplace(key, json::Value(value));
  }
  for (const auto& condition : conclusion.conditions) sites.conditions.insert(condition.type);
}

}  // namespace

runtime::Step* find_step(runtime::Plan& plan, const StepSite& site) {
  const auto branch = std::ranges::find(plan.branches, site.branch, &runtime::Branch::name);
  if (branch == plan.branches.end() || site.index >= branch->steps.size()) return nullptr;
  auto& step = branch->steps[site.index];
  return step.index() == site.kind ? &step : nullptr;
}

json::Value* object_of(runtime::Step& step) {
  if (auto* apply = std::get_if<runtime::ApplyStep>(&step)) return &apply->object;
  if (auto* create = std::get_if<runtime::CreateStep>(&step)) return &create->object;
  return nullptr;
}

Sites sites_of(const Trial& trial) {
  Sites sites;
  Trial listened = trial;
  listened.reconciler = twisted(
      trial.reconciler,
      {.plan = [&](runtime::Plan& plan, json::View) { note_steps(plan, sites.steps, sites); },
       .cleanup = [&](runtime::Plan& plan,
                      json::View) { note_steps(plan, sites.cleanup_steps, sites); },
       .conclusion = [&](const runtime::Conclusion& conclusion,
                         json::View) { note_conclusion(conclusion, sites); }});
  for (const auto& scenario : trial.scenarios) {
    if (scenario.by_name_only) continue;
    Budget budget;
    budget[Trouble::Edit] = scenario.budget[Trouble::Edit];
    const World world{listened, scenario, {.budget = budget}};
    // One worker: the notes are not guarded.
    (void)explore(world, {.workers = 1, .execute_twice_one_in = 0});
  }
  return sites;
}

}  // namespace fixpoint::verify::world
