// SPDX-License-Identifier: Apache-2.0
//
// What every operator is held to: the twelve rules of the runtime (runtime/controller/rules.h),
// seen from outside in what it asks for and what becomes of the store; that it gets done, gets rid
// of everything on deletion, and then rests. An author writes none of these.
//
// A rule about what a process asks for looks at the moment when it decides to, not when the request
// arrives: what happened on the way nobody can know.
#include "kube/meta/metadata.h"
#include "runtime/cache/contents_state.h"
#include "runtime/controller/pass_state.h"
#include "runtime/ownership.h"
#include "verify/world/server_rules.h"
#include "verify/world/turn.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace fixpoint::verify::world {
namespace {

using client::Call;
using client::Verb;
using runtime::ApiEffect;
using runtime::Effect;
using runtime::Pass;
using runtime::PassState;

struct Asked {
  std::uint8_t process = 0;
  const Process& it;
  const PassState& pass;
  const Effect& effect;

  const Call* call() const {
    const auto* api = std::get_if<ApiEffect>(&effect.what);
    return api == nullptr ? nullptr : &api->call;
  }
};

bool was_out(const Process& process, std::uint64_t pass_id, runtime::EffectId effect) {
  bool found = false;
  process.core.each_running([&](auto id, const Pass& pass) {
    if (id != pass_id) return;
    found = std::ranges::find(pass.state().outstanding, effect, &runtime::Outstanding::id) !=
            pass.state().outstanding.end();
  });
  return found;
}

// True when `holds` of everything that processes ask for since this step.
template <class Holds>
bool all_asked(const State& before, const State& after, Holds holds) {
  bool good = true;
  for (std::uint8_t at = 0; at < small_count(after.processes); ++at) {
    const Process& process = *after.processes[at];
    if (&process == before.processes[at].get()) continue;
    process.core.each_running([&](auto id, const Pass& pass) {
      for (const auto& out : pass.state().outstanding) {
        if (was_out(*before.processes[at], id, out.id)) continue;
        good = good && holds(Asked{at, process, pass.state(), out.effect});
      }
    });
  }
  return good;
}

bool makes_something(const Call* call) {
  return call != nullptr && (call->verb == Verb::Create || call->verb == Verb::Apply);
}

json::View stored(const State& state, const Call& call) {
  const auto name = call.verb == Verb::Create ? call.body.get("metadata", "name").as_string()
                                              : std::string_view{call.key.name};
  return Look{state.store.latest()}.get(call.resource, {call.key.ns, std::string{name}});
}

bool same_uid(json::View a, json::View b) {
  return a.get("metadata", "uid") == b.get("metadata", "uid");
}

struct Rules {
  const World& world;

  const runtime::Declaration& declaration() const { return world.blueprint().declaration(); }
  const client::Resource& primaries() const { return declaration().primary().collection.resource; }
  json::View primary_of(const State& state, const PassState& pass) const {
    return Look{state.store.latest()}.get(primaries(), pass.start.key);
  }

