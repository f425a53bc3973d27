// SPDX-License-Identifier: Apache-2.0
//
// wander: follows a model at random, run by run, where its states are too many to visit them all.
//
// A sample proves nothing, and says so. But it goes where no exploration gets: all budgets at once,
// as far as they reach. What it finds is found again by the same seed, whatever the number of
// workers, and told by a way from which no step can be left out. Read next: run.h (one run).
#pragma once

#include "verify/explorer/crew.h"
#include "verify/explorer/exploration.h"
#include "verify/explorer/limits.h"
#include "verify/explorer/mix.h"
#include "verify/explorer/visited.h"
#include "verify/liveness/retrace.h"
#include "verify/walks/run.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fixpoint::verify {

template <Model M>
class Wanderer {
 public:
  Wanderer(const M& model, const ExploreOptions& options)
      : model_(model),
        options_(options),
        limits_(options),
        actors_(model.actors()),
        checks_(model.properties()),
        roots_(model.initial()),
        crew_(std::max(options.workers, 1U)) {
    FP_CHECK(actors_.size() <= kActorsMax && !roots_.empty());
    findings_.reset(checks_.size());
    result_.verdicts.resize(checks_.size());
    result_.walks = Walks{.asked = options.walks.value_or(0), .seed = options.seed};
    for (const Actor& actor : actors_) result_.actors.push_back({.actor = actor});
    for (std::size_t i = 0; i < kRound; ++i) runs_.emplace_back(model_, checks_, actors_, roots_);
  }

  Exploration run() {
    Walks& walks = *result_.walks;
    while (walks.done < walks.asked && !ended()) round();
    result_.incomplete =
        walks.done < walks.asked && !limits_.exceeded().empty() ? limits_.exceeded() : "a sample";
    for (std::size_t i = 0; i < checks_.size(); ++i) say(i);
    result_.distinct = visited_.size();
    result_.visited_bytes = visited_.bytes();
    result_.elapsed = limits_.elapsed();
    return std::move(result_);
  }

 private:
  // So many are followed before anything is gathered; enough that no worker waits for long.
  static constexpr std::size_t kRound = 64;
  // Ways with fewer steps that are tried before one is told.
  static constexpr std::size_t kTriesMax = 2'000;

  void round() {
    Walks& walks = *result_.walks;
    const std::uint64_t first = walks.done;
    const std::size_t count = std::min<std::uint64_t>(kRound, walks.asked - first);
    crew_.each(count, [&](std::size_t i, unsigned) {
      runs_[i].at_random(seed_of(first + i), options_.execute_twice_one_in);
    });
    for (std::size_t i = 0; i < count && !ended(); ++i) gather(runs_[i], ++walks.done);
    limits_.look({.distinct = visited_.size(),
                  .transitions = result_.transitions,
                  .depth = result_.depth,
                  .bytes = visited_.bytes(),
                  .walks_left = walks.asked - walks.done});
  }

  std::uint64_t seed_of(std::uint64_t walk) const {
    return mix128(mix128(options_.seed).low + walk).high;
  }

  void gather(const Run<M>& run, std::uint64_t number) {
    for (const Hash128& print : run.fingerprints()) {
      if (visited_.insert(print, kSeen)) result_.digest += print.low;
    }
    result_.transitions += run.way().size();
    result_.depth = std::max(result_.depth, static_cast<std::uint32_t>(run.fingerprints().size()));
    for (std::size_t i = 0; i < actors_.size(); ++i) {
      result_.actors[i].transitions += run.steps_of()[i];
    }
    result_.executed_twice += run.twice().executed;
    if (result_.nondeterminism.empty()) result_.nondeterminism = run.twice().nondeterminism;
    if (!run.rests_after() && run.violated().empty()) ++result_.walks->restless;
    findings_.absorb(run.findings());
    for (const std::size_t property : run.violated()) {
      Verdict& verdict = result_.verdicts[property];
      if (verdict.outcome != Outcome::Violated) verdict = told(run, property, number);
    }
  }

