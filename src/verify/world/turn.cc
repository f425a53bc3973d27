// SPDX-License-Identifier: Apache-2.0
#include "verify/world/turn.h"

#include "cluster/loops/garbage_collector.h"
#include "cluster/loops/namespace_controller.h"
#include "runtime/controller/pass_state.h"
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

std::string in_words(const client::CallError& error) {
  if (error.fate != client::Fate::Refused) return error.status.message;
  return fmt::format("{} {}", error.status.code, error.status.reason);
}

struct InWords {
  std::string operator()(const client::Reply& reply) const {
    return reply ? std::to_string(reply->code) : in_words(reply.error());
  }
  std::string operator()(const client::PageReply& reply) const {
    return reply ? fmt::format("200, {} objects", reply->items.size()) : in_words(reply.error());
  }
  std::string operator()(const std::expected<client::Resource, client::CallError>& reply) const {
    return reply ? "200" : in_words(reply.error());
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

// Objects from the beginning own nothing and are owned by nobody.
cluster::OwnerIndex owners_in(const Live& live) {
  cluster::OwnerIndex index;
  for (const auto& record : live.records) index.add(record->key, record->body, record->modified);
  return index;
}

}  // namespace

World::Turn::Turn(const World& world, const State& before)
    : world_(world),
      state_(before),
      before_(before.store.revision()),
      owned_(before.processes.size()),
      witness_(std::make_shared<Witness>()) {}

Process& World::Turn::own(std::uint8_t process) {
  auto& mine = owned_[process];
  if (!mine) {
    mine = make_ref<Process>(*state_.processes[process]);
    mine->digest.reset();
    state_.processes[process] = mine;
  }
  return *mine;
}

template <class Do>
auto World::Turn::drive(std::uint8_t process, Do what) {
  Driver driver{world_.blueprint_, own(process), state_.now, state_.leader == process};
  return what(driver);
}

void World::Turn::crash(std::uint8_t process) {
  owned_[process] = make_ref<Process>(world_.blueprint_);
  state_.processes[process] = owned_[process];
}

std::optional<State> World::Turn::take(const Action& action) {
  if (!carry_out(action)) return std::nullopt;
  return finish();
}

bool World::Turn::carry_out(const Action& action) {
  switch (action.step) {
    case Step::Connect: return connect(action);
    case Step::Deliver:
      drive(action.process, [&](Driver& driver) { driver.deliver(action.item); });
      return true;
    case Step::Repeat:
      --state_.left[Trouble::Watch];
      drive(action.process, [&](Driver& driver) { driver.repeat(action.item); });
      return true;
    case Step::Relist:
      --state_.left[Trouble::Watch];
      drive(action.process, [&](Driver& driver) { driver.relist(action.item, state_.store); });
      return true;
    case Step::Begin:
      witness_->ended = drive(action.process, [](Driver& driver) { return driver.begin(); });
      return true;
    case Step::Effect: return effect(action);
    case Step::Land: return land(action);
    case Step::Wait: return wait();
    case Step::Collect: return collect(action);
    case Step::Loop: return loop();
    case Step::Deed: {
      const Deed& deed = world_.scenario_.deeds[action.item];
      if (deed.price) --state_.left[*deed.price];
      change_store(hash128("deed", action.item), [&](store::Store& store) {
        Stage stage{store, world_.options_.weakness};
        deed.act(stage);
      });
      return state_.store.revision() != before_;
    }
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
  std::vector<store::Store*> stores(watches.size(), &state_.store);
  if (action.lag > 0) {
    --state_.left[Trouble::Travel];
    for (std::size_t watch = 0; watch < watches.size(); ++watch) {
      if (action.item < watches.size() && action.item != watch) continue;
      auto then = earlier(state_.store, watches[watch].collection.resource, action.lag,
                          world_.beginning_.revision());
      if (!then) return false;
      stores[watch] = &past.emplace_back(*std::move(then));
    }
  }
  drive(action.process, [&](Driver& driver) { driver.connect(stores, state_.store); });
  return true;
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
  if (const auto* list = std::get_if<ListEffect>(&effect.what)) return server.list(list->call);
  if (const auto* resolve = std::get_if<ResolveEffect>(&effect.what)) {
    return server.resolve(resolve->kind);
  }
  const auto& outside = world_.scenario_.outside;
  if (!outside) return Result<json::Value>{fail(ErrorKind::Internal, "there is nothing outside")};
  if (const auto* probe = std::get_if<ProbeEffect>(&effect.what)) {
    return outside->probe(state_.outside, probe->probe);
  }
  return outside->perform(state_.outside, std::get<OutsideEffect>(effect.what).step);
}

namespace {

Hash128 hash_of(const client::Call& call) {
  DigestBuilder digest;
  digest.number(static_cast<std::uint64_t>(call.verb));
  digest.text(call.resource.kind.group);
  digest.text(call.resource.kind.version);
  digest.text(call.resource.plural);
  digest.text(call.key.ns);
  digest.text(call.key.name);
  digest.text(call.subresource);
  digest.number(static_cast<std::uint64_t>(call.patch_type));
  digest.text(call.field_manager);
  digest.number(static_cast<std::uint64_t>(call.force));
  digest.text(call.preconditions.uid);
  digest.text(call.preconditions.resource_version);
  digest.number(static_cast<std::uint64_t>(call.propagation));
  digest.part(digest_of(call.body));
  return digest.finish().exact();
}

}  // namespace

Hash128 World::Turn::memo_key(const Hash128& what) const {
  Hash128 key = state_.live->exact;
  key += what;
  return key;
}

EffectReply World::Turn::call(const client::Call& call) {
  auto reply =
      Memo::of_this_thread().run(memo_key(hash_of(call)), state_.store,
                                 [&](store::Store& store) -> std::optional<EffectReply> {
                                   return Server{store, world_.options_.weakness}.call(call);
                                 });
  return *std::move(reply);
}

template <class Do>
void World::Turn::change_store(const Hash128& who, Do what) {
  (void)Memo::of_this_thread().run(memo_key(who), state_.store,
                                   [&](store::Store& store) -> std::optional<EffectReply> {
                                     what(store);
                                     return std::nullopt;
                                   });
}

bool World::Turn::effect(const Action& action) {
  const Effect effect = effect_of(state_, action);
  std::optional<EffectReply> reply;
  if (acted_upon(action.fault)) {
    reply = ask_server(action, effect);
    if (!reply) return false;
    // That a thing is not there has no version: nobody could tell it from the present. Kubernetes
    // answers live reads from the present, and the runtime relies on that here.
    if (action.fault == Fault::Stale && !std::visit(IsGood{}, *reply)) return false;
  }
  if (action.fault != Fault::None && action.fault != Fault::Stale) {
    reply = instead(action.fault, effect);
  }
  world_.coverage_.happened(effect, action.fault);
  pay(action.fault, state_.left);
  if (action.fault == Fault::Invalid) state_.rejected = true;
  witness_->answer = std::visit(InWords{}, *reply);
  if (lands_later(action.fault)) {
    state_.in_flight.push_back({action.process, std::get<ApiEffect>(effect.what).call});
  }
  if (crashes(action.fault)) {
    crash(action.process);
  } else if (action.fault == Fault::TimedOut) {
    witness_->ended = drive(action.process, [&](Driver& driver) {
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
  witness_->ended = drive(action.process, [&](Driver& driver) {
    return driver.answer(action.item, id, std::move(reply));
  });
}

bool World::Turn::land(const Action& action) {
  const InFlight landing = std::move(state_.in_flight[action.item]);
  state_.in_flight.erase(state_.in_flight.begin() + action.item);
  witness_->answer = std::visit(InWords{}, call(landing.call));
  state_.landed = state_.landed || state_.store.revision() != before_;
  return true;
}

bool World::Turn::collect(const Action& action) {
  change_store(hash128("collect", action.item), [&](store::Store& store) {
    Server server{store, world_.options_.weakness};
    auto index = owners_in(*state_.live);
    cluster::Api api{server, index};
    cluster::GarbageCollector{}.look_at(api, state_.live->records[action.item]->key);
  });
  return state_.store.revision() != before_;
}

bool World::Turn::loop() {
  Server server{state_.store, world_.options_.weakness};
  auto index = owners_in(*state_.live);
  cluster::Api api{server, index};
  cluster::NamespaceController namespaces;
  namespaces.begin(api);
  namespaces.step(api);
  return state_.store.revision() != before_;
}

std::optional<MonotonicInstant> World::Turn::next_deadline(const State& state) {
  const Process& leader = *state.processes[state.leader];
  if (!leader.connected) return std::nullopt;
  const auto due = leader.core.next_due();
  return due && *due > state.now ? due : std::nullopt;
}

bool World::Turn::wait() {
  const auto next = next_deadline(state_);
  if (!next) return false;
  state_.now = *next;
  return true;
}

// The caches hear of what happened; those that lag too far behind, of the oldest at once.
void World::Turn::publish() {
  const auto events = state_.store.events_after(before_);
  FP_CHECK(events.has_value());
  for (std::uint8_t at = 0; at < small_count(state_.processes); ++at) {
    for (std::size_t watch = 0; watch < world_.blueprint_.watches().size(); ++watch) {
      if (!state_.processes[at]->connected) continue;
      for (const auto& event : *events) {
        auto news = world_.blueprint_.news(watch, event);
        if (news) own(at).follows[watch].pending.push_back(*std::move(news));
      }
      deliver_early(at, watch);
    }
  }
  if (!events->empty()) refresh_live(*events);
}

void World::Turn::deliver_early(std::uint8_t process, std::size_t watch) {
  const auto pending = [&]() -> const std::vector<News>& {
    return state_.processes[process]->follows[watch].pending;
  };
  while (!pending().empty()) {
    const bool over = pending().size() > state_.left.stale;
    const bool echo =
        over || !world_.options_.reductions.echoes
            ? false
            : drive(process, [&](const Driver& driver) { return driver.is_echo(watch); });
    if (!over && !echo) return;
    drive(process, [&](Driver& driver) { driver.deliver(watch); });
  }
}

void World::Turn::refresh_live(const std::vector<store::Event>& events) {
  auto live = state_.live ? make_ref<Live>(*state_.live) : make_ref<Live>();
  const auto& beginning = world_.beginning_.latest();
  for (const auto& event : events) {
    const auto& key = event.key();
    const auto at = std::ranges::lower_bound(live->records, key, {},
                                             [](const auto& r) -> const auto& { return r->key; });
    const bool known = at != live->records.end() && (*at)->key == key;
    if (event.after) {
      if (known) {
        *at = event.after;
      } else {
        live->records.insert(at, event.after);
      }
      std::erase(live->removed, key);
    } else {
      if (known) live->records.erase(at);
      if (beginning.find(key)) live->removed.push_back(key);
    }
  }
  std::ranges::sort(live->removed);
  DigestBuilder digest;
  for (const auto& record : live->records) {
    digest.text(record->key);
    digest.part(digest_of(record->body));
  }
  for (const auto& key : live->removed) digest.text(key);
  live->digest = digest.finish();
  live->exact = live->digest.exact(state_.store.revision().value ^ (world_.serial_ << 40U));
  world_.judge(state_.store.latest(), *live);
  state_.live = live;
}

namespace {

Digest digest_of_rest(const State& state) {
  DigestBuilder rest;
  rest.version(state.store.revision().value);
  for (const auto times : state.left.times) rest.number(times);
  rest.number(state.leader);
  rest.truth(state.rejected);
  rest.truth(state.landed);
  rest.part(digest_of(state.outside));
  rest.number(state.in_flight.size());
  for (const auto& flying : state.in_flight) {
    rest.number(flying.process);
    rest.number(static_cast<std::uint64_t>(flying.call.verb));
    rest.text(flying.call.resource.plural);
    rest.text(flying.call.key.ns);
    rest.text(flying.call.key.name);
    rest.text(flying.call.subresource);
    rest.text(flying.call.preconditions.uid);
    rest.version(flying.call.preconditions.resource_version);
    rest.part(digest_of(flying.call.body));
  }
  return rest.finish();
}

}  // namespace

State World::Turn::finish() {
  publish();
  for (auto& process : owned_) {
    if (process && !process->digest) {
      process->digest = std::make_shared<const Digest>(digest_of(*process));
    }
  }
  const Digest rest = digest_of_rest(state_);
  std::vector<const Digest*> parts{&state_.live->digest};
  for (const auto& process : state_.processes) parts.push_back(process->digest.get());
  parts.push_back(&rest);
  state_.fingerprint = Canonical{.reductions = world_.options_.reductions,
                                 .first_version = world_.beginning_.revision().value,
                                 .fixed_uids = &world_.fixed_uids_,
                                 .now = state_.now}
                           .fingerprint(parts);
  state_.witness = std::move(witness_);
  return std::move(state_);
}

}  // namespace fixpoint::verify::world
