// SPDX-License-Identifier: Apache-2.0
#include "verify/liveness/judge.h"

#include "base/error.h"
#include "verify/liveness/liveness.h"

#include <fmt/format.h>

namespace fixpoint::verify {
namespace {

Scope is(std::uint64_t bit) {
  return {.mask = bit, .value = bit};
}

bool ever(const Graph& graph, Scope scope) {
  for (Node node = 0; node < graph.size(); ++node) {
    if (scope.has(graph, node)) return true;
  }
  return false;
}

BadRun broken_by(const Question& question) {
  switch (question.kind) {
    case PropertyKind::LeadsTo:
      return {
          .scope = {.mask = question.holds, .value = 0},
            .after = is(question.when)
      };
    case PropertyKind::EventuallyStable:
      return {.scope = is(question.when), .not_always = is(question.holds)};
    default: return {.scope = is(question.when), .marks = question.mark};
  }
}

Answer judge_work(const Graph& graph, const Question& question) {
  auto most = most_work(graph, is(question.when), question.work, question.limit);
  Answer answer{.outcome = most.beyond ? Outcome::Violated : Outcome::Holds};
  answer.detail = most.bounded
                      ? fmt::format("at most {} rounds and {} writes", most.rounds, most.writes)
                      : "a loop with work in it: no bound";
  if (most.beyond && most.bounded) {
    answer.detail +=
        fmt::format(", allowed {} and {}", question.limit.rounds, question.limit.writes);
  }
  answer.path = std::move(most.beyond);
  return answer;
}

}  // namespace

Answer judge(const Graph& graph, const Question& question, std::uint64_t fair) {
  if (!ever(graph, is(question.when))) {
    return {.outcome = Outcome::Vacuous, .detail = "its premise never came true"};
  }
  if (question.kind == PropertyKind::Bounded) return judge_work(graph, question);
  auto run = find_fair_run(graph, broken_by(question), fair);
  if (!run) return {};
  return {.outcome = Outcome::Violated, .path = std::move(run)};
}

}  // namespace fixpoint::verify