  // 1
  bool finalizer_first(const State& before, const State& after) const {
    if (declaration().finalizer.empty()) return true;
    return all_asked(before, after, [&](const Asked& asked) {
      if (!makes_something(asked.call())) return true;
      const json::View primary = primary_of(after, asked.pass);
      return !same_uid(primary, asked.pass.primary) ||
             kube::has_finalizer(primary, declaration().finalizer);
    });
  }
  bool finalizer_until_gone(const State& before, const Action& action, const State& after) const {
    const Call* call = World::arrived(before, action);
    if (call == nullptr || call->resource != primaries() || before.landed) return true;
    const json::View was = stored(before, *call);
    if (!kube::being_deleted(was) || !kube::has_finalizer(was, declaration().finalizer)) {
      return true;
    }
    const json::View is = stored(after, *call);
    if (same_uid(was, is) && kube::has_finalizer(is, declaration().finalizer)) return true;
    return std::ranges::none_of(before.live->records, [&](const store::RecordRef& record) {
      return runtime::owner_uid_of(record->body) == kube::uid_of(was);
    });
  }
  // 2
  bool deletion_wins(const State& before, const State& after) const {
    return all_asked(before, after, [&](const Asked& asked) {
      if (!makes_something(asked.call())) return true;
      const json::View known = asked.it.find(primaries().kind)->get(asked.pass.start.key);
      return !kube::being_deleted(known);
    });
  }
  static bool one_pass_per_key(const State& state) {
    for (const auto& process : state.processes) {
      std::vector<kube::Key> keys;
      process->core.each_running([&](auto, const Pass& pass) { keys.push_back(pass.key()); });
      std::ranges::sort(keys);
      if (std::ranges::adjacent_find(keys) != keys.end()) return false;
    }
    return true;
  }
  static bool fenced(const State& before, const State& after) {
    return all_asked(before, after, [&](const Asked& asked) {
      return !runtime::is_write(asked.effect) || asked.process == after.leader;
    });
  }
  // 3
  bool invalid_creates_nothing(const State& before, const State& after) const {
    return all_asked(before, after, [&](const Asked& asked) {
      return !makes_something(asked.call()) ||
             world.blueprint().reconciler().check(asked.pass.primary).empty();
    });
  }
  // 4
  bool bound_to_snapshot(const State& before, const Action& action, const State& after) const {
    const Call* call = World::arrived(before, action);
    if (call == nullptr || action.step != Step::Effect || call->resource != primaries())
      return true;
    const json::View was = stored(before, *call);
    if (stored(after, *call).same_as(was)) return true;
    const json::View snapshot = World::pass_of(before, action).state().primary;
    return same_uid(was, snapshot) &&
           (call->subresource != "status" ||
            was.get("metadata", "generation") == snapshot.get("metadata", "generation"));
  }
  // 5
  static bool no_adoption(const State& before, const Action& action, const State& after) {
    const Call* call = World::arrived(before, action);
    if (call == nullptr || !makes_something(call)) return true;
    const auto owner = runtime::owner_uid_of(call->body);
    const json::View was = stored(before, *call);
    if (was.is_null() || owner.empty() || stored(after, *call).same_as(was)) return true;
    return runtime::owner_uid_of(was) == owner;
  }
  // 6
  static bool delete_by_uid(const State& before, const State& after) {
    return all_asked(before, after, [&](const Asked& asked) {
      const Call* call = asked.call();
      return call == nullptr || call->verb != Verb::Delete || !call->preconditions.uid.empty();
    });
  }
  static bool deletes_what_was_meant(const State& before, const Action& action,
                                     const State& after) {
    const Call* call = World::arrived(before, action);
    if (call == nullptr || call->verb != Verb::Delete) return true;
    const json::View was = stored(before, *call);
    return stored(after, *call).same_as(was) || kube::uid_of(was) == call->preconditions.uid;
  }
  static bool has_read(const PassState& pass, std::string_view uid) {
    return std::ranges::any_of(pass.script.replies, [&](const runtime::EffectReply& reply) {
      if (const auto* one = std::get_if<client::Reply>(&reply)) {
        return *one && kube::uid_of((*one)->body) == uid;
      }
      const auto* page = std::get_if<client::PageReply>(&reply);
      return page != nullptr && *page &&
             std::ranges::any_of((*page)->items, [&](const json::Value& item) {
               return kube::uid_of(item) == uid;
             });
    });
  }
  static bool live_before_delete(const State& before, const State& after) {
    return all_asked(before, after, [&](const Asked& asked) {
      const Call* call = asked.call();
      return call == nullptr || call->verb != Verb::Delete || call->preconditions.uid.empty() ||
             has_read(asked.pass, call->preconditions.uid);
    });
  }
  bool confirmed_before_cleanup(const State& before, const State& after) const {
    return all_asked(before, after, [&](const Asked& asked) {
      if (!asked.pass.deleting || !runtime::is_write(asked.effect)) return true;
      const json::View primary = primary_of(after, asked.pass);
      // It may go or be replaced between the look and the step, but not have been so all along.
      return primary.is_null() || same_uid(primary, asked.pass.primary) || after.landed ||
             asked.pass.phase == runtime::Phase::Release;
    });
  }
  // 7
  static bool own_writes_seen(const State& before, const Action& action, const State& after) {
    if (action.step != Step::Effect || !after.witness->answered) return true;
    const Call* call = World::arrived(before, action);
    if (call == nullptr) return true;
    const auto* cache = after.processes[action.process]->find(call->resource.kind);
    if (cache == nullptr) return true;
    const json::View is = stored(after, *call);
    const auto name = call->verb == Verb::Create ? call->body.get("metadata", "name").as_string()
                                                 : std::string_view{call->key.name};
    const json::View known = cache->get({call->key.ns, std::string{name}});
    if (is.is_null()) return known.is_null() || call->verb == Verb::Delete;
    return kube::resource_version_of(known) == kube::resource_version_of(is);
  }
  static bool never_back(const State& before, const State& after) {
    for (std::size_t at = 0; at < after.processes.size(); ++at) {
      const Process& was = *before.processes[at];
      const Process& is = *after.processes[at];
      if (&was == &is || !is.connected) continue;
      for (std::size_t watch = 0; watch < is.follows.size(); ++watch) {
        if (went_back(was.follows[watch].contents, is.follows[watch].contents)) return false;
      }
    }
    return true;
  }
  static bool went_back(const runtime::Contents& was, const runtime::Contents& is) {
    if (&was.state() == &is.state()) return false;
    return std::ranges::any_of(is.list(""), [&](json::View object) {
      const json::View earlier = was.get(kube::key_of(object));
      return runtime::older(kube::resource_version_of(object), kube::resource_version_of(earlier));
    });
  }
  static bool past_not_believed(const State&, const Action& action, const State& after) {
    if (action.fault != Fault::Stale) return true;
    const Process& process = *after.processes[action.process];
    const auto older_than_known = [&](const runtime::EffectReply& reply) {
      const auto* one = std::get_if<client::Reply>(&reply);
      if (one == nullptr || !*one) return false;
      for (const auto& followed : process.follows) {
        const json::View known = followed.contents.get(kube::key_of((*one)->body));
        if (known.get("kind") != (*one)->body.get("kind")) continue;
        if (runtime::older(kube::resource_version_of((*one)->body),
                           kube::resource_version_of(known))) {
          return true;
        }
      }
      return false;
    };
    const Pass* pass = process.pass(action.item);
    return pass == nullptr || std::ranges::none_of(pass->state().script.replies, older_than_known);
  }
  // 9
  static bool bounded_steps(const State& state) {
    bool good = true;
    for (const auto& process : state.processes) {
      process->core.each_running([&](auto, const Pass& pass) {
        good = good && (pass.state().phase != runtime::Phase::Act ||
                        pass.state().result.plan.step_count() <= runtime::kPlanStepsMax);
      });
    }
    return good;
  }
  // 10
  static bool error_classes(const State& after) {
    if (!after.witness->ended) return true;
    const auto& end = after.witness->ended->end;
    if (end.failure.reason.empty()) return !end.backoff;
    switch (end.failure.error_class) {
      case runtime::ErrorClass::Transient: return end.backoff;
      case runtime::ErrorClass::Invalid:
      case runtime::ErrorClass::Permanent:
      case runtime::ErrorClass::Throttled:
      case runtime::ErrorClass::None: return !end.backoff;
    }
    return true;
  }
  // 11
  static bool isolated_branches(const State& after) {
    if (!after.witness->ended) return true;
    const auto& end = after.witness->ended->end;
    const auto troubled = [&](const std::string& branch) {
      return end.outcomes.problem(branch) != nullptr;
    };
    if (end.outcomes.steps.size() != end.plan.step_count() || end.failure.reason == "LeaseLost" ||
        end.timed_out || end.overtaken || end.requeue_after == Duration::zero()) {
      return true;  // it was not carried out to its end
    }
    return std::ranges::all_of(end.plan.branches, [&](const runtime::Branch& branch) {
      const auto* first = end.outcomes.find(branch.name, 0);
      return first == nullptr || first->state != runtime::StepState::Skipped ||
             std::ranges::any_of(branch.after, troubled) ||
             first->error_class != runtime::ErrorClass::None || all_refused(end.outcomes);
    });
  }
  // The plan was refused as a whole, before its first step: every step says so.
  static bool all_refused(const runtime::Outcomes& outcomes) {
    return std::ranges::all_of(outcomes.steps, [&](const runtime::Outcome& outcome) {
      return outcome.reason == outcomes.steps.front().reason;
    });
  }
  // 8
  static bool writes_change_something(const State& before, const Action& action,
                                      const State& after) {
    if (action.step != Step::Effect || action.fault != Fault::None || !after.witness->answered) {
      return true;
    }
    const Call* call = World::arrived(before, action);
    const auto* cache =
        call == nullptr ? nullptr : before.processes[action.process]->find(call->resource.kind);
    if (cache == nullptr || call->verb == Verb::Delete || call->verb == Verb::Create) return true;
    // Only who knew what is there can be blamed; and who asked while it led did not know.
    return after.landed || before.store.revision() != after.store.revision() ||
           !knew(World::pass_of(before, action).state(), cache->get(call->key),
                 kube::resource_version_of(stored(before, *call)));
  }
  // When it asked: a step about a child notes what it begins with, and what it is told.
  static bool knew(const PassState& pass, json::View cached, std::string_view version) {
    if (pass.script.current.is_null()) return kube::resource_version_of(cached) == version;
    return kube::resource_version_of(pass.script.current) == version ||
           std::ranges::any_of(pass.script.replies, [&](const runtime::EffectReply& reply) {
             const auto* one = std::get_if<client::Reply>(&reply);
             return one != nullptr && *one && kube::resource_version_of((*one)->body) == version;
           });
  }
};

Glance glance_at(const State& state) {
  return {
      .look = Look{state.store.latest(), state.outside},
        .outside = state.outside
  };
}

std::optional<Acting> acting(const State& before, const Action& action) {
  if (action.step != Step::Effect) return std::nullopt;
  const PassState& pass = World::pass_of(before, action).state();
  Acting by{.snapshot = pass.primary, .answers = {}};
  for (const auto& ask : pass.asks) {
    const bool outside = std::holds_alternative<runtime::Probe>(ask.question);
    if (outside && ask.answer && *ask.answer) by.answers.push_back(**ask.answer);
  }
  return by;
}

void add_claim(const Claim& claim, std::size_t at, Properties<World>& all) {
  const auto name = "claim: " + claim.name;
  const std::function<bool(const State&)> holds = [at](const State& state) {
    return state.live->claims[at].holds;
  };
  std::function<bool(const State&)> when;
  if (claim.when) when = [at](const State& state) { return state.live->claims[at].when; };
  switch (claim.kind) {
    case Claim::Kind::Always: return all.always(name, holds, when);
    case Claim::Kind::Sometimes: return all.sometimes(name, holds);
    case Claim::Kind::LeadsTo: return all.leads_to(name, when, holds);
    case Claim::Kind::EventuallyStable: return all.eventually_stable(name, when, holds);
  }
}

// What is always so is asked only where it is claimed.
Live::Said said_of(const Claim& claim, const Glance& now) {
  Live::Said said;
  said.when = !claim.when || claim.when(now);
  said.holds = (said.when || claim.kind != Claim::Kind::Always) && claim.holds(now);
  return said;
}

bool writes(const State& before, const Action& action) {
  return action.step == Step::Effect && runtime::is_write(World::effect_of(before, action));
}

}  // namespace

