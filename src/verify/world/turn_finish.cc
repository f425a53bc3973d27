// SPDX-License-Identifier: Apache-2.0
//
// What follows from a step: what the processes hear of it, and the digests of all that changed.
#include "apiserver/resource.h"
#include "runtime/controller/pass_state.h"
#include "verify/world/server_rules.h"
#include "verify/world/turn.h"

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::verify::world {
namespace {

Hash128 hash_of(const std::vector<std::uint64_t>& words) {
  return hash128(
      {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t)});
}

void add_hash(std::vector<std::uint64_t>& words, const Hash128& hash) {
  words.push_back(hash.high);
  words.push_back(hash.low);
}

Hash128 hash_of_events(const std::vector<store::Event>& events) {
  std::vector<std::uint64_t> words;
  for (const auto& event : events) {
    words.push_back(event.revision.value);
    words.push_back(hash64(event.key()));
    for (const auto& record : {event.before, event.after, event.last}) {
      words.push_back(record ? 1 : 0);
      if (record) add_hash(words, digest_of(record->body).exact());
    }
  }
  return hash_of(words);
}

// Contents of stores that were looked at before.
Recall<Ref<const Live>>& known_lives() {
  thread_local Recall<Ref<const Live>> known{std::size_t{1} << 14U};
  return known;
}

}  // namespace

// The process that acted does so first; then all hear of what happened.
void World::Turn::publish() {
  News news;
  if (state_.store.revision() != before_) {
    auto events = state_.store.events_after(before_);
    FP_CHECK(events.has_value());
    news.events = *std::move(events);
    news.key = hash_of_events(news.events);
    weigh_server(news);
  }
  for (std::uint8_t at = 0; at < small_count(state_.processes); ++at) {
    const Act* act = act_ && act_->process == at ? &*act_ : nullptr;
    const bool hears = !news.events.empty() && state_.processes[at]->connected;
    if (act == nullptr && !hears) continue;
    Move move = moved(at, act, news);
    state_.processes[at] = std::move(move.process);
    if (act != nullptr) witness_->ended = std::move(move.ended);
  }
  if (!news.events.empty() || !state_.outside.view().same_as(was_.outside) ||
      memory_ == Memory::Unused) {
    refresh_live(news);
  }
}

namespace {

// What `judge` says of this, or said of the same before. What is remembered is compared with what
// comes out wherever a step is worked out afresh.
template <class Kept, class Judge>
Kept judged_once(Recall<Kept>& known, const Hash128& key, bool afresh, Judge judge) {
  const Kept* before = known.find(key);
  if (before != nullptr && !afresh) return *before;
  const Kept kept = judge();
  FP_CHECK(before == nullptr || *before == kept);
  known.put(key, kept);
  return kept;
}

constexpr std::size_t kJudgedPlaces = std::size_t{1} << 17U;

}  // namespace

// A promise sees two moments and who acted, and nothing else.
void World::Turn::weigh(const Action& action) {
  if (state_.store.revision() == before_ && state_.outside.view().same_as(was_.outside)) return;
  thread_local Recall<std::uint64_t> known{kJudgedPlaces};
  thread_local std::vector<std::uint64_t> words;
  words.clear();
  add_hash(words, was_.live->moment);
  add_hash(words, state_.live->moment);
  if (action.step == Step::Effect) {
    const auto& pass = pass_of(was_, action).state();
    add_hash(words, digest_of(pass.primary).exact());
    for (const auto& ask : pass.asks) {
      if (ask.answer && *ask.answer) add_hash(words, digest_of(**ask.answer).exact());
      words.push_back(std::holds_alternative<runtime::Probe>(ask.question) ? 1 : 0);
    }
  }
  witness_->promises = judged_once(known, hash_of(words), memory_ == Memory::Unused,
                                   [&] { return world_.promises_kept(was_, action, state_); });
}

void World::Turn::weigh_server(const News& news) {
  thread_local Recall<std::uint32_t> known{kJudgedPlaces};
  const auto& primaries = world_.blueprint_.declaration().primary().collection.resource;
  Hash128 key = news.key;
  key += hash128("server", world_.serial_);
  witness_->server = judged_once(known, key, memory_ == Memory::Unused,
                                 [&] { return server_rules_kept(news.events, primaries); });
}

