// SPDX-License-Identifier: Apache-2.0
//
// Feed and Tombstones: what Contents remembers beside the objects, to tell news from the past.
#pragma once

#include "runtime/cache/object_table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fixpoint::runtime {

// A resourceVersion as a number, or 0 when it is none that can be compared.
std::uint64_t version_number(std::string_view resource_version);

// One stream of lists and events.
struct Feed {
  std::string ns;  // empty: all namespaces
  bool open = true;
  std::string seen;
  std::uint64_t seen_number = 0;  // stays when the feed starts over: time does not
  std::uint64_t own_number = 0;   // the newest own write
  bool synced = false;

  std::uint32_t epoch = 0;  // counts lists
  // Time starts anew: entries of earlier epochs have versions of another time. Until a list is
  // complete.
  bool anew = false;
  bool relisting = false;
  std::uint64_t not_before = 0;   // a list asked for now cannot honestly be older than this
  std::uint64_t list_number = 0;  // of the list under way
  std::string list_version;

  static Feed of(std::string_view ns) {
    Feed feed;
    feed.ns = ns;
    return feed;
  }
  bool covers(std::string_view object_ns) const { return ns.empty() || ns == object_ns; }
};

// What this process knows to be over at a key while its watch may not know it yet: objects that are
// gone, by uid, and everything up to a version.
//
// One is forgotten when the watch has told as much or a list asked for afterwards is complete and
// does not mention it: from then on the position of the watch protects against late news. A list
// that does mention it is from before its end, whatever the server says. The deletion of what no
// watch shows is never told, so the number is bounded too: forgetting too early only means that a
// late event shows the object until its deletion is seen.
class Tombstones {
 public:
  static constexpr std::size_t kMax = 4'096;

  // `epoch` is that of the feed.
  struct Place {
    std::uint32_t feed = 0;
    std::uint32_t epoch = 0;
  };
  void add(KeyView key, std::string_view uid, std::uint64_t up_to, Place place);
  void add(KeyView key, std::uint64_t up_to, Place place) { add(key, {}, up_to, place); }
  bool cover(KeyView key, std::string_view uid, std::uint64_t version) const;
  // The watch told that it is gone for good, or that it left the selection at that version.
  void deletion_seen(KeyView key, std::string_view uid, std::uint64_t at);
  void leaving_seen(KeyView key, std::uint64_t at);
  void listed(KeyView key, std::uint32_t epoch);
  void list_complete(Place place, std::uint64_t at);
  void forget(std::uint32_t feed);
  std::size_t size() const { return stones_.size(); }
  std::size_t bytes() const;
  // Calls visit(key as text, uids, version), in no particular order.
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [key, stone] : stones_) visit(key, stone.uids, stone.up_to);
  }

 private:
  // Namesakes that followed each other within the lag of one watch; more are forgotten.
  static constexpr std::size_t kUidsMax = 4;

  struct Stone {
    std::vector<std::string> uids;
    std::uint64_t up_to = 0;
    std::uint64_t serial = 0;
    Place place;
    std::uint32_t listed = 0;  // the epoch of the last list that mentioned it
  };
  using Stones = std::unordered_map<std::string, Stone>;

  static std::string text(KeyView key);
  Stones::iterator find(KeyView key);
  // Everything that it protects against is over.
  static bool over(const Stone& stone, std::uint64_t at) {
    return stone.uids.empty() && stone.up_to <= at;
  }

  Stones stones_;
  std::uint64_t last_serial_ = 0;
};

}  // namespace fixpoint::runtime
