// SPDX-License-Identifier: Apache-2.0
#include "verify/world/mutations.h"

#include "json/draft.h"
#include "json/patch/patch.h"
#include "json/patch/pointer.h"
#include "runtime/controller/json_operation.h"
#include "verify/world/sites.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace fixpoint::verify::world {
namespace {

using runtime::Plan;
using PlanStep = runtime::Step;

constexpr const char* kPlan = "plan";
constexpr const char* kFields = "fields of the plan";
constexpr const char* kConclude = "conclude";
constexpr const char* kOperator = "operator";
constexpr const char* kRuntime = "rules of the runtime";
constexpr const char* kServerRules = "rules of the API";

constexpr std::array<std::string_view, runtime::kRuleCount> kRuleNames{
    "FinalizerFirst",   "FinalizerUntilGone",    "DeletionWins",    "OnePassPerKey",
    "FencedByLease",    "InvalidCreatesNothing", "BoundToSnapshot", "NoAdoption",
    "DeleteByUid",      "LiveBeforeDelete",      "ReadOwnWrites",   "NeverBackInTime",
    "StatusFromFacts",  "QuietFixpoint",         "BoundedSteps",    "ErrorClasses",
    "IsolatedBranches", "EditWarGuard"};

json::Value patched(const json::Value& value, json::Draft operation) {
  const json::Value patch = json::Draft::array({std::move(operation)}).freeze();
  auto made = json::apply_patch(value, patch);
  return made ? *made : value;
}

json::Value without_path(const json::Value& value, const std::string& path) {
  return patched(value, json::Draft::object({
                            {"op",   "remove"},
                            {"path", path    }
  }));
}

json::Value with_path(const json::Value& value, const std::string& path, json::Draft to) {
  return patched(value, runtime::json_operation("replace", path, std::move(to)));
}

// Something else of the same type.
json::Draft other_than(json::View value) {
  switch (value.type()) {
    case json::Type::Bool: return !value.as_bool();
    case json::Type::String: return std::string{value.as_string()} + "x";
    default: return value.as_int() + 1;
  }
}

// The least of the same type.
json::Draft nothing_like(json::View value) {
  switch (value.type()) {
    case json::Type::Bool: return false;
    case json::Type::String: return "";
    default: return 0;
  }
}

bool is_leaf(json::View value) {
  return value.type() != json::Type::Object && value.type() != json::Type::Array;
}

// Every path below `value`, also those that lead to more.
void each_path(json::View value, const std::string& at,
               const std::function<void(const std::string&, json::View)>& tell) {
  for (const auto [key, member] : value.members()) {
    const auto path = at + "/" + json::escape_token(key);
    tell(path, member);
    each_path(member, path, tell);
  }
  std::size_t number = 0;
  for (const json::View element : value.elements()) {
    const auto path = fmt::format("{}/{}", at, number++);
    tell(path, element);
    each_path(element, path, tell);
  }
}

// Steps in the place of the one at the site.
using Rewrite = std::function<std::vector<PlanStep>(const PlanStep&)>;

std::function<void(Plan&, json::View)> rewriting(StepSite site, Rewrite rewrite) {
  return [site = std::move(site), rewrite = std::move(rewrite)](Plan& plan, json::View) {
    const PlanStep* found = find_step(plan, site);
    if (found == nullptr) return;
    auto made = rewrite(*found);
    auto& steps = std::ranges::find(plan.branches, site.branch, &runtime::Branch::name)->steps;
    const auto at = steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(site.index));
    steps.insert(at, std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  };
}

runtime::WaitStep waits() {
  return {.reason = "Mutant", .message = "it waits for nothing"};
}

struct Retarget {
  static json::Value renamed(const json::Value& object) {
    return with_path(object, "/metadata/name", other_than(object.get("metadata", "name")));
  }
  PlanStep operator()(runtime::CreateStep step) const {
    step.object = renamed(step.object);
    return step;
  }
  PlanStep operator()(runtime::ApplyStep step) const {
    step.object = renamed(step.object);
    return step;
  }
  PlanStep operator()(runtime::PatchStep step) const {
    step.target.key.name += "x";
    return step;
  }
  PlanStep operator()(runtime::DeleteStep step) const {
    step.target.key.name += "x";
    return step;
  }
  PlanStep operator()(runtime::WaitStep step) const { return step; }
  PlanStep operator()(runtime::EmitStep step) const { return step; }
  PlanStep operator()(runtime::EffectStep step) const {
    step.name += "x";
    return step;
  }
};

PlanStep shared(const PlanStep& step) {
  auto made = step;
  if (auto* apply = std::get_if<runtime::ApplyStep>(&made)) {
    apply->ownership = runtime::Ownership::Shared;
  }
  if (auto* create = std::get_if<runtime::CreateStep>(&made)) {
    create->ownership = runtime::Ownership::Shared;
  }
  return made;
}

class Maker {
 public:
  explicit Maker(Sites sites) : sites_(std::move(sites)) {}

