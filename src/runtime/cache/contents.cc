// SPDX-License-Identifier: Apache-2.0
//
// The operations of Contents. What is news and what is not: contents_state.h.
#include "runtime/cache/contents.h"

#include "kube/meta/metadata.h"
#include "runtime/cache/contents_state.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::runtime {

bool older(std::string_view a, std::string_view b) {
  return before(version_number(a), version_number(b));
}

Contents::Contents(client::Collection collection, std::vector<Index> indexes,
                   std::shared_ptr<const json::Shape> shape)
    : state_(make_ref<State>(std::move(collection), std::move(indexes), std::move(shape))) {}
Contents::Contents(const Contents&) = default;
Contents::Contents(Contents&&) noexcept = default;
Contents& Contents::operator=(const Contents&) = default;
Contents& Contents::operator=(Contents&&) noexcept = default;
Contents::~Contents() = default;

Contents::State& Contents::change() {
  if (!state_->unique()) state_ = make_ref<State>(*state_);
  return *state_;
}

std::optional<Change> Contents::put(json::Value object, Origin origin) {
  const auto identity = Identity::of(object);
  if (identity.key.name.empty()) {
    ++change().oddities.nameless;
    return std::nullopt;
  }
  if (origin == Origin::OwnWrite) {
    if (state_->forgets_own_writes) return std::nullopt;
    auto& state = change();
    return state.own(state.put_own(std::move(object)));
  }
  const auto feed_id = state_->feed_of(identity.key.ns);
  if (!feed_id) return std::nullopt;
  const auto& feed = state_->feeds[*feed_id];
  const auto slot = state_->table.find(identity.key);
  auto verdict = state_->judge_event(identity, feed);
  if (verdict == Novelty::News) verdict = state_->judge(identity, origin, slot, feed);
  if (verdict == Novelty::Past) ++change().oddities.from_the_past;
  if (verdict != Novelty::News) return std::nullopt;
  auto& state = change();
  return state.store(object, identity.version, slot, origin, state.feeds[*feed_id].epoch);
}

std::optional<Change> Contents::remove(json::View last_state, Origin origin) {
  if (origin == Origin::OwnWrite) {
    return gone(kube::key_of(last_state), kube::uid_of(last_state));
  }
  const auto identity = Identity::of(last_state);
  const auto feed_id = state_->feed_of(identity.key.ns);
  if (!feed_id) return std::nullopt;
  const auto verdict = state_->judge_event(identity, state_->feeds[*feed_id]);
  if (verdict == Novelty::Past) ++change().oddities.from_the_past;
  if (verdict != Novelty::News) return std::nullopt;
  auto& state = change();
  if (state.selection.everything()) {
    state.tombstones.deletion_seen(identity.key, identity.uid, identity.version);
  } else {
    state.tombstones.leaving_seen(identity.key, identity.version);
  }
  return state.erase(identity, origin);
}

std::optional<Change> Contents::gone(const kube::Key& key, std::string_view uid) {
  const auto feed_id = state_->feed_of(key.ns);
  if (!feed_id || uid.empty() || state_->forgets_own_writes) return std::nullopt;
  auto& state = change();
  const auto slot = state.table.find({key.ns, key.name});
  const auto known = slot == kNoEntry ? 0 : state.table.at(slot).version;
  auto change = state.erase(
      {
          {key.ns, key.name},
          uid, {},
          0
  },
      Origin::OwnWrite);
  // Together with what was known of it ends everything that was at its key before.
  state.tombstones.add({key.ns, key.name}, uid, change ? known : 0,
                       {*feed_id, state.feeds[*feed_id].epoch});
  return state.own(std::move(change));
}

void Contents::begin_relist(FeedId feed_id) {
  auto& feed = change().feeds[feed_id];
  ++feed.epoch;
  feed.relisting = true;
  feed.not_before = std::max(feed.seen_number, feed.own_number);
  feed.list_number = 0;
  feed.list_version.clear();
}

void Contents::start_anew(FeedId feed_id) {
  auto& state = change();
  auto& feed = state.feeds[feed_id];
  feed.anew = true;
  feed.seen_number = feed.own_number = 0;
  state.tombstones.forget(feed_id);
}

bool Contents::is_past(std::string_view resource_version, FeedId feed_id) const {
  const auto& feed = state_->feeds[feed_id];
  return before(version_number(resource_version), std::max(feed.seen_number, feed.own_number));
}

