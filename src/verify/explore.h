// SPDX-License-Identifier: Apache-2.0
//
// explore: visits every reachable state of a model, breadth first, and answers its properties.
#pragma once

#include "base/error.h"
#include "verify/exploration.h"
#include "verify/model.h"
#include "verify/property.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace fixpoint::verify {

template <Model M>
class Explorer {
 public:
  using State = typename M::State;
  using Action = typename M::Action;

  Explorer(const M& model, const ExploreOptions& options)
      : model_(model), options_(options), actors_(model.actors()), properties_(model.properties()) {
    FP_CHECK(actors_.size() <= kActorsMax);
  }

  Exploration run() {
    for (const auto& actor : actors_) result_.actors.push_back({.actor = actor});
    for (const auto& property : properties_.all()) {
      result_.verdicts.push_back({.name = property.name, .kind = property.kind});
    }
    premise_.assign(properties_.all().size(), false);
    for (const auto& state : model_.initial()) visit(state, {}, std::nullopt);
    while (!next_.empty()) {
      ++result_.depth;
      const auto level = std::exchange(next_, {});
      for (const auto& state : level) expand(state);
    }
    for (std::size_t i = 0; i < properties_.all().size(); ++i) conclude(i);
    return std::move(result_);
  }

 private:
  struct Parent {
    std::optional<Hash128> state;
  };

  void visit(const State& state, Hash128 parent, std::optional<Action> by) {
    const auto print = model_.fingerprint(state);
    if (!parents_.emplace(print, Parent{by ? std::optional{parent} : std::nullopt}).second) return;
    ++result_.distinct;
    next_.push_back(state);
    for (std::size_t i = 0; i < properties_.all().size(); ++i) check_state(i, state, print);
  }

  void expand(const State& state) {
    const auto print = model_.fingerprint(state);
    std::vector<Action> actions;
    model_.actions(state, actions);
    for (const auto& action : actions) {
      const auto after = model_.next(state, action);
      if (!after) continue;
      ++result_.transitions;
      ++result_.actors.at(model_.actor(action)).transitions;
      for (std::size_t i = 0; i < properties_.all().size(); ++i) {
        check_step(i, state, action, *after, print);
      }
      visit(*after, print, action);
    }
  }

  void check_state(std::size_t index, const State& state, Hash128 print) {
    const auto& property = properties_.all()[index];
    auto& verdict = result_.verdicts[index];
    if (property.when && !property.when(state)) return;
    premise_[index] = true;
    if (!property.holds) return;
    const bool holds = property.holds(state);
    if (property.kind == PropertyKind::Sometimes && holds) verdict.outcome = Outcome::Holds;
    if ((property.kind == PropertyKind::Always && !holds) ||
        (property.kind == PropertyKind::Never && holds)) {
      violated(verdict, print, std::nullopt);
    }
  }

  void check_step(std::size_t index, const State& before, const Action& action, const State& after,
                  Hash128 print) {
    const auto& property = properties_.all()[index];
    auto& verdict = result_.verdicts[index];
    if (property.kind == PropertyKind::Sometimes && property.step_holds &&
        property.step_holds(before, action, after)) {
      verdict.outcome = Outcome::Holds;
    }
    if (property.kind != PropertyKind::OnTransition) return;
    if (property.step_when && !property.step_when(before, action, after)) return;
    premise_[index] = true;
    if (!property.step_holds(before, action, after)) {
      violated(verdict, print, model_.fingerprint(after));
    }
  }

  void violated(Verdict& verdict, Hash128 at, std::optional<Hash128> then) {
    if (verdict.outcome == Outcome::Violated) return;
    verdict.outcome = Outcome::Violated;
    std::vector<Hash128> path;
    if (then) path.push_back(*then);
    for (std::optional<Hash128> up = at; up; up = parents_.at(*up).state) path.push_back(*up);
    std::ranges::reverse(path);
    verdict.trace = retrace(path);
  }

  Trace retrace(const std::vector<Hash128>& path) {
    Trace trace{.initial = path.front()};
    const auto roots = model_.initial();
    const auto root = std::ranges::find_if(
        roots, [&](const State& state) { return model_.fingerprint(state) == path.front(); });
    FP_CHECK(root != roots.end());
    trace.initial_index = static_cast<std::uint32_t>(root - roots.begin());
    State at = *root;
    for (std::size_t i = 1; i < path.size(); ++i) at = step_to(at, path[i], trace);
    return trace;
  }

  State step_to(const State& state, Hash128 wanted, Trace& trace) {
    std::vector<Action> actions;
    model_.actions(state, actions);
    for (std::size_t i = 0; i < actions.size(); ++i) {
      auto after = model_.next(state, actions[i]);
      if (!after || model_.fingerprint(*after) != wanted) continue;
      trace.steps.push_back({.action_index = static_cast<std::uint32_t>(i),
                             .actor = actors_.at(model_.actor(actions[i])).name,
                             .action = model_.describe(actions[i]),
                             .telling = model_.tell(state, actions[i], *after),
                             .fingerprint = wanted});
      return *std::move(after);
    }
    FP_CHECK(!"the model is not deterministic");
    return state;
  }

  void conclude(std::size_t index) {
    auto& verdict = result_.verdicts[index];
    if (verdict.outcome != Outcome::Unknown || needs_graph(verdict.kind)) return;
    if (verdict.kind == PropertyKind::Sometimes) {
      verdict.outcome = Outcome::Violated;
      verdict.detail = "never happened";
    } else {
      verdict.outcome = premise_[index] ? Outcome::Holds : Outcome::Vacuous;
    }
  }

  const M& model_;
  const ExploreOptions& options_;
  std::vector<Actor> actors_;
  Properties<M> properties_;
  Exploration result_;
  std::vector<bool> premise_;
  std::map<Hash128, Parent> parents_;
  std::vector<State> next_;
};

template <Model M>
Exploration explore(const M& model, const ExploreOptions& options = {}) {
  return Explorer<M>(model, options).run();
}

}  // namespace fixpoint::verify
