// SPDX-License-Identifier: Apache-2.0
#include "verify/world/turn.h"

#include "cluster/loops/garbage_collector.h"
#include "runtime/controller/pass_state.h"
#include "verify/world/call_digest.h"
#include "verify/world/memo.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace fixpoint::verify::world {
namespace {

using runtime::ApiEffect;
using runtime::Effect;
using runtime::EffectReply;
using runtime::ListEffect;
using runtime::OutsideEffect;
using runtime::ProbeEffect;
using runtime::ResolveEffect;

std::string error_in_words(const client::CallError& error) {
  if (error.fate != client::Fate::Refused) return error.status.message;
  return fmt::format("{} {}", error.status.code, error.status.reason);
}

struct InWords {
  std::string operator()(const client::Reply& reply) const {
    return reply ? std::to_string(reply->code) : error_in_words(reply.error());
  }
  std::string operator()(const client::PageReply& reply) const {
    return reply ? fmt::format("200, {} objects", reply->items.size())
                 : error_in_words(reply.error());
  }
  std::string operator()(const std::expected<client::Resource, client::CallError>& reply) const {
    return reply ? "200" : error_in_words(reply.error());
  }
  std::string operator()(const Result<json::Value>& reply) const {
    return reply ? "done" : reply.error().message;
  }
};

struct IsGood {
  template <class Reply>
  bool operator()(const Reply& reply) const {
    return reply.has_value();
  }
};

const client::Resource* resource_of(const Effect& effect) {
  if (const auto* api = std::get_if<ApiEffect>(&effect.what)) return &api->call.resource;
  if (const auto* list = std::get_if<ListEffect>(&effect.what)) {
    return &list->call.collection.resource;
  }
  return nullptr;
}

// Objects from the beginning own nothing and are owned by nobody; but a claim may have a volume.
cluster::ObjectIndex index_of(const Live& live, const store::Snapshot& snapshot) {
  cluster::ObjectIndex index;
  for (const auto& record : live.records) index.add(record->key, record->body, record->modified);
  for (const auto kind : cluster::storage::kRelatedKinds) {
    snapshot.scan(kind, {}, [&](const store::RecordRef& record) {
      index.add(record->key, record->body, record->modified);
      return true;
    });
  }
  return index;
}

}  // namespace

World::Turn::Turn(const World& world, const State& before, Memory memory)
    : world_(world),
      was_(before),
      memory_(memory),
      afresh_(memory == Memory::Unused),
      state_(before),
      before_(before.store.revision()),
      witness_(std::make_shared<Witness>()) {}

void World::Turn::act(std::uint8_t process, std::string_view what, std::uint64_t number,
                      std::function<Driver::Ended(Driver&)> run) {
  act_ = Act{.process = process, .key = hash128(what, number), .run = std::move(run)};
}

void World::Turn::crash(std::uint8_t process) {
  state_.processes[process] = world_.unborn_;
}

std::optional<State> World::Turn::take(const Action& action) {
  if (!carry_out(action)) return std::nullopt;
  publish();
  weigh(action);
  auto after = seal();
  world_.happenings_.happened(was_, action, after);
  return after;
}

bool World::Turn::carry_out(const Action& action) {
  switch (action.step) {
    case Step::Connect: return connect(action);
    case Step::Deliver:
      act(action.process, "deliver", action.item, [&](Driver& driver) -> Driver::Ended {
        driver.deliver(action.item);
        return std::nullopt;
      });
      return true;
    case Step::Repeat:
      --state_.left[Trouble::Watch];
      act(action.process, "repeat", action.item, [&](Driver& driver) -> Driver::Ended {
        driver.repeat(action.item);
        return std::nullopt;
      });
      return true;
    case Step::Notice:
    case Step::Relist:
      if (action.step == Step::Relist) --state_.left[Trouble::Watch];
      act(action.process, "relist", action.item, [&](Driver& driver) -> Driver::Ended {
        driver.relist(action.item, state_.store);
        return std::nullopt;
      });
      act_->key += state_.live->exact;
      return true;
    case Step::Begin:
      act(action.process, "begin", 0, [](Driver& driver) { return driver.begin(); });
      return true;
    case Step::Effect: return effect(action);
    case Step::Land: return land(action);
    case Step::Wait: return wait();
    case Step::Collect: return collect(action);
    case Step::Loop: return loop(action);
    case Step::Deed: return deed(action);
    case Step::Crash:
      --state_.left[Trouble::Crash];
      crash(action.process);
      return true;
    case Step::MoveLease:
      --state_.left[Trouble::Lease];
      state_.leader = static_cast<std::uint8_t>((state_.leader + 1) % state_.processes.size());
      return true;
  }
  return false;
}

