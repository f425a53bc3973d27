// SPDX-License-Identifier: Apache-2.0
//
// Watch: which of the store's events one watcher is told, and how.
//
// An object that leaves the watcher's selection is DELETED for it and one that enters is ADDED,
// whatever happened in the store. The watch itself holds no queue and no socket: `next` is pure, so
// that 100 watchers with the same filter can share one translated event.
#pragma once

#include "apiserver/body/options.h"
#include "apiserver/resource.h"
#include "store/store.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::apiserver {

// How often a watcher that asked for bookmarks gets one; and one so long before the watch ends by
// its timeout, so that the next begins where this one stood.
inline constexpr auto kBookmarkInterval = std::chrono::seconds(60);
inline constexpr auto kBookmarkBeforeEnd = std::chrono::seconds(2);

enum class WatchEventType : std::uint8_t { Added, Modified, Deleted, Bookmark, Error };

std::string_view to_string(WatchEventType type);

struct WatchEvent {
  WatchEventType type = WatchEventType::Added;
  json::Value object;  // in the requested version; a Status for Error
};

// Which objects a list or watch concerns.
struct Selection {
  Resource resource;
  std::string ns;  // empty: all
  kube::LabelSelector labels;
  kube::FieldSelector fields;

  std::string prefix() const;
  bool matches(const json::Value& stored_body) const;
  bool operator==(const Selection& other) const;
};

struct Watch {
  Selection selection;
  store::Revision from;             // events after this one follow
  store::Revision opened;           // the state by which the watcher's resource was found
  std::vector<WatchEvent> initial;  // synthetic ADDED (and bookmark) first
  bool ends = false;                // with the last of `initial`, an Error
  bool bookmarks = false;
  std::optional<std::int64_t> timeout_seconds;
  Weakness weakness = Weakness::None;

  // What this watcher is told of a change; nothing when it is not concerned.
  std::optional<WatchEvent> next(const store::Event& event) const;
  // That change ended the kind as this watcher knows it: since it began, its definition is gone or
  // says something else. A server ends the stream; who watches again is told by the new one.
  bool outlived_by(const store::Event& event) const;
  // Carries only a resourceVersion: "you have seen everything up to here".
  WatchEvent bookmark(store::Revision at) const;
};

// The 410 that ends a watch which fell behind, as an event in the stream.
WatchEvent expired_event(std::string message);

}  // namespace fixpoint::apiserver
