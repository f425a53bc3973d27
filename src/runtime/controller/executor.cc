// SPDX-License-Identifier: Apache-2.0
//
// Branch by branch, step by step; what each step does is in child_steps.cc and plain_steps.cc.
#include "runtime/controller/executor.h"

#include "base/hash.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

Outcome& outcome_at(PassState& state, std::size_t branch, std::size_t step) {
  return state.result.outcomes.steps[state.first_outcome[branch] + step];
}

void skip_from(PassState& state, std::size_t branch, std::size_t step, const std::string& reason,
               const std::string& message) {
  const Branch& skipped = state.result.plan.branches[branch];
  for (; step < skipped.steps.size(); ++step) {
    Outcome& outcome = outcome_at(state, branch, step);
    outcome.what = describe(skipped.steps[step]);
    outcome.object = target_of(skipped.steps[step]);
    outcome.reason = reason;
    outcome.message = message;
  }
}

const Outcome* first_problem(PassState& state, std::size_t branch) {
  for (std::size_t step = 0; step < state.result.plan.branches[branch].steps.size(); ++step) {
    const Outcome& outcome = outcome_at(state, branch, step);
    if (!succeeded(outcome)) return &outcome;
  }
  return nullptr;
}

// A dependant of a branch that did not succeed is skipped and says because of which.
bool skip_dependant(PassState& state, std::size_t branch) {
  for (const std::string& name : state.result.plan.branches[branch].after) {
    const std::size_t before = branch_position(state.result.plan, name);
    if (state.troubled[before] == 0) continue;
    const Outcome* problem = first_problem(state, before);
    const bool waits = problem != nullptr && problem->state == StepState::Waiting;
    skip_from(state, branch, 0, waits ? "DependencyWaiting" : "DependencyFailed",
              fmt::format(
                  "branch \"{}\" did not succeed: {}", name,
                  problem == nullptr ? "it was skipped" : problem->what + ": " + problem->message));
    state.troubled[branch] = 1;
    return true;
  }
  return false;
}

void record(PassState& state, std::size_t branch, std::size_t step, Outcome made) {
  Outcome& outcome = outcome_at(state, branch, step);
  const Step& done = state.result.plan.branches[branch].steps[step];
  made.branch = std::move(outcome.branch);
  made.step = step;
  if (made.state != StepState::Unchanged) {
    made.what = describe(done);
    made.object = target_of(done);
  }
  if (made.state == StepState::Done && !std::holds_alternative<EmitStep>(done) &&
      !std::holds_alternative<EffectStep>(done)) {
    state.result.changed = true;
  }
  outcome = std::move(made);
}

void give_up_branch(PassState& state, std::size_t branch) {
  state.troubled[branch] = 1;
  const Outcome problem = outcome_at(state, branch, state.step);
  const bool waits = problem.state == StepState::Waiting;
  skip_from(state, branch, state.step + 1, waits ? "EarlierStepWaiting" : "EarlierStepFailed",
            problem.what + ": " + problem.message);
}

void next_branch(PassState& state) {
  ++state.branch;
  state.step = 0;
  state.script = {};
}

bool wants_to_write(const PassState& state) {
  return std::ranges::any_of(state.wanted, &is_write);
}

void stop_everything(PassState& state) {
  while (state.branch < state.order.size()) {
    const std::size_t branch = state.order[state.branch];
    skip_from(state, branch, 0, "EarlierBranchFailed", "another branch failed");
    state.troubled[branch] = 1;
    next_branch(state);
  }
}

struct LeavesSomething {
  bool operator()(const CreateStep&) const { return true; }
  bool operator()(const ApplyStep&) const { return true; }
  bool operator()(const PatchStep&) const { return true; }
  bool operator()(const EffectStep&) const { return true; }
  bool operator()(const DeleteStep&) const { return false; }
  bool operator()(const WaitStep&) const { return false; }
  bool operator()(const EmitStep&) const { return false; }
};

}  // namespace