bool World::Turn::connect(const Action& action) {
  const auto& watches = world_.blueprint_.watches();
  std::vector<store::Store> past;
  past.reserve(watches.size());
  // By number: 0 is now, and those of the past follow.
  std::vector<std::size_t> which(watches.size(), 0);
  if (action.lag > 0) {
    --state_.left[Trouble::Travel];
    for (std::size_t watch = 0; watch < watches.size(); ++watch) {
      if (action.item < watches.size() && action.item != watch) continue;
      auto then = earlier(state_.store, watches[watch].collection.resource, action.lag,
                          world_.beginning_.revision());
      if (!then) return false;
      past.push_back(*std::move(then));
      which[watch] = past.size();
    }
  }
  act(action.process, "connect", 0,
      [this, past = std::move(past), which](Driver& driver) mutable -> Driver::Ended {
        std::vector<store::Store*> stores;
        for (const auto at : which) stores.push_back(at == 0 ? &state_.store : &past[at - 1]);
        driver.connect(stores, state_.store);
        return std::nullopt;
      });
  act_->remembered = action.lag == 0;
  act_->key += state_.live->exact;
  return true;
}

bool World::Turn::deed(const Action& action) {
  const Deed& deed = world_.scenario_.deeds[action.item];
  if (deed.price) --state_.left[*deed.price];
  // What it does may depend on the outside, and its answer is what the outside is afterwards.
  Hash128 who = hash128("deed", action.item);
  if (world_.scenario_.outside) who += digest_of(state_.outside).exact();
  const auto carry_out = [&](store::Store& store) -> std::optional<EffectReply> {
    json::Value outside = state_.outside;
    Stage stage{store, world_.options_.weakness, &outside};
    deed.act(stage);
    return Result<json::Value>{std::move(outside)};
  };
  // It sees the cluster through its stage.
  const auto did = memory_ == Memory::Unused
                       ? carry_out(state_.store)
                       : Memo::of_this_thread().run_by_reads(asked(who), state_.live->exact,
                                                             state_.store, carry_out);
  auto outside = std::get<Result<json::Value>>(*did);
  if (world_.scenario_.outside) state_.outside = *std::move(outside);
  // Of an outside that is remembered only the value is the same.
  return state_.store.revision() != before_ || state_.outside != was_.outside;
}

std::optional<EffectReply> World::Turn::ask_server(const Action& action, const Effect& effect) {
  std::optional<store::Store> past;
  if (action.fault == Fault::Stale) {
    past = earlier(state_.store, *resource_of(effect), action.lag, world_.beginning_.revision());
    if (!past) return std::nullopt;
  }
  Server server{past ? *past : state_.store, world_.options_.weakness};
  if (const auto* api = std::get_if<ApiEffect>(&effect.what)) {
    return past ? EffectReply{server.call(api->call)} : call(api->call);
  }
  if (const auto* lists = std::get_if<ListEffect>(&effect.what)) {
    return past ? EffectReply{server.list(lists->call)} : list(lists->call);
  }
  if (const auto* resolve = std::get_if<ResolveEffect>(&effect.what)) {
    return server.resolve(resolve->kind);
  }
  const auto& outside = world_.scenario_.outside;
  if (!outside) return Result<json::Value>{fail(ErrorKind::Internal, "there is nothing outside")};
  if (const auto* probe = std::get_if<ProbeEffect>(&effect.what)) {
    return outside->probe(state_.outside, probe->probe);
  }
  return perform(std::get<OutsideEffect>(effect.what).step);
}

EffectReply World::Turn::perform(const runtime::EffectStep& step) {
  return world_.scenario_.outside->perform(state_.outside, step);
}

EffectReply World::Turn::call(const client::Call& call) {
  return remembered(digest_of(call), [&](Server& server) { return server.call(call); });
}

EffectReply World::Turn::list(const client::ListCall& call) {
  // Who keeps less of an object is answered differently, and a shape cannot be compared.
  if (call.shape) return Server{state_.store, world_.options_.weakness}.list(call);
  return remembered(digest_of(call), [&](Server& server) { return server.list(call); });
}

template <class Ask>
EffectReply World::Turn::remembered(const Digest& question, Ask ask) {
  const auto on = [&](store::Store& store) -> std::optional<EffectReply> {
    Server server{store, world_.options_.weakness};
    return ask(server);
  };
  if (memory_ == Memory::Unused) return *on(state_.store);
  return *Memo::of_this_thread().run_by_reads(asked(question.exact()), state_.live->exact,
                                              state_.store, on);
}

