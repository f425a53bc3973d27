// SPDX-License-Identifier: Apache-2.0
#include "client/http/watch_decoder.h"

#include "client/http/answer.h"
#include "json/parsing/parse.h"

#include <fmt/format.h>

namespace fixpoint::client {
namespace {

// A pending buffer larger than this is given back when its line is complete.
constexpr std::size_t kPendingKeptBytes = 64 * 1024;

std::optional<EventType> type_named(std::string_view name) {
  if (name == "ADDED") return EventType::Added;
  if (name == "MODIFIED") return EventType::Modified;
  if (name == "DELETED") return EventType::Deleted;
  if (name == "BOOKMARK") return EventType::Bookmark;
  return std::nullopt;
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

bool ends_initial_events(json::View bookmark) {
  return bookmark.get("metadata", "annotations", "k8s.io/initial-events-end").as_string() == "true";
}

std::optional<CallError> WatchDecoder::feed(std::string_view bytes) {
  while (!over_ && !bytes.empty()) {
    const auto end = bytes.find('\n');
    if (end == std::string_view::npos) {
      if (pending_.size() + bytes.size() > kEventBytesMax) {
        over_ = true;
        return unknown(fmt::format("a watch event is larger than {} bytes", kEventBytesMax));
      }
      pending_.append(bytes);
      return std::nullopt;
    }
    std::optional<CallError> error;
    if (pending_.empty()) {
      error = line(bytes.substr(0, end));
    } else {
      pending_.append(bytes.substr(0, end));
      const auto whole = std::exchange(pending_, {});
      error = line(whole);
      if (whole.capacity() <= kPendingKeptBytes && pending_.empty()) pending_.reserve(whole.size());
    }
    if (error) {
      over_ = true;
      return error;
    }
    bytes.remove_prefix(end + 1);
  }
  return std::nullopt;
}

std::optional<CallError> WatchDecoder::finish() {
  if (over_ || blank(pending_)) return std::nullopt;
  // The last event may lack its line break, but not its end.
  return line(std::exchange(pending_, {}));
}

std::optional<CallError> WatchDecoder::line(std::string_view text) {
  if (blank(text)) return std::nullopt;
  auto parsed = json::parse_member(text, "object", shape_.get());
  if (!parsed) return unknown("a watch event is no readable JSON: " + parsed.error().message);
  const auto name = parsed->rest.get("type").as_string();
  if (name != "ERROR") {
    const auto type = type_named(name);
    if (!type) return unknown(fmt::format("a watch event of unknown type \"{}\"", name));
    return object_event(*type, text, std::move(parsed->member));
  }
  const auto whole = json::parse_member(text, "object", nullptr);
  CallError error;
  error.fate = Fate::Refused;
  error.status = read_status(whole->member);
  if (error.status.details && error.status.details->retry_after_seconds > 0) {
    error.retry_after = std::chrono::seconds(error.status.details->retry_after_seconds);
  }
  return error;
}

std::optional<CallError> WatchDecoder::object_event(EventType type, std::string_view text,
                                                    json::Value object) {
  if (!object.is_object()) return unknown("a watch event without an object");
  WatchEvent event{.type = type, .object = std::move(object)};
  if (type == EventType::Bookmark) {
    // What it says stands in an annotation that a shape may leave out.
    auto whole = json::parse_member(text, "object", nullptr);
    event.object = std::move(whole->member);
    event.initial_events_end = ends_initial_events(event.object);
  }
  if (!on_event_(std::move(event))) over_ = true;
  return std::nullopt;
}

}  // namespace fixpoint::client