  std::vector<Mutation> take() && { return std::move(made_); }

  void plans() {
    for (const auto& site : sites_.steps) rewrites(site, false);
    for (const auto& site : sites_.cleanup_steps) rewrites(site, true);
    for (const auto& site : sites_.steps) swaps(site);
    whole_plans();
  }

  void fields() {
    for (const auto& [site, object] : sites_.objects) {
      each_path(object, "", [&](const std::string& path, json::View value) {
        // Those are the target, or the server's answer to them is no.
        if (path == "/metadata" || path == "/metadata/name" || path == "/metadata/namespace" ||
            path == "/kind" || path == "/apiVersion") {
          return;
        }
        field(site, "drop", path, [path](const json::Value& v) { return without_path(v, path); });
        if (!is_leaf(value)) return;
        field(site, "empty", path,
              [path, to = json::Draft(nothing_like(value)).freeze()](const json::Value& v) {
                return with_path(v, path, to);
              });
        field(site, "change", path,
              [path, to = json::Draft(other_than(value)).freeze()](const json::Value& v) {
                return with_path(v, path, to);
              });
      });
    }
  }

  void conclusions() {
    for (const auto& [field, value] : sites_.status_fields) {
      const auto path = "/" + json::escape_token(field);
      concludes("drop " + field, [path](runtime::Conclusion& conclusion, json::View) {
        conclusion.status = without_path(conclusion.status, path);
      });
      if (is_leaf(value)) {
        concludes("change " + field, [path, field](runtime::Conclusion& conclusion, json::View) {
          conclusion.status =
              with_path(conclusion.status, path, other_than(conclusion.status.get(field)));
        });
      }
      concludes("keep the first " + field,
                [path, field](runtime::Conclusion& conclusion, json::View primary) {
                  const json::View old = primary.get("status", field);
                  if (!old.is_null()) conclusion.status = with_path(conclusion.status, path, old);
                });
    }
    for (const auto& type : sites_.conditions) conditions(type);
    whole_conclusions();
  }

  void operators(const runtime::Declaration& declaration) {
    for (std::size_t at = 0; at < declaration.watches.size(); ++at) {
      made_.push_back({.group = kOperator,
                       .name = "deaf to " + declaration.watches[at].collection.resource.plural,
                       .twist = {.declaration = [at](runtime::Declaration& changed) {
                         changed.watches[at].predicate = [](json::View before, json::View after) {
                           return before.is_null() && after.is_null();
                         };
                       }}});
    }
    made_.push_back({.group = kOperator,
                     .name = "rejects everything",
                     .twist = {.check = [](auto& e) {
                       e.push_back(kube::forbidden(kube::FieldPath("spec"), "a mutant says no"));
                     }}});
    made_.push_back({.group = kOperator,
                     .name = "rejects nothing",
                     .twist = {.check = [](auto& errors) { errors.clear(); }}});
    if (declaration.finalizer.empty()) return;
    made_.push_back({.group = kOperator,
                     .name = "another finalizer",
                     .twist = {.declaration = [](auto& changed) { changed.finalizer += "-x"; }}});
    made_.push_back({.group = kOperator,
                     .name = "no finalizer",
                     .twist = {.declaration = [](auto& changed) { changed.finalizer.clear(); }}});
  }

