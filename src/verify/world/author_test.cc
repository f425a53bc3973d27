// SPDX-License-Identifier: Apache-2.0
//
// What an author may add to a scenario besides people: built-in controllers, a system outside that
// has a life of its own, claims about states and runs, a life cycle, and mutants of the domain.
#include "json/draft.h"
#include "runtime/typed.h"
#include "verify/world/boats_for_tests.h"
#include "verify/world/mutants.h"
#include "verify/world/search.h"
#include "verify/world/subject.h"
#include "verify/world/world.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::verify::world {
namespace {

using runtime::Plan;
using runtime::TestOperator;
using Seen = TestOperator::Seen;

const client::Resource kSets = runtime::builtin("apps/v1", "StatefulSet");
const client::Resource kPods = runtime::builtin("v1", "Pod");

Outcome outcome_of(const Exploration& result, std::string_view name) {
  const auto found = std::ranges::find(result.verdicts, name, &Verdict::name);
  return found == result.verdicts.end() ? Outcome::Unknown : found->outcome;
}

std::string broken_in(const Exploration& result) {
  std::string text;
  for (const auto& verdict : result.verdicts) {
    if (verdict.outcome != Outcome::Holds) text += verdict.name + "\n";
  }
  return text;
}

Exploration exploration_of(const Trial& trial, std::string_view budget = "") {
  const auto& scenario = trial.scenarios.front();
  return explore(World{trial, scenario, {.budget = scenario.budget.with(budget).value()}});
}

// A boat is rowed by two pods of a StatefulSet.
Plan crew(const Seen& seen) {
  const auto labels = runtime::object({
      {"boat", "a"}
  });
  const auto rower = runtime::object({
      {"name",  "rower"},
      {"image", "oar"  }
  });
  const auto pod = runtime::object({
      {"metadata", runtime::object({{"labels", labels}})                    },
      {"spec",     runtime::object({{"containers", runtime::list({rower})}})}
  });
  const auto spec = runtime::object({
      {"replicas",            2                                         },
      {"serviceName",         "a"                                       },
      {"podManagementPolicy", "Parallel"                                },
      {"selector",            runtime::object({{"matchLabels", labels}})},
      {"template",            pod                                       }
  });
  return Plan{
  }
      .apply(
          runtime::child(kube::key_of(seen.primary), "apps/v1", "StatefulSet", {{"spec", spec}}));
}

Deed kubelet_runs_pods() {
  const auto waiting = [](const Look& look) {
    auto pods = look.list(kPods);
    std::erase_if(pods, [](json::View pod) { return kube::condition_is_true(pod, "Ready"); });
    return pods;
  };
  return {.who = "kubelet",
          .what = "runs a pod",
          .price = std::nullopt,
          .fair = true,
          .act =
              [waiting](Stage& stage) {
                stage.patch(kPods, kube::key_of(waiting(stage.look()).front()),
                            R"({"status":{"phase":"Running","conditions":[
                                {"type":"Ready","status":"True"}]}})",
                            "status");
              },
          .possible = [waiting](const Look& look) { return !waiting(look).empty(); }};
}

TEST(BuiltInControllers, ActByThemselvesInAWorld) {
  auto reconciler = std::make_shared<TestOperator>();
  reconciler->declared.watches.pop_back();
  reconciler->declared.watches.back() = runtime::owns("apps/v1", "StatefulSet");
  reconciler->on_decide = crew;
  Trial trial = boat_trial();
  trial.reconciler = reconciler;
  auto scenario = boat_scenario("crew", "red", "");
  scenario.loops = {built_in::stateful_sets()};
  scenario.deeds = {kubelet_runs_pods()};
  scenario.match = [](const Look& look, json::View) {
    const auto sets = look.list(kSets);
    return sets.size() == 1 && sets.front().get("status", "readyReplicas").as_int() == 2;
  };
  trial.scenarios = {scenario};

  const auto result = exploration_of(trial);

  EXPECT_EQ(broken_in(result), "");
  EXPECT_TRUE(result.complete());
  const auto loop = std::ranges::find(result.actors, "stateful set controller",
                                      [](const ActorCount& count) { return count.actor.name; });
  EXPECT_GT(loop->transitions, 3U);
}

// A harbour: closed at first, with a list of the boats that are registered.
json::Value harbour(bool open, const std::vector<std::string>& boats) {
  auto list = json::Draft::array();
  for (const auto& boat : boats) list.push_back(boat);
  return json::Draft::object({
                                 {"open",  open},
                                 {"boats", list}
  })
      .freeze();
}