void World::judge(const Look& look, Live& live) const {
  const auto& declaration = blueprint_.declaration();
  const auto primaries = look.list(declaration.primary().collection.resource);
  live.leaving = false;
  live.wanted = !primaries.empty();
  live.matched = true;
  for (const json::View primary : primaries) {
    const bool deleted = kube::being_deleted(primary);
    live.leaving = live.leaving || (deleted && kube::finalizers_of(primary).size() == 1 &&
                                    kube::has_finalizer(primary, declaration.finalizer));
    live.wanted = live.wanted && !deleted && blueprint_.reconciler().check(primary).empty();
    live.matched = live.matched && !deleted && (!scenario_.match || scenario_.match(look, primary));
  }
  live.orphans = std::ranges::any_of(live.records, [&](const store::RecordRef& record) {
    const auto owner = kube::controller_of(record->body);
    return owner && std::ranges::none_of(live.records, [&](const auto& other) {
             return kube::uid_of(other->body) == owner->uid;
           });
  });
  live.lingers = std::ranges::any_of(live.records, [](const store::RecordRef& record) {
    return kube::being_deleted(record->body) && kube::finalizers_of(record->body).empty() &&
           kube::deletion_grace_seconds_of(record->body).value_or(0) == 0;
  });
  const Glance now{.look = look, .outside = look.outside()};
  live.claims.clear();
  for (const Claim& claim : scenario_.claims) live.claims.push_back(said_of(claim, now));
  live.phase = scenario_.life ? scenario_.life->phase(now) : std::nullopt;
}