  void rules() {
    for (std::size_t at = 0; at < runtime::kRuleCount; ++at) {
      made_.push_back(without(static_cast<runtime::Rule>(at)));
    }
  }

  void servers() {
    for (const auto& row : apiserver::weaknesses()) {
      made_.push_back(
          {.group = kServerRules, .name = std::string{row.what}, .weakness = row.weakness});
    }
  }

 private:
  void add_plan(std::string name, std::function<void(Plan&, json::View)> change, bool cleanup) {
    Mutation mutation{.group = kPlan, .name = std::move(name)};
    (cleanup ? mutation.twist.cleanup : mutation.twist.plan) = std::move(change);
    made_.push_back(std::move(mutation));
  }

  void rewrites(const StepSite& site, bool cleanup) {
    const auto add = [&](std::string_view how, Rewrite rewrite) {
      add_plan(fmt::format("{} \"{}\"", how, site.what), rewriting(site, std::move(rewrite)),
               cleanup);
    };
    add("drop", [](const PlanStep&) { return std::vector<PlanStep>{}; });
    add("duplicate", [](const PlanStep& step) { return std::vector{step, step}; });
    add("wait before", [](const PlanStep& step) { return std::vector<PlanStep>{waits(), step}; });
    add("retarget", [](const PlanStep& step) { return std::vector{std::visit(Retarget{}, step)}; });
    if (site.kind == PlanStep{runtime::ApplyStep{}}.index()) {
      add("only create", [](const PlanStep& step) {
        return std::vector<PlanStep>{
            runtime::CreateStep{std::get<runtime::ApplyStep>(step).object}};
      });
      add("share", [](const PlanStep& step) { return std::vector{shared(step)}; });
      add("repeat under another name",
          [](const PlanStep& step) { return std::vector{step, std::visit(Retarget{}, step)}; });
    }
    if (site.kind == PlanStep{runtime::DeleteStep{}}.index()) {
      add("mistake the uid of", [](const PlanStep& step) {
        auto made = std::get<runtime::DeleteStep>(step);
        made.uid.value += "x";
        return std::vector<PlanStep>{made};
      });
    }
  }

  void swaps(const StepSite& site) {
    add_plan(
        fmt::format("swap \"{}\" with the next", site.what),
        [site](Plan& plan, json::View) {
          if (find_step(plan, site) == nullptr) return;
          auto& steps =
              std::ranges::find(plan.branches, site.branch, &runtime::Branch::name)->steps;
          if (site.index + 1 < steps.size()) {
            std::swap(steps[site.index], steps[site.index + 1]);
          }
        },
        false);
  }

  void whole_plans() {
    add_plan(
        "none once there is a status",
        [](Plan& plan, json::View primary) {
          if (!primary.get("status").is_null()) plan = {};
        },
        false);
    add_plan(
        "none after the first generation",
        [](Plan& plan, json::View primary) {
          if (primary.get("metadata", "generation").as_int() > 1) plan = {};
        },
        false);
    add_plan(
        "backwards",
        [](Plan& plan, json::View) {
          for (auto& branch : plan.branches) std::ranges::reverse(branch.steps);
        },
        false);
    add_plan(
        "an event on every pass",
        [](Plan& plan, json::View) { plan.emit(runtime::EventType::Normal, "Mutant", "again"); },
        false);
    add_plan(
        "cleanup waits for ever",
        [](Plan& plan, json::View) { plan.wait("Mutant", "it waits for nothing"); }, true);
    for (const auto& [site, object] : sites_.objects) {
      add_plan(
          fmt::format("cleanup does \"{}\"", site.what),
          [object](Plan& plan, json::View) { plan.apply(object); }, true);
    }
  }

  void field(const StepSite& site, std::string_view how, const std::string& path,
             std::function<json::Value(const json::Value&)> change) {
    made_.push_back(
        {.group = kFields,
         .name = fmt::format("{} {} of \"{}\"", how, path, site.what),
         .twist = {.plan = rewriting(site, [change = std::move(change)](const PlanStep& step) {
                     auto made = step;
                     auto* object = object_of(made);
                     *object = change(*object);
                     return std::vector{made};
                   })}});
  }

