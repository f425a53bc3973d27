// SPDX-License-Identifier: Apache-2.0
//
// WatchDecoder: the bytes of a watch stream, cut anywhere, to events.
//
// Events are JSON objects, one a line. What the shape leaves out is never built. After an error or
// an ERROR event nothing more is decoded.
#pragma once

#include "client/call.h"
#include "client/collection.h"
#include "json/shape/shape.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::client {

// One event: several times what a server stores for one object.
inline constexpr std::size_t kEventBytesMax = std::size_t{32} << 20U;

class WatchDecoder {
 public:
  // `on_event` returns false to be told no more.
  using OnEvent = std::function<bool(WatchEvent)>;
  WatchDecoder(std::shared_ptr<const json::Shape> shape, OnEvent on_event)
      : shape_(std::move(shape)), on_event_(std::move(on_event)) {}

  // The error that ended the stream: an ERROR event's, or about text that is none.
  std::optional<CallError> feed(std::string_view bytes);
  // At the end of the stream: an error if it ended inside an event.
  std::optional<CallError> finish();

 private:
  std::optional<CallError> line(std::string_view text);
  std::optional<CallError> object_event(EventType type, std::string_view text, json::Value object);

  std::shared_ptr<const json::Shape> shape_;
  OnEvent on_event_;
  std::string pending_;  // the beginning of a line
  bool over_ = false;
};

// Whether a bookmark says that everything there is has been sent.
bool ends_initial_events(json::View bookmark);

}  // namespace fixpoint::client
