// SPDX-License-Identifier: Apache-2.0
#include "verify/world/world.h"

#include "apiserver/write/remove.h"
#include "cluster/controllers.h"
#include "cluster/loops/namespace_controller.h"
#include "json/print.h"
#include "json/yaml/yaml.h"
#include "kube/meta/metadata.h"
#include "runtime/controller/pass_state.h"
#include "runtime/typed.h"
#include "verify/world/call_digest.h"
#include "verify/world/remembering.h"
#include "verify/world/turn.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::verify::world {
namespace {

using runtime::Effect;

std::atomic<std::uint64_t> worlds_made{0};

const client::Resource kDefinitions =
    runtime::builtin("apiextensions.k8s.io/v1", "CustomResourceDefinition");

// Far more than the loops need to accept a few definitions.
constexpr std::size_t kSettleSteps = 10'000;

void create(Stage& stage, const json::Value& object) {
  const auto version = kube::parse_group_version(object.get("apiVersion").as_string());
  FP_CHECK(version.has_value());
  const auto resource = stage.server().resolve(
      {version->group, version->version, std::string{object.get("kind").as_string()}});
  FP_CHECK(resource.has_value());
  const auto ns = resource->scope == client::Scope::Cluster ? std::string_view{}
                  : kube::namespace_of(object).empty()      ? "default"
                                                            : kube::namespace_of(object);
  FP_CHECK(stage.create(*resource, json::to_text(object), ns));
}

// A cluster with the trial's kinds, at rest.
store::Store beginning_of(const Trial& trial, const Scenario& scenario) {
  store::Store store;
  Stage stage{store};
  create(stage, *json::parse_yaml("{apiVersion: v1, kind: Namespace, metadata: {name: default}}"));
  for (const auto& definition : trial.definitions) {
    if (std::ranges::count(scenario.absent, kube::name_of(definition)) > 0) continue;
    create(stage, definition);
  }
  auto controllers = cluster::Controllers::of_server();
  controllers.begin(stage.server());
  auto seen = store.revision();
  do {
    controllers.run(stage.server(), kSettleSteps);
    const auto events = store.events_after(seen);
    seen = store.revision();
    controllers.observe(*events);
  } while (controllers.run(stage.server(), kSettleSteps) || store.revision() != seen);
  return store;
}

std::vector<std::uint64_t> uids_of(const store::Store& store) {
  std::vector<std::uint64_t> uids;
  store.latest().scan("", {}, [&](const store::RecordRef& record) {
    uids.push_back(hash64(kube::uid_of(record->body)));
    return true;
  });
  std::ranges::sort(uids);
  return uids;
}

}  // namespace

World::World(const Trial& trial, const Scenario& scenario, WorldOptions options)
    : serial_(++worlds_made),
      trial_(trial),
      scenario_(scenario),
      reconciler_(remembering(*trial.reconciler)),
      options_(options),
      beginning_(beginning_of(trial, scenario)),
      fixed_uids_(uids_of(beginning_)),
      blueprint_({.reconciler = reconciler_.get(),
                  .rules = options_.rules,
                  .guard = scenario.guard,
                  .weakness = options_.weakness},
                 beginning_),
      happenings_(scenario, options_.budget) {
  FP_CHECK(scenario.processes >= 1 && scenario.processes <= 2);
  FP_CHECK(scenario.promises.size() <= 64);  // a step has a bit for each
  loops_ = {
      {"namespace controller", [] { return std::make_unique<cluster::NamespaceController>(); }}
  };
  loops_.insert(loops_.end(), scenario.loops.begin(), scenario.loops.end());
  name_actors();
  State state;
  state.store = beginning_;
  state.left = options_.budget;
  if (scenario.outside) state.outside = scenario.outside->state;
  state.live = make_ref<Live>();
  unborn_ = complete(make_ref<Process>(blueprint_), nullptr);
  state.processes.assign(scenario.processes, unborn_);
  Turn turn{*this, state, Turn::Memory::Unused};
  Stage stage{turn.state().store};
  for (const auto& text : scenario.objects) {
    const auto objects = json::parse_yaml_documents(text);
    FP_CHECK(objects.has_value());
    for (const auto& object : *objects) create(stage, object);
  }
  initial_ = turn.finish();
}