  void concludes(std::string name, std::function<void(runtime::Conclusion&, json::View)> change) {
    made_.push_back(
        {.group = kConclude, .name = std::move(name), .twist = {.conclusion = std::move(change)}});
  }

  void conditions(const std::string& type) {
    const auto add = [&](std::string_view how, std::function<void(runtime::Condition&)> change) {
      concludes(fmt::format("{} of condition {}", how, type),
                [type, change = std::move(change)](runtime::Conclusion& conclusion, json::View) {
                  const auto found =
                      std::ranges::find(conclusion.conditions, type, &runtime::Condition::type);
                  if (found != conclusion.conditions.end()) change(*found);
                });
    };
    concludes("drop condition " + type, [type](runtime::Conclusion& conclusion, json::View) {
      std::erase_if(conclusion.conditions, [&](const auto& c) { return c.type == type; });
    });
    add("the opposite", [](runtime::Condition& c) { c.is_true = !c.is_true; });
    add("always true", [](runtime::Condition& c) { c.is_true = true; });
    add("never true", [](runtime::Condition& c) { c.is_true = false; });
    add("unknown", [](runtime::Condition& c) { c.unknown = true; });
    add("another type", [](runtime::Condition& c) { c.type += "x"; });
  }

  void whole_conclusions() {
    concludes("nothing once there is a status",
              [](runtime::Conclusion& conclusion, json::View primary) {
                if (!primary.get("status").is_null()) conclusion = {};
              });
    concludes("nothing", [](runtime::Conclusion& conclusion, json::View) { conclusion = {}; });
    concludes("nothing after the first generation",
              [](runtime::Conclusion& conclusion, json::View primary) {
                if (primary.get("metadata", "generation").as_int() > 1) conclusion = {};
              });
    concludes("the generation before", [](runtime::Conclusion& conclusion, json::View primary) {
      auto status = json::Draft(conclusion.status);
      status["observedGeneration"] = primary.get("metadata", "generation").as_int() - 1;
      conclusion.status = status.freeze();
    });
    concludes("a counter", [](runtime::Conclusion& conclusion, json::View primary) {
      auto status = json::Draft(conclusion.status);
      for (const auto [key, value] : conclusion.status.view().members()) {
        if (value.type() == json::Type::Int) {
          status[key] = (primary.get("status", key).as_int() + 1) % 3;
        }
      }
      conclusion.status = status.freeze();
    });
    believes("all succeeded", runtime::StepState::Done);
    believes("all failed", runtime::StepState::Failed);
    believes("all waiting", runtime::StepState::Waiting);
  }

  void believes(std::string_view what, runtime::StepState state) {
    made_.push_back({.group = kConclude,
                     .name = fmt::format("takes it that {}", what),
                     .twist = {.outcomes = [state](runtime::Outcomes& outcomes) {
                       for (auto& outcome : outcomes.steps) {
                         outcome.state = state;
                         outcome.reason = "Mutant";
                       }
                     }}});
  }

  Sites sites_;
  std::vector<Mutation> made_;
};

}  // namespace

std::string to_string(runtime::Rule rule) {
  return std::string{kRuleNames.at(static_cast<std::size_t>(rule))};
}

Mutation without(runtime::Rule rule) {
  return {.group = kRuntime,
          .name = "without " + to_string(rule),
          .rules = runtime::Rules::without(rule)};
}

std::vector<Mutation> variants_of(const Trial& trial) {
  std::vector<Mutation> made;
  for (const auto& variant : trial.variants) {
    made.push_back({.group = fmt::format("{}: {}", kCases, variant.belongs_to),
                    .name = variant.name,
                    .instead = variant.reconciler,
                    .first_in = variant.belongs_to,
                    .budget = variant.budget});
  }
  return made;
}

std::vector<Mutation> mutations_of(const Trial& trial) {
  Maker maker{sites_of(trial)};
  maker.plans();
  maker.fields();
  maker.conclusions();
  maker.operators(trial.reconciler->declaration());
  maker.rules();
  maker.servers();
  auto made = std::move(maker).take();
  std::ranges::move(variants_of(trial), std::back_inserter(made));
  return made;
}

}  // namespace fixpoint::verify::world
