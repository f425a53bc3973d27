// SPDX-License-Identifier: Apache-2.0
//
// Feed and Tombstones: what Contents remembers beside the objects, to tell news from the past.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

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

// The uids of objects that this process knows to be gone while its watch may not know it yet.
//
// One is forgotten when the watch has told of the deletion or a list asked for afterwards is
// complete: from then on the position of the watch protects against late news. The deletion of what
// no watch shows is never told, so the number is bounded too: forgetting too early only means that
// a late event shows the object until its deletion is seen.
class Tombstones {
 public:
  static constexpr std::size_t kMax = 4'096;
  static constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

  // Gone as of version `at`; `epoch` is that of its feed.
  void add(std::string_view uid, std::uint64_t at, std::uint32_t feed, std::uint32_t epoch);
  // Whether a state of that version is from before its end.
  bool cover(std::string_view uid, std::uint64_t version) const;
  // The watch told that it is gone for good, or that it left the selection at that version.
  void deletion_seen(std::string_view uid);
  void leaving_seen(std::string_view uid, std::uint64_t at);
  void list_complete(std::uint32_t feed, std::uint32_t epoch, std::uint64_t number);
  void forget(std::uint32_t feed);
  std::size_t size() const { return stones_.size(); }
  std::size_t bytes() const;

 private:
  struct Stone {
    std::uint64_t at = 0;
    std::uint64_t serial = 0;
    std::uint32_t feed = 0;
    std::uint32_t epoch = 0;
  };
  std::unordered_map<std::string, Stone> stones_;
  std::uint64_t last_serial_ = 0;
};

}  // namespace fixpoint::runtime