std::uint64_t World::promises_kept(const State& before, const Action& action,
                                   const State& after) const {
  const auto by = acting(before, action);
  const Glance was = glance_at(before);
  Glance is = glance_at(after);
  if (by) is.by = &*by;
  std::uint64_t kept = ~std::uint64_t{0};
  for (std::size_t at = 0; at < scenario_.promises.size(); ++at) {
    if (!scenario_.promises[at].kept(was, is)) kept &= ~(std::uint64_t{1} << at);
  }
  return kept;
}

Properties<World> World::properties() const {
  Properties<World> all;
  const Rules rules{*this};
  const auto step = [&](const std::string& name, auto holds) { all.on_transition(name, holds); };
  step("1 the finalizer is on before the first child",
       [rules](const auto& b, const auto&, const auto& a) { return rules.finalizer_first(b, a); });
  step("1 the finalizer stays until everything is gone",
       [rules](const auto& b, const auto& by, const auto& a) {
         return rules.finalizer_until_gone(b, by, a);
       });
  step("2 nothing is made for what is being deleted",
       [rules](const auto& b, const auto&, const auto& a) { return rules.deletion_wins(b, a); });
  all.always("2 one pass at a time for each key", &Rules::one_pass_per_key);
  step("2 nothing is written without the lease",
       [](const auto& b, const auto&, const auto& a) { return Rules::fenced(b, a); });
  step("3 an invalid spec creates nothing", [rules](const auto& b, const auto&, const auto& a) {
    return rules.invalid_creates_nothing(b, a);
  });
  step("4 writes are bound to the snapshot", [rules](const auto& b, const auto& by, const auto& a) {
    return rules.bound_to_snapshot(b, by, a);
  });
  step("5 foreign namesakes are left alone", &Rules::no_adoption);
  step("6 deletes carry the uid",
       [](const auto& b, const auto&, const auto& a) { return Rules::delete_by_uid(b, a); });
  step("6 deletes hit what was meant", &Rules::deletes_what_was_meant);
  step("6 deletes follow a live read",
       [](const auto& b, const auto&, const auto& a) { return Rules::live_before_delete(b, a); });
  step("6 cleanup follows a live look at the object",
       [rules](const auto& b, const auto&, const auto& a) {
         return rules.confirmed_before_cleanup(b, a);
       });
  step("7 own writes are seen", &Rules::own_writes_seen);
  step("7 a cache never goes back",
       [](const auto& b, const auto&, const auto& a) { return Rules::never_back(b, a); });
  step("7 answers from the past are not believed", &Rules::past_not_believed);
  step("8 nothing is written that is so already", &Rules::writes_change_something);
  all.always("9 plans are bounded", &Rules::bounded_steps);
  step("10 the class of an error decides about the retry",
       [](const auto&, const auto&, const auto& a) { return Rules::error_classes(a); });
  step("11 a failed branch does not block the others",
       [](const auto&, const auto&, const auto& a) { return Rules::isolated_branches(a); });
  if (scenario_.match) {
    all.eventually_stable(
        "reconciled: it gets done and stays so",
        [](const State& state) { return state.live->wanted && !state.rejected; },
        [](const State& state) { return state.live->matched; });
    all.sometimes("reconciled at some time",
                  [](const State& state) { return state.live->wanted && state.live->matched; });
  }
  all.eventually_stable(
      "deletion comes to its end", [](const State&) { return true; },
      [](const State& state) { return !state.live->leaving || state.rejected; });
  // Also of what was asked for in time and came too late (State::landed).
  all.eventually_stable(
      "nothing is left of what is gone", [](const State&) { return true; },
      [](const State& state) { return !state.live->orphans; });
  all.quiescent(
      "8 at rest nothing is written", [](const State&) { return true; },
      [](const State& before, const Action& action, const State&) {
        return writes(before, action);
      });
  for (std::size_t at = 0; at < scenario_.promises.size(); ++at) {
    all.on_transition("promise: " + scenario_.promises[at].name,
                      [at](const State&, const Action&, const State& after) {
                        return (after.witness->promises >> at & 1U) != 0;
                      });
  }
  for (std::size_t at = 0; at < scenario_.claims.size(); ++at) {
    add_claim(scenario_.claims[at], at, all);
  }
  if (const auto& life = scenario_.life) {
    all.only_transitions("no run leaves the life cycle", life->table,
                         [](const State& state) { return state.live->phase; });
  }
  // It was given for the troubles of its scenario; each more may cost passes and writes.
  if (scenario_.bound && options_.budget.within(scenario_.budget)) {
    all.bounded(
        "9 the work is bounded", [](const State&) { return true; },
        [counted = scenario_.bound->passes > 0](const State& before, const Action& action,
                                                const State&) {
          return Work{.rounds = static_cast<std::uint8_t>(counted && action.step == Step::Begin),
                      .writes = static_cast<std::uint8_t>(writes(before, action))};
        },
        {.rounds = scenario_.bound->passes, .writes = scenario_.bound->writes});
  }
  add_server_rules(*this, all);
  return all;
}

}  // namespace fixpoint::verify::world
