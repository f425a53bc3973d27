// SPDX-License-Identifier: Apache-2.0
#include "verify/models/shelf.h"

#include "verify/models/search.h"

#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace fixpoint::verify {
namespace {

struct Sizes {
  unsigned usual;
  unsigned max;
};

Result<unsigned> size_of(const Request& request, Sizes sizes) {
  for (const auto& [name, value] : request.parameters) {
    if (name != "size") {
      return fail(ErrorKind::Invalid, fmt::format("--{}: a model has only a --size", name));
    }
  }
  const auto given = request.parameters.find("size");
  if (given == request.parameters.end()) return sizes.usual;
  const std::string& text = given->second;
  unsigned size = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), size);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || size < 1 ||
      size > sizes.max) {
    return fail(ErrorKind::Invalid,
                fmt::format("--size {}: give a number from 1 to {}", text, sizes.max));
  }
  return size;
}

Parameters of_size(unsigned size) {
  return {
      {"size", std::to_string(size)}
  };
}

// A subject for models that are made from a size (and a scenario).
template <class Make>
Subject sized(std::string_view name, std::string_view summary,
              const std::vector<ScenarioName>& scenarios, Sizes sizes, Make make) {
  return {
      .name = std::string{name},
      .summary = std::string{summary},
      .scenarios = scenarios,
      .run = [=](const Request& request) -> Result<Report> {
        FP_TRY(size, size_of(request, sizes));
        return run_model(make(size, request.scenario), of_size(size), request);
      },
      .replay = [=](const Request& request, const Replay& replay) -> Result<Trace> {
        FP_TRY(size, size_of(request, sizes));
        return replay_model(make(size, request.scenario), replay);
      },
  };
}

Subject two_phase() {
  return sized("model:2pc", "two-phase commit; the size is the number of resource managers",
               {
                   {.name = "commit", .summary = "all commit or all abort"}
  },
               {.usual = 5, .max = TwoPhase::kSizeMax},
               [](unsigned size, const std::string&) { return TwoPhase{size}; });
}

Subject ring() {
  return sized(
      "model:ring", "Dijkstra's termination detection; the size is the number of nodes",
      {
          {.name = "detection", .summary = "the end of all work is detected, and nothing else"},
          {.name = "idle-nodes",
           .summary = "nodes that send nothing need never rest: work-ends is false",
           .false_on_purpose = true},
          {.name = "resting-nodes", .summary = "nodes that send nothing rest in the end"},
  },
      {.usual = 3, .max = Ring::kSizeMax}, [](unsigned size, const std::string& scenario) {
        return Ring{size, scenario == "idle-nodes"      ? Ring::Nodes::Silent
                          : scenario == "resting-nodes" ? Ring::Nodes::SilentFair
                                                        : Ring::Nodes::Free};
      });
}

Subject coffee_can() {
  return sized("model:coffee-can", "beans of two colours; the size is the number of beans",
               {
                   {.name = "last-bean", .summary = "one bean is left in the end"}
  },
               {.usual = 100, .max = CoffeeCan::kSizeMax},
               [](unsigned size, const std::string&) { return CoffeeCan{size}; });
}

// Where checkers have been wrong: each trap beside a drawing that differs just enough to be right.
struct Trap {
  ScenarioName name;
  std::vector<Drawn::Arrow> arrows;
};

const std::vector<Trap>& traps() {
  constexpr ActorId kPerson = 1;
  static const std::vector<Trap> all{
      {{"join", "two ways meet, one of them has not seen the goal", true},
       {{0, 1}, {0, 2}, {1, 3}, {2, 3}}                                                                            },
      {{"join-right", "two ways meet, both have seen the goal"},                          {{0, 1}, {1, 2}, {1, 3}} },
      {{"cycle", "a loop before the goal that never ends in a last state", true},
       {{0, 2}, {2, 3}, {3, 2}, {3, 1}}                                                                            },
      {{"cycle-right", "a loop after the goal"},                                          {{0, 1}, {1, 2}, {2, 1}} },
      {{"unfair", "the goal needs a person, who need never come", true},                  {{0, 0}, {0, 1, kPerson}}},
      {{"unfair-right", "the goal needs the machine, which comes"},                       {{0, 0, kPerson}, {0, 1}}},
      {{"now-and-then", "the machine can act again and again, but never for long", true},
       {{0, 2, kPerson}, {2, 0, kPerson}, {2, 1}}                                                                  },
      {{"now-and-then-right", "the machine can act all the time"},
       {{0, 2, kPerson}, {2, 0, kPerson}, {2, 1}, {0, 1}}                                                          },
  };
  return all;
}

Result<Drawn> trap_of(const Request& request) {
  for (const auto& [name, value] : request.parameters) {
    return fail(ErrorKind::Invalid, fmt::format("--{}: a drawing has no {}", name, name));
  }
  for (const Trap& trap : traps()) {
    if (trap.name.name != request.scenario) continue;
    Drawn model(trap.arrows);
    model.wanted.leads_to(
        "reaches-1", [](unsigned state) { return state == 0; },
        [](unsigned state) { return state == 1; });
    return model;
  }
  return fail(ErrorKind::NotFound, fmt::format("no trap is called {}", request.scenario));
}

Subject trap_subject() {
  std::vector<ScenarioName> names;
  for (const Trap& trap : traps()) names.push_back(trap.name);
  return {
      .name = "model:traps",
      .summary = "drawings on which unsound liveness checkers are wrong, and their right twins",
      .scenarios = std::move(names),
      .run = [](const Request& request) -> Result<Report> {
        FP_TRY(model, trap_of(request));
        return run_model(model, {}, request);
      },
      .replay = [](const Request& request, const Replay& replay) -> Result<Trace> {
        FP_TRY(model, trap_of(request));
        return replay_model(model, replay);
      },
  };
}

}  // namespace

std::vector<Subject> models() {
  return {two_phase(), ring(), coffee_can(), trap_subject()};
}

}  // namespace fixpoint::verify
