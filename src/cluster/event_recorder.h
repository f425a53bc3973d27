// SPDX-License-Identifier: Apache-2.0
//
// EventRecorder: turns notices into v1 Events, few of them, as client-go's recorder does.
//
// The same thing said again raises the count of the Event there is. Many different things said for
// one reason about one object become one Event of combined messages, and an object that is talked
// of without end is heard only now and then. Nobody waits for an Event: one that cannot be written
// is not missed. A plain value; what it remembers is bounded, and forgetting only costs an Event.
#pragma once

#include "base/clock.h"
#include "base/hash.h"
#include "cluster/decision.h"

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace fixpoint::cluster {

class Api;

// A map that forgets what was not asked for the longest.
template <class T>
class RecentMap {
 public:
  explicit RecentMap(std::size_t entries_max) : entries_max_(entries_max) {}
  RecentMap(const RecentMap& other) : entries_max_(other.entries_max_) {
    for (const auto& [key, entry] : other.entries_) at(key) = entry;
  }
  RecentMap& operator=(const RecentMap&) = delete;

  // The entry, new if it was not known; from now on the most recent one.
  T& at(const Hash128& key) {
    const auto known = places_.find(key);
    if (known != places_.end()) {
      entries_.splice(entries_.end(), entries_, known->second);
      return known->second->second;
    }
    if (places_.size() >= entries_max_) {
      places_.erase(entries_.front().first);
      entries_.pop_front();
    }
    entries_.emplace_back(key, T{});
    places_.emplace(key, std::prev(entries_.end()));
    return entries_.back().second;
  }

 private:
  using Entries = std::list<std::pair<Hash128, T>>;
  struct Spread {
    std::size_t operator()(const Hash128& key) const { return key.low; }
  };

  std::size_t entries_max_;
  Entries entries_;  // the most recent last
  std::unordered_map<Hash128, typename Entries::iterator, Spread> places_;
};

class EventRecorder {
 public:
  // client-go's own limits.
  static constexpr std::size_t kRememberedMax = 4096;
  static constexpr std::size_t kDifferentMax = 10;
  static constexpr std::chrono::minutes kTogether{10};
  static constexpr double kBurst = 25;
  static constexpr std::chrono::minutes kOneMoreEach{5};

  explicit EventRecorder(std::string component) : component_(std::move(component)) {}

  // What to send for the notice, if it is to be heard. A refused patch is answered by `create`: the
  // Event it meant has expired.
  struct Writing {
    apiserver::Request request;
    std::optional<apiserver::Request> create;
  };
  std::optional<Writing> record(const Notice& notice, Instant now);
  // Records it and sends what there is to send.
  void tell(Api& api, const Notice& notice);

 private:
  struct Series {
    std::string name;
    std::string first;
    std::int64_t count = 0;
  };
  struct Similar {
    std::set<Hash128> messages;
    Instant last{};
  };
  struct Bucket {
    double tokens = kBurst;
    Instant at{};
  };

  bool combined(const Hash128& similar, const std::string& message, Instant now);
  bool heard(const Hash128& about, Instant now);
  std::string new_name(std::string_view object, Instant now);

  std::string component_;
  RecentMap<Series> series_{kRememberedMax};
  RecentMap<Similar> similar_{kRememberedMax};
  RecentMap<Bucket> buckets_{kRememberedMax};
  Instant last_name_{};  // names are moments; two Events of one moment get two
};

}  // namespace fixpoint::cluster
