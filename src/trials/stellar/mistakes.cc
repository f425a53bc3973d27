// SPDX-License-Identifier: Apache-2.0
#include "trials/stellar/mistakes.h"

#include <iterator>
#include <memory>
#include <utility>

namespace fixpoint::trials::stellar {
namespace {

using operators::stellar::Author;

struct Mistaken : Author {
  Mistake mistake{};

  kube::FieldErrors validate(const Spec& spec) const {
    auto errors = Author::validate(spec);
    if (mistake.check) mistake.check(errors);
    return errors;
  }
  Result<Facts> observe(const operators::stellar::Node& node, const runtime::Reader& reader,
                        runtime::Probes& probes) const {
    FP_TRY(facts, Author::observe(node, reader, probes));
    if (mistake.facts && !mistake.facts(facts, node, reader)) {
      return std::unexpected(runtime::not_answered_yet());
    }
    return std::move(facts);
  }
  runtime::Plan decide(const operators::stellar::Node& node, const Facts& facts,
                       Instant now) const {
    auto seen = node;
    if (mistake.node) mistake.node(seen);
    auto plan = Author::decide(seen, facts, now);
    if (mistake.plan) mistake.plan(plan, seen, facts);
    return plan;
  }
  runtime::Plan cleanup(const operators::stellar::Node& node, const Facts& facts,
                        Instant now) const {
    auto plan = Author::cleanup(node, facts, now);
    if (mistake.cleanup) mistake.cleanup(plan, node, facts);
    return plan;
  }
  runtime::Verdict<Status> conclude(const operators::stellar::Node& node, const Facts& facts,
                                    const runtime::Outcomes& outcomes) const {
    auto believed = outcomes;
    if (mistake.outcomes) mistake.outcomes(believed);
    auto verdict = Author::conclude(node, facts, believed);
    if (mistake.conclusion) mistake.conclusion(verdict, facts);
    return verdict;
  }
  runtime::Verdict<Status> reject(const kube::FieldErrors& errors) const {
    auto verdict = Author::reject(errors);
    if (mistake.rejection) mistake.rejection(verdict);
    return verdict;
  }
};

}  // namespace

std::shared_ptr<const runtime::Operator> with(Mistake mistake) {
  Mistaken author;
  author.mistake = std::move(mistake);
  return std::make_shared<const runtime::Typed<Mistaken>>(std::move(author));
}

verify::world::Variant variant(std::string belongs_to, std::string name, Mistake mistake,
                               std::string budget) {
  return {.name = std::move(name),
          .belongs_to = std::move(belongs_to),
          .reconciler = with(std::move(mistake)),
          .budget = std::move(budget)};
}

Mistake planning(
    std::function<void(runtime::Plan&, const Mistake::Node&, const Mistake::Facts&)> plan) {
  return {.plan = std::move(plan)};
}

Mistake removing(
    std::function<void(runtime::Plan&, const Mistake::Node&, const Mistake::Facts&)> cleanup) {
  return {.cleanup = std::move(cleanup)};
}

Mistake seeing(std::function<void(Mistake::Facts&, const Mistake::Node&)> facts) {
  return {.facts = [facts = std::move(facts)](Mistake::Facts& known, const Mistake::Node& node,
                                              const runtime::Reader&) {
    facts(known, node);
    return true;
  }};
}

Mistake saying(std::function<void(Mistake::Verdict&, const Mistake::Facts&)> conclusion) {
  return {.conclusion = std::move(conclusion)};
}

Mistake believing(std::function<bool(const runtime::Outcome&)> wrongly) {
  return {.outcomes = [wrongly = std::move(wrongly)](runtime::Outcomes& outcomes) {
    for (auto& outcome : outcomes.steps) {
      if (succeeded(outcome) || !wrongly(outcome)) continue;
      outcome.state = runtime::StepState::Unchanged;
      outcome.error_class = runtime::ErrorClass::None;
      outcome.reason.clear();
    }
  }};
}

std::vector<verify::world::Variant> mistakes() {
  auto all = mistakes_in_making();
  for (auto more : {mistakes_in_removing(), mistakes_in_saying()}) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  }
  return all;
}

}  // namespace fixpoint::trials::stellar