  static bool violates(const Run<M>& run, std::size_t property) {
    return std::ranges::find(run.violated(), property) != run.violated().end();
  }

  Verdict told(const Run<M>& found, std::size_t property, std::uint64_t number) {
    std::deque<Run<M>> two;
    for (int i = 0; i < 2; ++i) two.emplace_back(model_, checks_, actors_, roots_);
    Run<M>* best = &two.front();
    Run<M>* trial = &two.back();
    best->again(found, 0, 0);
    // Whoever cannot be repeated was no function of its state; the sample that is executed twice
    // says so.
    if (violates(*best, property)) shorten(best, trial, property);
    return {.outcome = Outcome::Violated,
            .detail = "walk " + std::to_string(number),
            .trace = retrace(*best, property)};
  }

  // Leaves out ever smaller pieces, as long as the property stays violated.
  static void shorten(Run<M>*& best, Run<M>*& trial, std::size_t property) {
    std::size_t tries = 0;
    for (std::size_t piece = std::max<std::size_t>(1, best->unsettled() / 2);; piece /= 2) {
      std::size_t begin = 0;
      while (begin < best->unsettled() && tries++ < kTriesMax) {
        trial->again(*best, begin, begin + piece);
        if (violates(*trial, property) && trial->unsettled() < best->unsettled()) {
          std::swap(best, trial);
        } else {
          begin += piece;
        }
      }
      if (piece == 1) return;
    }
  }

  std::optional<Trace> retrace(const Run<M>& run, std::size_t property) const {
    if (!violates(run, property)) return std::nullopt;
    Retracer<M> retracer(model_, actors_);
    if (!retracer.start_at(run.root())) return std::nullopt;
    const std::size_t end = end_of(run);
    for (std::size_t i = 0; i < end; ++i) {
      if (!retracer.step_by(run.way()[i])) return std::nullopt;
    }
    retracer.trace().loop_from = run.rests_after();
    return std::move(retracer.trace());
  }

  // Of a run that goes round and round, the first round is told.
  static std::size_t end_of(const Run<M>& run) {
    if (!run.rests_after()) return run.way().size();
    const auto& prints = run.fingerprints();
    const auto rest = prints.begin() + static_cast<std::ptrdiff_t>(*run.rests_after());
    const auto back = std::find(std::min(rest + 1, prints.end()), prints.end(), *rest);
    return std::min(static_cast<std::size_t>(back - prints.begin()), run.way().size());
  }

  void say(std::size_t index) {
    const Property<M>& property = checks_[index];
    Verdict& verdict = result_.verdicts[index];
    verdict.name = property.name;
    verdict.kind = property.kind;
    if (verdict.outcome == Outcome::Violated) return;
    if (property.kind == PropertyKind::Sometimes && findings_.met[index] != 0) {
      verdict.outcome = Outcome::Holds;
    } else if (property.kind == PropertyKind::Sometimes) {
      verdict.detail = "not on any walk";
    } else if (property.kind == PropertyKind::Bounded) {
      verdict.detail = "not asked of walks";
    } else if (!needs_graph(property.kind) && findings_.premise[index] == 0) {
      verdict.detail = "its premise never came true";
    }
  }

  bool ended() const {
    return !limits_.exceeded().empty() ||
           (options_.stop_at_violation &&
            std::ranges::any_of(result_.verdicts, [](const Verdict& verdict) {
              return verdict.outcome == Outcome::Violated;
            }));
  }

  static constexpr std::uint32_t kSeen = 1;

  const M& model_;
  const ExploreOptions& options_;
  Limits limits_;
  std::vector<Actor> actors_;
  Checks<M> checks_;
  std::vector<typename M::State> roots_;
  Crew crew_;
  std::deque<Run<M>> runs_;
  Visited visited_;
  Findings findings_;
  Exploration result_;
};

template <Model M>
Exploration wander(const M& model, const ExploreOptions& options) {
  return Wanderer<M>(model, options).run();
}

}  // namespace fixpoint::verify