Move World::Turn::moved(std::uint8_t process, const Act* act, const News& news) const {
  if (memory_ == Memory::Unused || (act != nullptr && !act->remembered)) {
    return moved_afresh(process, act, news);
  }
  thread_local std::vector<std::uint64_t> words;
  words.assign({state_.processes[process]->serial,
                static_cast<std::uint64_t>(state_.now.time_since_epoch().count()),
                std::uint64_t{state_.left.stale} * 2 + (state_.leader == process ? 1 : 0)});
  add_hash(words, act == nullptr ? Hash128{} : act->key);
  add_hash(words, news.key);
  const Hash128 key = hash_of(words);
  auto& moves = Moves::of_this_thread();
  if (const Move* known = moves.find(key)) return *known;
  Move made = moved_afresh(process, act, news);
  moves.remember(key, made);
  return made;
}

Move World::Turn::moved_afresh(std::uint8_t process, const Act* act, const News& news) const {
  const Process& was = *state_.processes[process];
  auto next = make_ref<Process>(was);
  Move move;
  {
    Driver driver{world_.blueprint_, *next, state_.now, state_.leader == process};
    if (act != nullptr) {
      if (auto ended = act->run(driver)) {
        move.ended = std::make_shared<const runtime::ControllerCore::Ended>(*std::move(ended));
      }
    }
    if (next->connected) hear(driver, *next, news);
  }
  // What is worked out afresh shall find a digest that is wrong.
  move.process = complete(next, memory_ == Memory::Used ? &was : nullptr);
  if (memory_ == Memory::Used) move.process = Moves::of_this_thread().same_as(move.process);
  return move;
}

// Those that lag too far behind hear of the oldest at once, and so do those whom it tells nothing.
void World::Turn::hear(Driver& driver, Process& process, const News& news) const {
  const bool skips_echoes = world_.options_.reductions.echoes;
  for (std::size_t watch = 0; watch < process.follows.size(); ++watch) {
    auto& pending = process.follows[watch].pending;
    for (const auto& event : news.events) {
      if (auto told = world_.blueprint_.news(watch, event)) pending.push_back(*std::move(told));
    }
    while (!pending.empty() &&
           (pending.size() > state_.left.stale || (skips_echoes && driver.is_echo(watch)))) {
      driver.deliver(watch);
    }
  }
}

void World::Turn::refresh_live(const News& news) {
  if (memory_ == Memory::Unused || !state_.live) {
    state_.live = live_after(news.events);
    return;
  }
  Hash128 key = state_.live->exact;
  key += news.key;
  // What is foreseen and judged may depend on it.
  if (world_.scenario_.outside) key += digest_of(state_.outside).exact();
  if (const auto* known = known_lives().find(key)) {
    state_.live = *known;
    return;
  }
  state_.live = live_after(news.events);
  known_lives().put(key, state_.live);
}

Ref<const Live> World::Turn::live_after(const std::vector<store::Event>& events) const {
  auto live = make_ref<Live>(*state_.live);
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
  live->moment = live->exact;
  if (world_.scenario_.outside) live->moment += digest_of(state_.outside).exact();
  const Look look{state_.store.latest(), state_.outside};
  world_.judge(look, *live);
  world_.foresee(look, *live);
  return live;
}

namespace {

// What a read from the past can still see: the last changes of each kind, and when they were.
void add_past(const State& state, store::Revision first, DigestBuilder& out) {
  const auto events = state.store.events_after(first);
  FP_CHECK(events.has_value());
  const std::size_t lags = std::max<std::size_t>(state.left.stale, 1);
  std::map<std::string_view, std::size_t> seen;
  for (const auto& event : std::views::reverse(*events)) {
    const std::string_view key = event.key();
    if (++seen[key.substr(0, key.find('/'))] > lags) continue;
    out.text(key);
    out.version(event.revision.value - 1);
    out.truth(static_cast<bool>(event.before));
    if (event.before) out.part(digest_of(event.before->body));
  }
}

Digest digest_of_rest(const State& state, store::Revision first) {
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
    rest.part(flying.sent->digest);
  }
  if (state.left[Trouble::Travel] > 0 || state.left[Trouble::Past] > 0) {
    add_past(state, first, rest);
  }
  return rest.finish();
}

}  // namespace

State World::Turn::finish() {
  publish();
  return seal();
}

State World::Turn::seal() {
  const auto first = world_.beginning_.revision();
  const Digest rest = digest_of_rest(state_, first);
  std::vector<const Digest*> parts{&state_.live->digest};
  for (const auto& process : state_.processes) parts.push_back(process->digest.get());
  parts.push_back(&rest);
  state_.fingerprint = Canonical{.reductions = world_.options_.reductions,
                                 .first_version = first.value,
                                 .fixed_uids = &world_.fixed_uids_,
                                 .now = state_.now}
                           .fingerprint(parts);
  state_.witness = std::move(witness_);
  return std::move(state_);
}

}  // namespace fixpoint::verify::world
