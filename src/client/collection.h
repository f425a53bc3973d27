// SPDX-License-Identifier: Apache-2.0
//
// Lists and watches: many objects of one kind, read page by page and followed from there.
//
// Objects arrive as packed Values already cut to what the reader keeps (Shape), so that a page
// never exists twice in memory. A Page or watch is one request: whoever wants to go on after its
// end decides from where. Read next: runtime/cache/reflector.h, which does.
#pragma once

#include "base/clock.h"
#include "client/call.h"
#include "json/shape/shape.h"
#include "json/value.h"

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fixpoint::client {

// Which objects, and how much of each.
struct Collection {
  Resource resource;
  std::string ns;  // empty: all namespaces
  Selector selector;
  // Ask the server for metadata only (PartialObjectMetadata).
  bool metadata_only = false;

  auto operator<=>(const Collection&) const = default;
};

inline constexpr std::uint32_t kPageItems = 500;

struct ListCall {
  Collection collection;
  std::uint32_t limit = kPageItems;  // 0: all at once
  std::string continue_token;
  std::string resource_version;              // "" asks for the newest: never served from the past
  std::string resource_version_match;        // "", "Exact", "NotOlderThan"
  std::shared_ptr<const json::Shape> shape;  // null: whole objects
  Duration deadline = std::chrono::seconds(60);
};

struct Page {
  std::vector<json::Value> items;  // each with apiVersion and kind, as a watch sends them
  std::string resource_version;
  std::string continue_token;  // empty: the last page
  std::vector<std::string> warnings;
  std::size_t wire_bytes = 0;
};
using PageReply = std::expected<Page, CallError>;

enum class EventType : std::uint8_t { Added, Modified, Deleted, Bookmark };

struct WatchEvent {
  EventType type = EventType::Added;
  json::Value object;
  // The bookmark that ends the initial events of a streaming list.
  bool initial_events_end = false;
};

enum class Streaming : std::uint8_t {
  No,         // events after `resource_version`
  FromEmpty,  // sendInitialEvents: everything there is as ADDED, then a bookmark, then events
};

struct WatchCall {
  Collection collection;
  std::string resource_version;
  Streaming streaming = Streaming::No;
  std::shared_ptr<const json::Shape> shape;
  // The server is asked to end the watch after this; the client adds a margin and then ends it.
  Duration timeout = std::chrono::minutes(7);
  // No byte for this long, not even a bookmark, and the peer counts as dead: Unknown. HTTP/2 pings
  // keep an idle but living connection from being taken for a dead one.
  Duration silence = std::chrono::seconds(45);
};

struct WatchHandlers {
  std::function<void(WatchEvent)> on_event;
  // Exactly once unless cancelled. Nothing: the server ended the watch in good order. An ERROR
  // event arrives here as Refused with its Status: 410 means that the history is gone.
  std::function<void(std::optional<CallError>)> on_end;
};

// A running watch; destroying it cancels it and nobody is called any more.
class Watching {
 public:
  virtual ~Watching() = default;
};

}  // namespace fixpoint::client