namespace {

Digest digest_of_effect(const Effect& effect) {
  DigestBuilder out;
  if (const auto* outside = std::get_if<runtime::OutsideEffect>(&effect.what)) {
    out.text(outside->step.name);
    out.part(digest_of(outside->step.arguments));
    return out.finish();
  }
  const auto& call = std::get<runtime::ApiEffect>(effect.what).call;
  out.part(digest_of(call));
  return out.finish();
}

}  // namespace

Sent::Sent(Effect what) : effect(std::move(what)), digest(digest_of_effect(effect)) {}

const client::Call* Sent::call() const {
  const auto* api = std::get_if<runtime::ApiEffect>(&effect.what);
  return api == nullptr ? nullptr : &api->call;
}

std::optional<State> World::next(const State& state, const Action& action) const {
  return Turn{*this, state}.take(action);
}

std::optional<State> World::next_afresh(const State& state, const Action& action) const {
  return Turn{*this, state, Turn::Memory::Unused}.take(action);
}

const runtime::Pass& World::pass_of(const State& state, const Action& action) {
  const auto* pass = state.processes[action.process]->pass(action.item);
  FP_CHECK(pass != nullptr);
  return *pass;
}

const Effect& World::effect_of(const State& state, const Action& action) {
  return pass_of(state, action).state().outstanding.at(action.effect).effect;
}

const client::Call* World::arrived(const State& before, const Action& action) {
  if (action.step == Step::Land) return before.in_flight[action.item].sent->call();
  if (action.step != Step::Effect || !acted_upon(action.fault)) return nullptr;
  const auto* api = std::get_if<runtime::ApiEffect>(&effect_of(before, action).what);
  return api == nullptr || api->call.verb == client::Verb::Get ? nullptr : &api->call;
}

void World::actions(const State& state, std::vector<Action>& out) const {
  for (std::uint8_t at = 0; at < small_count(state.processes); ++at) {
    add_process_actions(state, at, out);
  }
  for (std::uint8_t at = 0; at < small_count(state.in_flight); ++at) {
    out.push_back({.step = Step::Land, .item = at});
  }
  if (Turn::next_deadline(state)) out.push_back({.step = Step::Wait});
  const Live& live = *state.live;
  for (const auto at : live.collectible) out.push_back({.step = Step::Collect, .item = at});
  for (std::uint8_t at = live.terminating ? 0 : 1; at < small_count(loops_); ++at) {
    out.push_back({.step = Step::Loop, .item = at});
  }
  for (const auto at : live.deeds) {
    const auto& price = scenario_.deeds[at].price;
    if (!price || state.left[*price] > 0) {
      out.push_back({.step = Step::Deed, .item = at});
    } else {
      happenings_.beyond(at);
    }
  }
  if (state.processes.size() > 1 && state.left[Trouble::Lease] > 0) {
    out.push_back({.step = Step::MoveLease});
  }
}

void World::add_process_actions(const State& state, std::uint8_t process,
                                std::vector<Action>& out) const {
  const Process& it = *state.processes[process];
  const auto watches = static_cast<std::uint8_t>(it.follows.size());
  if (!it.connected) {
    out.push_back({.step = Step::Connect, .process = process});
    if (state.left[Trouble::Travel] == 0) return;
    for (std::uint8_t lag = 1; lag <= std::max<std::uint8_t>(state.left.stale, 1); ++lag) {
      for (std::uint8_t watch = 0; watch <= watches; ++watch) {
        out.push_back({.step = Step::Connect, .process = process, .item = watch, .lag = lag});
      }
    }
    return;
  }
  for (std::uint8_t watch = 0; watch < watches; ++watch) {
    const auto& followed = it.follows[watch];
    if (!followed.pending.empty()) {
      out.push_back({.step = Step::Deliver, .process = process, .item = watch});
    }
    if (blueprint_.may_go(watch) &&
        followed.served == (std::ranges::count(state.live->unserved, watch) > 0)) {
      out.push_back({.step = Step::Notice, .process = process, .item = watch});
    }
    if (state.left[Trouble::Watch] == 0) continue;
    if (followed.last) out.push_back({.step = Step::Repeat, .process = process, .item = watch});
    if (!followed.pending.empty()) {
      out.push_back({.step = Step::Relist, .process = process, .item = watch});
    }
  }
  if (state.leader == process && it.can_begin(state.now, scenario_.passes)) {
    out.push_back({.step = Step::Begin, .process = process});
  }
  add_effects(state, process, out);
  if (it.core.running() == 0 && state.left[Trouble::Crash] > 0) {
    out.push_back({.step = Step::Crash, .process = process});
  }
}

