// SPDX-License-Identifier: Apache-2.0
//
// Subject: something that `fixpoint verify` can be asked about, by name: an operator or a model.
//
// What a model is made of is behind `run` and `replay`; run_model and replay_model are those two
// for anything that is a Model.
#pragma once

#include "base/error.h"
#include "verify/explorer/exploration.h"
#include "verify/explorer/explore.h"
#include "verify/liveness/retrace.h"
#include "verify/model.h"
#include "verify/mutant.h"
#include "verify/report/live.h"
#include "verify/report/replay.h"
#include "verify/report/report.h"
#include "verify/walks/wander.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fixpoint::verify {

struct ScenarioName {
  std::string name;
  std::string summary;
  // It must be found violated: a checker that cannot fail has not been tested.
  bool false_on_purpose = false;
  // Explored only when it is named: it takes long.
  bool by_name_only = false;
};

// What to explore: one of the subject's scenarios, with what the command line changes about it.
struct Request {
  std::string scenario;
  Parameters parameters;  // those given; an unknown one is refused
  ExploreOptions options;
  std::string group = {};  // of mutants: only those whose group begins so
};

// Called as soon as the fate of one is known, by one thread at a time.
using TellMutant = std::function<void(const Mutant&, std::size_t done, std::size_t all)>;

struct Subject {
  std::string name;
  std::string summary;
  std::vector<ScenarioName> scenarios;  // one or more
  // The error says what is wrong with the request.
  std::function<Result<Report>(const Request&)> run;
  // Executes the steps of a file; the request is the one that the file tells of.
  std::function<Result<Trace>(const Request&, const Replay&)> replay;
  // The same for a real server and process. Null: there is no process.
  std::function<Result<LiveScript>(const Request&, const Replay&)> live = {};
  // With one mistake after the other, in the scenario of the request or in all when it names none;
  // its time limit is for all together. Null: there are no mutants of this.
  std::function<Result<std::vector<Mutant>>(const Request&, const TellMutant&)> mutants = {};
};

template <Model M>
Report run_model(const M& model, const Parameters& parameters, const Request& request) {
  return {.scenario = request.scenario,
          .parameters = parameters,
          .workers = request.options.workers,
          .exploration = request.options.walks ? wander(model, request.options)
                                               : explore(model, request.options)};
}

template <Model M>
Result<Trace> replay_model(const M& model, const Replay& replay) {
  const auto actors = model.actors();
  Retracer<M> retracer(model, actors);
  if (!retracer.start_at(replay.initial_index) || retracer.trace().initial != replay.initial) {
    return replay_differs(0);
  }
  for (std::size_t i = 0; i < replay.steps.size(); ++i) {
    if (!retracer.step_by_action(replay.steps[i].action_index) ||
        retracer.trace().steps.back().fingerprint != replay.steps[i].fingerprint) {
      return replay_differs(i + 1);
    }
  }
  retracer.trace().loop_from = replay.loop_from;
  return std::move(retracer.trace());
}

}  // namespace fixpoint::verify
