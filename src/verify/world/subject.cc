// SPDX-License-Identifier: Apache-2.0
#include "verify/world/subject.h"

#include "verify/world/mutants.h"
#include "verify/world/search.h"
#include "verify/world/world.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::verify::world {
namespace {

constexpr const char* kBudget = "budget";

struct Chosen {
  const Scenario& scenario;
  Budget budget;
};

Result<Chosen> chosen(const Trial& trial, const Request& request) {
  const auto found = std::ranges::find(trial.scenarios, request.scenario, &Scenario::name);
  if (found == trial.scenarios.end()) {
    return fail(ErrorKind::NotFound,
                fmt::format("{} has no scenario \"{}\"", trial.name, request.scenario));
  }
  Budget budget = found->budget;
  for (const auto& [name, value] : request.parameters) {
    if (name != kBudget) {
      return fail(ErrorKind::Invalid,
                  fmt::format("{} has no --{}; its scenarios take a --budget", trial.name, name));
    }
    FP_TRY(given, budget.with(value));
    budget = given;
  }
  return Chosen{*found, budget};
}

Section faults_of(const Coverage& coverage) {
  const auto happened = coverage.count(Coverage::Cell::Happened);
  const auto missed = coverage.missed();
  auto text = coverage.to_string();
  text += fmt::format("{} of {} possible ends of effects happened; {} more are beyond the budget\n",
                      happened, happened + missed, coverage.count(Coverage::Cell::Beyond));
  return {.title = "Faults at each effect", .text = std::move(text), .missing = missed};
}

Section others_of(const Happenings& happenings) {
  return {.title = "What else happened",
          .text = happenings.to_string(),
          .missing = happenings.missed()};
}

}  // namespace

Subject subject_of(const std::shared_ptr<const Trial>& trial) {
  Subject made{.name = trial->name, .summary = trial->summary};
  for (const auto& scenario : trial->scenarios) {
    made.scenarios.push_back({.name = scenario.name,
                              .summary = scenario.summary,
                              .by_name_only = scenario.by_name_only});
  }
  made.run = [trial](const Request& request) -> Result<Report> {
    FP_TRY(choice, chosen(*trial, request));
    const World world{*trial, choice.scenario, {.budget = choice.budget}};
    auto report = run_model(world,
                            {
                                {kBudget, choice.budget.to_string()}
    },
                            request);
    report.sections.push_back(faults_of(world.coverage()));
    report.sections.push_back(others_of(world.happenings()));
    return report;
  };
  made.replay = [trial](const Request& request, const Replay& replay) -> Result<Trace> {
    FP_TRY(choice, chosen(*trial, request));
    const World world{*trial, choice.scenario, {.budget = choice.budget}};
    return replay_model(world, replay);
  };
  made.live = [trial](const Request& request, const Replay& replay) -> Result<LiveScript> {
    FP_TRY(choice, chosen(*trial, request));
    const World world{*trial, choice.scenario, {.budget = choice.budget}};
    return world.live_script(replay);
  };
  made.mutants = [trial](const Request& request,
                         const TellMutant& tell) -> Result<std::vector<Mutant>> {
    HuntOptions options{.scenario = request.scenario, .explore = request.options};
    // What is wrong with them is found out before the hunt.
    auto first = request;
    if (first.scenario.empty()) first.scenario = trial->scenarios.front().name;
    FP_TRY_VOID(chosen(*trial, first));
    const auto budget = request.parameters.find(kBudget);
    if (budget != request.parameters.end()) options.budget = budget->second;
    auto mutations = request.group.starts_with(kCases) ? variants_of(*trial) : mutations_of(*trial);
    std::erase_if(mutations, [&](const Mutation& mutation) {
      return !mutation.group.starts_with(request.group);
    });
    if (mutations.empty()) {
      return fail(ErrorKind::NotFound,
                  fmt::format("{} has no mutants of group \"{}\"", trial->name, request.group));
    }
    return MutantHunt{*trial, options}.hunt_all(mutations, tell);
  };
  return made;
}

}  // namespace fixpoint::verify::world