void begin_plan(PassState& state, Plan plan) {
  state.result.plan = std::move(plan);
  state.owner = {state.declaration().primary().collection.resource.kind, state.start.key,
                 std::string{state.primary.get("metadata", "uid").as_string()}};
  auto& outcomes = state.result.outcomes.steps;
  const auto& branches = state.result.plan.branches;
  state.troubled.assign(branches.size(), 0);
  state.first_outcome.reserve(branches.size());
  outcomes.reserve(state.result.plan.step_count());
  for (const Branch& branch : branches) {
    state.first_outcome.push_back(outcomes.size());
    for (std::size_t step = 0; step < branch.steps.size(); ++step) {
      outcomes.push_back({.branch = branch.name, .step = step});
    }
  }
}

void refuse_plan(PassState& state, StepFailure failure) {
  auto& outcomes = state.result.outcomes.steps;
  for (Outcome& outcome : outcomes) {
    outcome.reason = failure.reason;
    outcome.message = failure.message;
  }
  if (outcomes.empty()) outcomes.emplace_back();
  const std::string branch = std::move(outcomes.front().branch);
  if (failure.retry_after) state.look_again(*failure.retry_after);
  outcomes.front() = failed(std::move(failure));
  outcomes.front().branch = branch;
}

bool run_plan(PassState& state) {
  while (state.branch < state.order.size()) {
    const std::size_t branch = state.order[state.branch];
    const auto& steps = state.result.plan.branches[branch].steps;
    if (state.step == 0 && !state.script.begun && skip_dependant(state, branch)) {
      next_branch(state);
      continue;
    }
    if (state.step == steps.size()) {
      next_branch(state);
      continue;
    }
    if (!state.script.begun && state.superseded()) {
      state.supersede();
      return false;
    }
    state.script.rewind();
    auto outcome = run_step(state, steps[state.step]);
    const bool goes_on = std::exchange(state.script.begun, true);
    // A step of several calls decides each on what is known by then, as it does the first.
    if (!outcome && goes_on && wants_to_write(state) && state.superseded()) {
      state.wanted.clear();
      state.outstanding.clear();
      state.supersede();
    }
    if (!outcome) return false;
    const bool good = succeeded(*outcome);
    const bool bad = outcome->state == StepState::Failed;
    record(state, branch, state.step, *std::move(outcome));
    if (good) {
      ++state.step;
      state.script = {};
      continue;
    }
    give_up_branch(state, branch);
    next_branch(state);
    if (bad && !state.on(Rule::IsolatedBranches)) stop_everything(state);
  }
  return true;
}

bool needs_cleanup(const Plan& plan) {
  return std::ranges::any_of(plan.branches, [](const Branch& branch) {
    return std::ranges::any_of(
        branch.steps, [](const Step& step) { return std::visit(LeavesSomething{}, step); });
  });
}

bool say(PassState& state, EmitStep event) {
  const std::uint64_t hash =
      hash64(event.note,
             hash64(event.reason, hash64(event.action, static_cast<std::uint64_t>(event.type))));
  if (std::ranges::find(state.saying, hash) != state.saying.end()) return false;
  state.saying.push_back(hash);
  if (std::ranges::find(state.start.memory.said, hash) != state.start.memory.said.end()) {
    return false;
  }
  state.result.events.push_back(std::move(event));
  return true;
}

client::Call get_call(const client::Resource& resource, const kube::Key& key) {
  client::Call call;
  call.verb = client::Verb::Get;
  call.resource = resource;
  call.key = key;
  return call;
}

Outcome failed(StepFailure failure) {
  Outcome outcome;
  outcome.state = StepState::Failed;
  outcome.error_class = failure.error_class;
  outcome.reason = std::move(failure.reason);
  outcome.message = std::move(failure.message);
  return outcome;
}

Outcome failed_call(PassState& state, const client::CallError& error) {
  StepFailure failure = classify(error);
  if (failure.retry_after) state.look_again(*failure.retry_after);
  return failed(std::move(failure));
}

std::string name_of(const ObjectRef& object) {
  return object.key.ns.empty()
             ? fmt::format("{} {}", object.kind.kind, object.key.name)
             : fmt::format("{} {}/{}", object.kind.kind, object.key.ns, object.key.name);
}

Outcome waiting(std::string reason, std::string message) {
  Outcome outcome;
  outcome.state = StepState::Waiting;
  outcome.reason = std::move(reason);
  outcome.message = std::move(message);
  return outcome;
}

}  // namespace fixpoint::runtime