Result<std::vector<Change>> Contents::put_page(std::vector<json::Value> items,
                                               std::string_view resource_version, FeedId feed_id) {
  auto& state = change();
  auto& feed = state.feeds[feed_id];
  FP_CHECK(feed.relisting);
  const auto number = version_number(resource_version);
  if (!state.believes_the_past && before(number, feed.not_before)) {
    ++state.oddities.from_the_past;
    return fail(ErrorKind::Unavailable,
                fmt::format("the list of {} is of version {}, but version {} has been seen",
                            state.collection.resource.plural, number, feed.not_before));
  }
  // All pages of a list have one version. If not, events since the oldest of them tell the rest.
  if (feed.list_version.empty() || before(number, feed.list_number)) {
    feed.list_version = resource_version;
    feed.list_number = number;
  }
  const auto origin = feed.synced ? Origin::Relist : Origin::InitialList;
  std::vector<Change> changes;
  for (auto& item : items) {
    const auto listed = std::move(item);  // goes as soon as it is stored, not with the page
    if (auto change = state.put_listed(listed, feed_id, origin)) {
      changes.push_back(std::move(*change));
    }
  }
  return changes;
}

std::vector<Change> Contents::end_relist(FeedId feed_id) {
  auto& state = change();
  auto& feed = state.feeds[feed_id];
  FP_CHECK(feed.relisting);
  auto changes = state.erase_if(feed, Origin::Relist, [&](const ObjectTable::Entry& entry) {
    // What is newer than the list is an own write that the watch will tell of.
    return entry.epoch != feed.epoch && (feed.anew || !before(feed.list_number, entry.version));
  });
  feed.seen = feed.list_version;
  feed.seen_number = feed.list_number != 0 ? feed.list_number : feed.seen_number;
  feed.relisting = feed.anew = false;
  feed.synced = true;
  state.tombstones.list_complete({feed_id, feed.epoch}, feed.list_number);
  return changes;
}

void Contents::seen(std::string_view resource_version, FeedId feed_id) {
  auto& state = change();
  auto& feed = state.feeds[feed_id];
  const auto number = version_number(resource_version);
  if (!state.believes_the_past && before(number, feed.seen_number)) {
    ++state.oddities.from_the_past;
    return;
  }
  feed.seen = resource_version;
  if (number != 0) feed.seen_number = number;
}

std::vector<Change> Contents::clear(FeedId feed_id) {
  auto& state = change();
  auto& feed = state.feeds[feed_id];
  auto changes =
      state.erase_if(feed, Origin::Relist, [](const ObjectTable::Entry&) { return true; });
  feed.seen.clear();
  feed.synced = false;
  feed.relisting = false;
  state.tombstones.forget(feed_id);
  return changes;
}

const std::string& Contents::resource_version(FeedId feed_id) const {
  return state_->feeds[feed_id].seen;
}

bool Contents::synced() const {
  return std::ranges::all_of(state_->feeds, [](const Feed& f) { return !f.open || f.synced; });
}

bool Contents::synced(FeedId feed_id) const {
  return state_->feeds[feed_id].synced;
}

FeedId Contents::follow(std::string_view ns) {
  auto& feeds = change().feeds;
  FP_CHECK(!ns.empty() &&
           std::ranges::none_of(feeds, [&](const Feed& f) { return f.open && f.covers(ns); }));
  auto at = std::ranges::find(feeds, false, &Feed::open);
  if (at == feeds.end()) at = feeds.insert(at, Feed{});
  *at = Feed::of(ns);
  return static_cast<FeedId>(at - feeds.begin());
}

std::vector<Change> Contents::unfollow(FeedId feed_id) {
  auto changes = clear(feed_id);
  state_->feeds[feed_id].open = false;
  return changes;
}

void Contents::add_index(Index index) {
  change().table.add_index(std::move(index));
}

json::View Contents::get(const kube::Key& key) const {
  const auto slot = state_->table.find({key.ns, key.name});
  return slot == kNoEntry ? json::View{} : state_->table.at(slot).object.view();
}

std::vector<json::View> Contents::list(std::string_view ns) const {
  return state_->table.list(ns);
}

std::vector<json::View> Contents::indexed(std::string_view index, std::string_view value) const {
  return state_->table.indexed(index, value);
}

std::vector<json::View> Contents::owned_by(std::string_view uid) const {
  return state_->table.owned_by(uid);
}

std::size_t Contents::size() const {
  return state_->table.size();
}

std::size_t Contents::bytes() const {
  return state_->table.bytes() + state_->tombstones.bytes();
}

const client::Collection& Contents::collection() const {
  return state_->collection;
}

const Contents::Oddities& Contents::oddities() const {
  return state_->oddities;
}

void Contents::keep_own_changes() {
  change().keeps_own_changes = true;
}

std::vector<Change> Contents::take_own_changes() {
  if (state_->own_changes.empty()) return {};
  return std::exchange(change().own_changes, {});
}

void Contents::forget_own_writes() {
  change().forgets_own_writes = true;
}

void Contents::believe_the_past() {
  change().believes_the_past = true;
}

}  // namespace fixpoint::runtime
