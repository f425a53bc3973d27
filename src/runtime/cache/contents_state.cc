// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/contents_state.h"

#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::runtime {

Identity Identity::of(json::View object) {
  const auto metadata = object.get("metadata");
  const auto version = metadata.get("resourceVersion").as_string();
  return {
      {metadata.get("namespace").as_string(), metadata.get("name").as_string()},
      metadata.get("uid").as_string(),
      version,
      version_number(version)
  };
}

Contents::State::State(client::Collection what, std::vector<Index> indexes,
                       std::shared_ptr<const json::Shape> cut)
    : collection(std::move(what)),
      api_version(collection.resource.kind.group_version().api_version()),
      selection(collection.selector),
      shape(std::move(cut)),
      table(std::make_shared<const std::vector<Index>>(std::move(indexes))) {
  feeds.push_back(Feed::of(collection.ns));
}

std::optional<FeedId> Contents::State::feed_of(std::string_view ns) const {
  for (FeedId id = 0; id < feeds.size(); ++id) {
    if (feeds[id].open && feeds[id].covers(ns)) return id;
  }
  return std::nullopt;
}

Novelty Contents::State::judge_event(const Identity& object, const Feed& feed) const {
  if (believes_the_past || object.version == 0) return Novelty::News;
  if (before(object.version, feed.seen_number)) return Novelty::Past;
  return object.version == feed.seen_number ? Novelty::Known : Novelty::News;
}

Novelty Contents::State::judge(const Identity& object, Origin origin, Slot slot,
                               const Feed& feed) const {
  if (slot != kNoEntry) {
    const auto& known = table.at(slot);
    if (kube::resource_version_of(known.object) == object.resource_version) return Novelty::Known;
    if (believes_the_past) return Novelty::News;
    if (before(object.version, known.version)) return Novelty::Known;
  } else if (origin == Origin::OwnWrite && !believes_the_past && object.version != 0 &&
             object.version <= feed.seen_number) {
    // The answer is late: the watch has come past it, and the object is not there any more.
    return Novelty::Known;
  }
  return tombstones.cover(object.key, object.uid, object.version) ? Novelty::Known : Novelty::News;
}

Change Contents::State::store(const json::Value& object, std::uint64_t version, Slot slot,
                              Origin origin, std::uint32_t epoch) {
  auto packed = object.compact();
  if (slot == kNoEntry) {
    table.insert(packed, version, epoch);
    return {{}, std::move(packed), origin};
  }
  auto replaced = table.replace(slot, packed, version, epoch);
  return {std::move(replaced), std::move(packed), origin};
}

std::optional<Change> Contents::State::erase(const Identity& object, Origin origin) {
  const auto slot = table.find(object.key);
  if (slot == kNoEntry) return std::nullopt;
  const auto& known = table.at(slot);
  if (kube::uid_of(known.object) != object.uid) return std::nullopt;
  if (!believes_the_past && before(object.version, known.version)) return std::nullopt;
  return Change{table.erase(slot), {}, origin};
}

std::vector<Change> Contents::State::erase_if(
    const Feed& feed, Origin origin, const std::function<bool(const ObjectTable::Entry&)>& which) {
  std::vector<json::Value> victims;
  table.each([&](const ObjectTable::Entry& entry) {
    if (feed.covers(entry.key().ns) && which(entry)) victims.push_back(entry.object);
  });
  std::ranges::sort(victims, {}, [](const json::Value& v) { return Identity::of(v).key; });
  std::vector<Change> changes;
  changes.reserve(victims.size());
  for (auto& victim : victims) {
    table.erase(table.find(Identity::of(victim).key));
    changes.push_back({std::move(victim), {}, origin});
  }
  return changes;
}

// Answers of subresources (a Scale, an Eviction) and of other versions do not belong here.
bool Contents::State::is_of_this_kind(json::View object) const {
  return object.get("kind").as_string() == collection.resource.kind.kind &&
         object.get("apiVersion").as_string() == api_version;
}

std::optional<Change> Contents::State::put_own(json::Value object) {
  const auto identity = Identity::of(object);
  const auto feed_id = feed_of(identity.key.ns);
  if (!feed_id || !is_of_this_kind(object)) return std::nullopt;
  auto& feed = feeds[*feed_id];
  feed.own_number = std::max(feed.own_number, identity.version);
  if (!selection.matches(object) ||
      tombstones.cover(identity.key, identity.uid, identity.version)) {
    return leave(identity, feed, *feed_id);
  }
  const auto slot = table.find(identity.key);
  if (!of_another_time(slot, feed) &&
      judge(identity, Origin::OwnWrite, slot, feed) != Novelty::News) {
    return std::nullopt;
  }
  // A list under way goes by the version to tell what is newer than itself, and this must not count
  // as listed. Without numbers it must: better too long in the cache than deleted by mistake.
  const auto confirmed = slot == kNoEntry ? feed.epoch - 1 : table.at(slot).epoch;
  const auto epoch = identity.version == 0 || feed.anew ? feed.epoch : confirmed;
  const auto version = identity.version;
  auto cut = shape ? shape->cut(object) : std::move(object);
  return store(cut, version, slot, Origin::OwnWrite, epoch);
}

// An own write took the object out of the selection, or its answer came after that of its deletion:
// either way, what was at its key before is over.
std::optional<Change> Contents::State::leave(const Identity& object, const Feed& feed,
                                             FeedId feed_id) {
  if (object.version == 0) return erase(object, Origin::OwnWrite);
  if (object.version <= feed.seen_number) return std::nullopt;
  tombstones.add(object.key, object.version, {feed_id, feed.epoch});
  const auto slot = table.find(object.key);
  if (slot == kNoEntry || before(object.version, table.at(slot).version)) return std::nullopt;
  return Change{table.erase(slot), {}, Origin::OwnWrite};
}

std::optional<Change> Contents::State::put_listed(const json::Value& object, FeedId feed_id,
                                                  Origin origin) {
  const auto identity = Identity::of(object);
  if (identity.key.name.empty()) {
    ++oddities.nameless;
    return std::nullopt;
  }
  if (feed_of(identity.key.ns) != feed_id) return std::nullopt;
  const auto& feed = feeds[feed_id];
  const auto slot = table.find(identity.key);
  if (of_another_time(slot, feed)) {
    if (table.at(slot).object == object) {
      table.confirm(slot, feed.epoch);
      return std::nullopt;
    }
  } else if (judge(identity, origin, slot, feed) != Novelty::News) {
    tombstones.listed(identity.key, feed.epoch);
    // What is listed may be gone by now; then its predecessor, if that is still here, is too.
    if (slot != kNoEntry && (kube::uid_of(table.at(slot).object) == identity.uid ||
                             before(identity.version, table.at(slot).version))) {
      table.confirm(slot, feed.epoch);
    }
    return std::nullopt;
  }
  const auto version = identity.version;
  return store(object, version, slot, origin, feed.epoch);
}

std::optional<Change> Contents::State::own(std::optional<Change> change) {
  if (change && keeps_own_changes) own_changes.push_back(*change);
  return change;
}

}  // namespace fixpoint::runtime