std::vector<std::string> registered(json::View outside) {
  std::vector<std::string> boats;
  for (const json::View boat : outside.get("boats").elements()) {
    boats.emplace_back(boat.as_string());
  }
  return boats;
}

bool is_registered(json::View outside, json::View boat) {
  return std::ranges::count(registered(outside), std::string{kube::name_of(boat)}) > 0;
}

Result<json::Value> perform(json::Value& state, const runtime::EffectStep& step) {
  const std::string name{step.arguments.get("name").as_string()};
  auto boats = registered(state);
  // Two of one name are too many already; without an end there would be ever more states.
  if (step.name == "register" && std::ranges::count(boats, name) < 2) boats.push_back(name);
  if (step.name == "leave") std::erase(boats, name);
  std::ranges::sort(boats);
  state = harbour(state.get("open").as_bool(), boats);
  return state;
}

// Registers each boat once the harbour is open. An answer that does not come is waited for.
std::shared_ptr<TestOperator> registrar(bool asks_first) {
  auto made = std::make_shared<TestOperator>();
  made->declared.watches.pop_back();
  made->declared.watches.pop_back();
  made->declared.finalizer = "fixpoint.dev/boats";
  made->on_observe = [](const runtime::Reader&, runtime::Probes& probes) -> Result<json::Value> {
    auto answer = probes.ask({.name = "harbour", .arguments = {}});
    if (!answer && !runtime::still_asking(answer.error())) return json::Value{};
    return answer;
  };
  const auto named = [](const Seen& seen) {
    return json::Draft::object({
                                   {"name", kube::name_of(seen.primary)}
    })
        .freeze();
  };
  made->on_decide = [=](const Seen& seen) {
    Plan plan;
    const bool known = asks_first ? is_registered(seen.extra, seen.primary)
                                  : seen.primary.get("status", "phase").as_string() == "Ready";
    if (seen.extra.get("open").as_bool() && !known) plan.effect("register", named(seen));
    if (!known) plan.look_again = std::chrono::seconds(30);
    return plan;
  };
  made->on_cleanup = [=](const Seen& seen) { return Plan{}.effect("leave", named(seen)); };
  made->on_conclude = [](const Seen& seen, const runtime::Outcomes& outcomes) {
    runtime::Conclusion conclusion;
    const bool in = is_registered(seen.extra, seen.primary) ||
                    (seen.extra.get("open").as_bool() && outcomes.all_succeeded());
    conclusion.status = json::Draft::object({
                                                {"phase", in ? "Ready" : "Waiting"}
    })
                            .freeze();
    return conclusion;
  };
  return made;
}

Deed harbour_opens() {
  return {.who = "harbour",
          .what = "opens",
          .price = std::nullopt,
          .fair = true,
          .act =
              [](Stage& stage) {
                stage.set_outside(harbour(true, registered(stage.look().outside())));
              },
          .possible = [](const Look& look) { return !look.outside().get("open").as_bool(); }};
}

Claim at_most_one_berth() {
  return {.name = "a boat has one berth at most",
          .kind = Claim::Kind::Always,
          .when = [](const Glance& now) { return !registered(now.outside).empty(); },
          .holds =
              [](const Glance& now) {
                const auto boats = registered(now.outside);
                return std::ranges::adjacent_find(boats) == boats.end();
              }};
}

// One boat, or two of one namespace.
Trial harbour_trial(std::size_t boats, std::string_view budget = "") {
  Trial trial = boat_trial();
  trial.reconciler = registrar(true);
  auto scenario = boat_scenario("harbour", "red", budget);
  if (boats > 1)
    scenario.objects.emplace_back(
        "{apiVersion: sea.example.com/v1, kind: Boat, metadata: {name: b}, spec: {color: red}}");
  scenario.outside =
      OutsideModel{.state = harbour(false, {}),
                   .probe = [](const json::Value& state,
                               const runtime::Probe&) -> Result<json::Value> { return state; },
                   .perform = perform};
  scenario.deeds = {harbour_opens()};
  scenario.match = [](const Look& look, json::View boat) {
    return is_registered(look.outside(), boat) &&
           boat.get("status", "phase").as_string() == "Ready";
  };
  scenario.claims = {
      at_most_one_berth(),
      {.name = "an open harbour gets its boats",
          .kind = Claim::Kind::LeadsTo,
          .when = [](const Glance& now) { return now.outside.get("open").as_bool(); },
          .holds = [=](const Glance& now) { return registered(now.outside).size() >= boats; }},
      {.name = "one is in before the other",
          .kind = Claim::Kind::Sometimes,
          .when = {},
          .holds = [](const Glance& now) { return registered(now.outside).size() == 1; }     },
      {.name = "no berth is lost",
          .kind = Claim::Kind::EventuallyStable,
          .when = {},
          .holds = [=](const Glance& now) { return registered(now.outside).size() >= boats; }},
  };
  scenario.life = LifeCycle{
      .table = {.names = {"Waiting", "Ready"}, .first = {0, 1}, .allowed = {{0, 1}, {1, 0}}},
      .phase = [](const Glance& now) -> std::optional<int> {
        const json::View status = now.look.get(runtime::kBoats, kBoat).get("status");
        if (status.is_null()) return std::nullopt;
        return status.get("phase").as_string() == "Ready" ? 1 : 0;
                }
  };
  trial.scenarios = {std::move(scenario)};
  return trial;
}