// The same question at the same revision: what is new gets the same version, uid and time.
Hash128 World::Turn::asked(const Hash128& question) const {
  Hash128 key = hash128("asked", world_.serial_);
  key += hash128("at", state_.store.revision().value);
  key += question;
  return key;
}

template <class Do>
std::optional<EffectReply> World::Turn::change_store(const Hash128& who, Do what) {
  if (memory_ == Memory::Unused) return what(state_.store);
  Hash128 key = state_.live->exact;
  key += who;
  return Memo::of_this_thread().run(key, state_.store, what);
}

bool World::Turn::effect(const Action& action) {
  const Effect& effect = effect_of(was_, action);
  std::optional<EffectReply> reply;
  if (acted_upon(action.fault)) {
    reply = ask_server(action, effect);
    if (!reply) return false;
    // That a thing is not there has no version: nobody could tell it from the present. Kubernetes
    // answers live reads from the present, and the runtime relies on that here.
    if (action.fault == Fault::Stale && !std::visit(IsGood{}, *reply)) return false;
    state_.landed =
        state_.landed || (action.process != state_.leader && state_.store.revision() != before_);
  }
  if (action.fault != Fault::None && action.fault != Fault::Stale) {
    reply = instead(action.fault, effect);
  }
  world_.coverage_.happened(effect, action.fault);
  pay(action.fault, state_.left);
  if (action.fault == Fault::Invalid) state_.rejected = true;
  witness_->answer = std::visit(InWords{}, *reply);
  if (lands_later(action.fault)) {
    const InFlight flying{action.process, make_ref<const Sent>(effect)};
    const auto order = [](const InFlight& it) {
      return std::pair{it.process, it.sent->digest.shape};
    };
    const auto at = world_.options_.reductions.in_flight
                        ? std::ranges::upper_bound(state_.in_flight, order(flying), {}, order)
                        : state_.in_flight.end();
    state_.in_flight.insert(at, flying);
  }
  if (crashes(action.fault)) {
    crash(action.process);
  } else if (action.fault == Fault::TimedOut) {
    act(action.process, "abort", action.item, [&](Driver& driver) {
      return driver.abort(action.item, {.reason = std::string{runtime::kDeadlineExceeded},
                                        .message = "the pass did not end in time"});
    });
  } else {
    answer(action, effect.id, *std::move(reply));
  }
  return true;
}

void World::Turn::answer(const Action& action, runtime::EffectId id, EffectReply reply) {
  witness_->answered = std::visit(IsGood{}, reply);
  const Hash128 said = exact_hash_of(reply);
  act(action.process, "answer", action.item * 256U + action.effect,
      [&action, id, reply = std::move(reply)](Driver& driver) {
        return driver.answer(action.item, id, reply);
      });
  act_->key += said;
}

bool World::Turn::land(const Action& action) {
  const InFlight landing = std::move(state_.in_flight[action.item]);
  state_.in_flight.erase(state_.in_flight.begin() + action.item);
  const EffectReply reply = landing.sent->call() != nullptr
                                ? call(*landing.sent->call())
                                : perform(std::get<OutsideEffect>(landing.sent->effect.what).step);
  witness_->answer = std::visit(InWords{}, reply);
  state_.landed = state_.landed || state_.store.revision() != before_;
  return true;
}

bool World::Turn::collect(const Action& action) {
  const auto look = [&](store::Store& store) -> std::optional<EffectReply> {
    Server server{store, world_.options_.weakness};
    auto index = index_of(*state_.live, store.latest());
    cluster::Api api{server, index};
    cluster::GarbageCollector{}.look_at(api, state_.live->records[action.item]->key);
    return std::nullopt;
  };
  change_store(hash128("collect", action.item), look);
  return state_.store.revision() != before_;
}

// The first of its units of work that changes something.
bool World::Turn::loop(const Action& action) {
  const auto work = [&](store::Store& store) -> std::optional<EffectReply> {
    Server server{store, world_.options_.weakness};
    auto index = index_of(*state_.live, store.latest());
    cluster::Api api{server, index};
    const auto controller = world_.loops_[action.item].make();
    controller->begin(api);
    while (store.revision() == before_ && controller->step(api)) {
    }
    return std::nullopt;
  };
  change_store(hash128("loop", action.item), work);
  return state_.store.revision() != before_;
}

std::optional<MonotonicInstant> World::Turn::next_deadline(const State& state) {
  const Process& leader = *state.processes[state.leader];
  if (!leader.connected) return std::nullopt;
  const auto due = leader.next_due();
  return due && *due > state.now ? due : std::nullopt;
}

bool World::Turn::wait() {
  const auto next = next_deadline(state_);
  if (!next) return false;
  state_.now = *next;
  return true;
}

}  // namespace fixpoint::verify::world