void World::add_effects(const State& state, std::uint8_t process, std::vector<Action>& out) const {
  std::uint8_t pass_at = 0;
  state.processes[process]->core.each_running([&](auto, const runtime::Pass& pass) {
    std::uint8_t at = 0;
    for (const auto& outstanding : pass.state().outstanding) {
      coverage_.reached(outstanding.effect, options_.budget, state.left);
      for (std::size_t number = 0; number < kFaults; ++number) {
        const auto fault = static_cast<Fault>(number);
        if (!affordable(fault, state.left) || !makes_sense(fault, outstanding.effect)) continue;
        Action action{.step = Step::Effect,
                      .process = process,
                      .item = pass_at,
                      .effect = at,
                      .fault = fault};
        const std::uint8_t lags = std::max<std::uint8_t>(state.left.stale, 1);
        action.lag = fault == Fault::Stale ? 1 : 0;
        do {
          out.push_back(action);
        } while (fault == Fault::Stale && action.lag++ < lags);
      }
      ++at;
    }
    ++pass_at;
  });
}

namespace {

// There and not waiting for its dependents. Owners from the beginning do not occur: those objects
// own nothing.
bool is_solid(const Live& live, std::string_view uid) {
  return std::ranges::any_of(live.records, [&](const store::RecordRef& record) {
    return kube::uid_of(record->body) == uid &&
           !(kube::being_deleted(record->body) &&
             kube::has_finalizer(record->body, apiserver::kForegroundFinalizer));
  });
}

// Whether the collector might do something about it.
bool is_worth_a_look(const Live& live, json::View object) {
  if (kube::being_deleted(object)) {
    return kube::has_finalizer(object, apiserver::kForegroundFinalizer) ||
           kube::has_finalizer(object, apiserver::kOrphanFinalizer);
  }
  for (const json::View owner : object.get("metadata", "ownerReferences").elements()) {
    if (!is_solid(live, owner.get("uid").as_string())) return true;
  }
  return false;
}

}  // namespace

void World::foresee(const Look& look, Live& live) const {
  live.deeds.clear();
  for (std::uint8_t at = 0; at < small_count(scenario_.deeds); ++at) {
    const Deed& deed = scenario_.deeds[at];
    if (!deed.possible || deed.possible(look)) live.deeds.push_back(at);
  }
  live.unserved.clear();
  for (std::uint8_t watch = 0; watch < small_count(blueprint_.watches()); ++watch) {
    if (!blueprint_.may_go(watch)) continue;
    const auto& resource = blueprint_.watches()[watch].collection.resource;
    const kube::Key definition{"", fmt::format("{}.{}", resource.plural, resource.kind.group)};
    if (look.get(kDefinitions, definition).is_null()) live.unserved.push_back(watch);
  }
  live.collectible.clear();
  live.terminating = false;
  // More than a number of 16 bits counts fit in no world that is explored to the end.
  for (std::uint16_t at = 0; at < std::min<std::size_t>(live.records.size(), 0xFFFF); ++at) {
    const json::View object = live.records[at]->body;
    live.terminating = live.terminating || (live.records[at]->key.starts_with("namespaces/") &&
                                            kube::being_deleted(object));
    if (is_worth_a_look(live, object)) live.collectible.push_back(at);
  }
}

}  // namespace fixpoint::verify::world