TEST(WorldOutside, ChangesByItselfAndIsClaimedAbout) {
  const auto result = exploration_of(harbour_trial(2));

  EXPECT_EQ(broken_in(result), "");
  EXPECT_TRUE(result.complete());
}

TEST(WorldOutside, MayStayWithoutAnAnswerWhateverItDid) {
  const auto result = exploration_of(harbour_trial(1), "error=1");

  EXPECT_EQ(broken_in(result), "");
}

// The boat is gone, and its registration comes after all: nothing in the operator prevents it.
TEST(WorldOutside, MayBeActedUponLate) {
  Trial trial = harbour_trial(1);
  auto& scenario = trial.scenarios.front();
  scenario.claims = {
      {.name = "no berth without a boat",
       .kind = Claim::Kind::Always,
       .when = {},
       .holds = [](const Glance& now) {
         return now.look.list(runtime::kBoats).size() >= registered(now.outside).size();
       }}
  };
  scenario.deeds.push_back(sinks());

  EXPECT_EQ(outcome_of(exploration_of(trial, "edit=1"), "claim: no berth without a boat"),
            Outcome::Holds);
  EXPECT_EQ(outcome_of(exploration_of(trial, "edit=1,late=1"), "claim: no berth without a boat"),
            Outcome::Violated);
}

TEST(Claims, AreFoundFalse) {
  Trial trial = harbour_trial(1);
  auto& scenario = trial.scenarios.front();
  scenario.deeds.front().fair = false;  // it need never open
  scenario.life->table.allowed.clear();

  const auto result = exploration_of(trial);

  EXPECT_EQ(outcome_of(result, "claim: no berth is lost"), Outcome::Violated);
  EXPECT_EQ(outcome_of(result, "claim: an open harbour gets its boats"), Outcome::Holds);
  EXPECT_EQ(outcome_of(result, "no run leaves the life cycle"), Outcome::Violated);
}

// A mistake that only who knows harbours can think of: the status is believed.
TEST(Variants, AreMutantsOfTheAuthor) {
  Trial trial = harbour_trial(1, "error=1");
  trial.variants = {
      {.name = "registers without asking whether it is registered",
       .belongs_to = "berths",
       .reconciler = registrar(false)}
  };
  auto all = mutations_of(trial);
  ASSERT_EQ(all.back().group, "case: berths");

  const auto mutant = MutantHunt{trial, {}}.hunt(all.back());

  EXPECT_EQ(mutant.property, "claim: a boat has one berth at most");
}

TEST(Variants, AreHuntedWithTheBudgetThatTheyNeed) {
  Trial trial = harbour_trial(1);
  trial.variants = {
      {.name = "registers without asking whether it is registered",
       .belongs_to = "harbour",
       .reconciler = registrar(false)}
  };
  EXPECT_FALSE(MutantHunt(trial, {}).hunt(variants_of(trial).front()).killed());

  trial.variants.front().budget = "error=1";
  EXPECT_TRUE(MutantHunt(trial, {}).hunt(variants_of(trial).front()).killed());
}

TEST(Scenarios, ThatAreLargeAreLeftToTheirOwnVariants) {
  Trial trial = harbour_trial(1, "error=1");
  trial.variants = {
      {.name = "registers without asking whether it is registered",
       .belongs_to = "berths",
       .reconciler = registrar(false)}
  };
  trial.scenarios.front().by_name_only = true;
  EXPECT_EQ(MutantHunt(trial, {}).hunt(variants_of(trial).front()).states, 0U);

  trial.variants.front().belongs_to = "harbour";
  EXPECT_TRUE(MutantHunt(trial, {}).hunt(variants_of(trial).front()).killed());
  EXPECT_TRUE(subject_of(std::make_shared<const Trial>(trial)).scenarios.front().by_name_only);
}

}  // namespace
}  // namespace fixpoint::verify::world
