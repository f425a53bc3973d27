// SPDX-License-Identifier: Apache-2.0
//
// Building, describing and checking plans.
#include "runtime/plan.h"

#include "json/value.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

std::string place(std::string_view verb, std::string_view kind, std::string_view ns,
                  std::string_view name) {
  return ns.empty() ? fmt::format("{} {} {}", verb, kind, name)
                    : fmt::format("{} {} {}/{}", verb, kind, ns, name);
}

std::string place(std::string_view verb, json::View object) {
  const json::View metadata = object.get("metadata");
  return place(verb, object.get("kind").as_string("object"), metadata.get("namespace").as_string(),
               metadata.get("name").as_string());
}

std::string place(std::string_view verb, const ObjectRef& target) {
  return place(verb, target.kind.kind, target.key.ns, target.key.name);
}

struct Describe {
  std::string operator()(const CreateStep& step) const { return place("create", step.object); }
  std::string operator()(const ApplyStep& step) const { return place("apply", step.object); }
  std::string operator()(const PatchStep& step) const { return place("patch", step.target); }
  std::string operator()(const DeleteStep& step) const { return place("delete", step.target); }
  std::string operator()(const WaitStep& step) const { return "wait for " + step.reason; }
  std::string operator()(const EmitStep& step) const { return "emit " + step.reason; }
  std::string operator()(const EffectStep& step) const { return "effect " + step.name; }
};

struct Target {
  static std::optional<ObjectRef> of(json::View object) {
    const auto kind = kube::gvk_of(object);
    return ObjectRef{kind, kube::key_of(object)};
  }
  std::optional<ObjectRef> operator()(const CreateStep& step) const { return of(step.object); }
  std::optional<ObjectRef> operator()(const ApplyStep& step) const { return of(step.object); }
  std::optional<ObjectRef> operator()(const PatchStep& step) const { return step.target; }
  std::optional<ObjectRef> operator()(const DeleteStep& step) const { return step.target; }
  std::optional<ObjectRef> operator()(const WaitStep&) const { return {}; }
  std::optional<ObjectRef> operator()(const EmitStep&) const { return {}; }
  std::optional<ObjectRef> operator()(const EffectStep&) const { return {}; }
};

}  // namespace

std::string describe(const Step& step) {
  return std::visit(Describe{}, step);
}

std::shared_ptr<const ObjectRef> target_of(const Step& step) {
  auto target = std::visit(Target{}, step);
  return target ? std::make_shared<const ObjectRef>(*std::move(target)) : nullptr;
}

Branch& Plan::branch(std::string name, std::vector<std::string> after) {
  return branches.emplace_back(Branch{std::move(name), std::move(after), {}});
}

namespace {

std::vector<Step>& last_steps(Plan& plan) {
  if (plan.branches.empty()) plan.branch("main");
  return plan.branches.back().steps;
}

}  // namespace

Plan& Plan::apply(json::Value object) {
  last_steps(*this).emplace_back(ApplyStep{.object = std::move(object)});
  return *this;
}

Plan& Plan::create(json::Value object) {
  last_steps(*this).emplace_back(CreateStep{.object = std::move(object)});
  return *this;
}

Plan& Plan::remove(ObjectRef target, kube::Uid uid) {
  last_steps(*this).emplace_back(DeleteStep{.target = std::move(target), .uid = std::move(uid)});
  return *this;
}

Plan& Plan::wait(std::string reason, std::string message) {
  last_steps(*this).emplace_back(
      WaitStep{.reason = std::move(reason), .message = std::move(message)});
  return *this;
}

Plan& Plan::emit(EventType type, std::string reason, std::string note) {
  last_steps(*this).emplace_back(
      EmitStep{.type = type, .reason = std::move(reason), .note = std::move(note)});
  return *this;
}

Plan& Plan::effect(std::string name, json::Value arguments) {
  last_steps(*this).emplace_back(
      EffectStep{.name = std::move(name), .arguments = std::move(arguments)});
  return *this;
}

bool Plan::empty() const {
  return std::ranges::all_of(branches, [](const Branch& b) { return b.steps.empty(); });
}

std::size_t Plan::step_count() const {
  std::size_t count = 0;
  for (const Branch& b : branches) count += b.steps.size();
  return count;
}

std::size_t branch_position(const Plan& plan, std::string_view name) {
  const auto found = std::ranges::find(plan.branches, name, &Branch::name);
  return static_cast<std::size_t>(found - plan.branches.begin());
}

Result<std::vector<std::size_t>> order_of(const Plan& plan) {
  const std::size_t count = plan.branches.size();
  std::vector<std::size_t> order;
  order.reserve(count);
  std::vector<bool> placed(count, false);

  for (std::size_t at = 0; at < count; ++at) {
    const Branch& branch = plan.branches[at];
    if (branch_position(plan, branch.name) != at) {
      return fail(ErrorKind::Invalid, fmt::format("two branches are named \"{}\"", branch.name));
    }
    for (const std::string& name : branch.after) {
      if (branch_position(plan, name) == count) {
        return fail(
            ErrorKind::Invalid,
            fmt::format("branch \"{}\" is after \"{}\", which is not there", branch.name, name));
      }
    }
  }
  // Each round places, in plan order, what waits for nothing any more; a round that places nothing
  // has found a cycle. Plans name earlier branches nearly always, and then one round is enough.
  while (order.size() < count) {
    const std::size_t before = order.size();
    for (std::size_t at = 0; at < count; ++at) {
      if (placed[at]) continue;
      const bool ready = std::ranges::all_of(plan.branches[at].after, [&](const std::string& name) {
        return placed[branch_position(plan, name)];
      });
      if (!ready) continue;
      placed[at] = true;
      order.push_back(at);
    }
    if (order.size() == before) {
      const auto stuck = std::ranges::find(placed, false) - placed.begin();
      return fail(ErrorKind::Invalid,
                  fmt::format("branch \"{}\" waits for itself",
                              plan.branches[static_cast<std::size_t>(stuck)].name));
    }
  }
  return order;
}

Result<void> check(const Plan& plan) {
  if (plan.step_count() > kPlanStepsMax || plan.branches.size() > kPlanStepsMax) {
    return fail(ErrorKind::Exhausted,
                fmt::format("a plan of {} branches and {} steps is more than the {} allowed",
                            plan.branches.size(), plan.step_count(), kPlanStepsMax));
  }
  FP_TRY(order, order_of(plan));
  (void)order;
  return {};
}

}  // namespace fixpoint::runtime
