// SPDX-License-Identifier: Apache-2.0
//
// Contents::State: the objects and what is remembered beside them, and the rules of what is news.
//
// Where a rule compares versions, both must be numbers: a server with other resourceVersions is
// followed too, only without protection against its past.
#pragma once

#include "runtime/cache/contents.h"
#include "runtime/cache/feed.h"
#include "runtime/cache/object_table.h"
#include "runtime/cache/selection.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace fixpoint::runtime {

// What the rules ask of an object.
struct Identity {
  KeyView key;
  std::string_view uid;
  std::string_view resource_version;
  std::uint64_t version = 0;

  static Identity of(json::View object);
};

// Surely older: both are numbers.
inline bool before(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b != 0 && a < b;
}

enum class Novelty : std::uint8_t {
  News,
  Known,  // or overtaken by what is known
  Past,   // the server has already told of later things
};

struct Contents::State : RefCounted {
  client::Collection collection;
  std::string api_version;
  Selection selection;
  std::shared_ptr<const json::Shape> shape;
  ObjectTable table;
  std::vector<Feed> feeds;
  Tombstones tombstones;
  Oddities oddities;
  std::vector<Change> own_changes;
  bool keeps_own_changes = false;
  bool forgets_own_writes = false;
  bool believes_the_past = false;

  State(client::Collection what, std::vector<Index> indexes,
        std::shared_ptr<const json::Shape> cut);

  // Nothing when objects of this namespace are not followed.
  std::optional<FeedId> feed_of(std::string_view ns) const;

  // An event by where the feed stands, and a state by what is known of its object.
  Novelty judge_event(const Identity& object, const Feed& feed) const;
  Novelty judge(const Identity& object, Origin origin, Slot slot, const Feed& feed) const;

  // What is known of the object is of another time than the feed's: its version says nothing.
  bool of_another_time(Slot slot, const Feed& feed) const {
    return feed.anew && slot != kNoEntry && table.at(slot).epoch != feed.epoch;
  }

  Change store(const json::Value& object, std::uint64_t version, Slot slot, Origin origin,
               std::uint32_t epoch);
  // Unless it is another one by now, or known to be newer.
  std::optional<Change> erase(const Identity& object, Origin origin);
  std::vector<Change> erase_if(const Feed& feed, Origin origin,
                               const std::function<bool(const ObjectTable::Entry&)>& which);

  std::optional<Change> put_own(json::Value object);
  std::optional<Change> put_listed(const json::Value& object, FeedId feed, Origin origin);
  std::optional<Change> own(std::optional<Change> change);

 private:
  bool is_of_this_kind(json::View object) const;
  std::optional<Change> leave(const Identity& object, const Feed& feed, FeedId feed_id);
};

}  // namespace fixpoint::runtime
