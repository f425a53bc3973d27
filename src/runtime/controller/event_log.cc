// SPDX-License-Identifier: Apache-2.0
//
// Events as a real recorder writes them; what the API server bounds is cut here.
#include "runtime/controller/event_log.h"

#include "base/hash.h"
#include "base/rfc3339.h"
#include "base/utf8.h"
#include "json/draft.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

constexpr std::size_t kWordBytesMax = 128;  // reason, action, reporting instance
constexpr std::size_t kNameBytesMax = 253 - 17;

const client::Resource& events() {
  static const client::Resource resource{
      {"events.k8s.io", "v1", "Event"},
      "events", client::Scope::Namespaced
  };
  return resource;
}

json::Draft reference_to(json::View object) {
  const json::View metadata = object.get("metadata");
  json::Draft reference = json::Draft::object();
  reference["apiVersion"] = object.get("apiVersion");
  reference["kind"] = object.get("kind");
  reference["name"] = metadata.get("name");
  if (!metadata.get("namespace").is_null()) reference["namespace"] = metadata.get("namespace");
  reference["resourceVersion"] = metadata.get("resourceVersion");
  reference["uid"] = metadata.get("uid");
  // Whoever speaks of a part of an object says which; no kind has such a member itself.
  if (const json::View part = object.get("fieldPath"); !part.is_null()) {
    reference["fieldPath"] = part;
  }
  return reference;
}

}  // namespace

std::uint64_t EventLog::identity(json::View regarding, const EmitStep& event) const {
  const std::string_view uid = regarding.get("metadata", "uid").as_string();
  const std::uint64_t object = hash64(regarding.get("fieldPath").as_string(),
                                      hash64(uid, static_cast<std::uint64_t>(event.type)));
  const std::uint64_t reason = hash64(event.reason, hash64(event.action, object));
  const auto found = different_.find(uid);
  if (found != different_.end() && found->second >= kDifferentMax) return reason;
  return hash64(event.note, reason);
}

void EventLog::say(json::View regarding, const EmitStep& event, Instant now) {
  forget_old(now);
  const std::uint64_t id = identity(regarding, event);
  if (const auto found = series_.find(id); found != series_.end()) {
    return repeat(id, found->second, now);
  }
  if (series_.size() >= kSeriesMax) {
    ++statistics_.dropped;
    return;
  }
  begin(id, regarding, event, now);
}

void EventLog::repeat(std::uint64_t id, Series& series, Instant now) {
  ++series.count;
  series.last = now;
  if (series.count < 2 * series.written_count && now - series.written < kRefresh) return;
  series.written_count = series.count;
  series.written = now;
  json::Draft body = json::Draft::object();
  json::Draft& observed = body.object_at("series");
  observed["count"] = static_cast<std::int64_t>(series.count);
  observed["lastObservedTime"] = format_micros(now);
  client::Call call;
  call.verb = client::Verb::Patch;
  call.resource = events();
  call.key = series.key;
  call.patch_type = client::PatchType::Merge;
  call.body = body.freeze();
  send(id, std::move(call));
}

void EventLog::begin(std::uint64_t id, json::View regarding, const EmitStep& event, Instant now) {
  const json::View metadata = regarding.get("metadata");
  Series series;
  series.uid = metadata.get("uid").as_string();
  series.key.ns = metadata.get("namespace").as_string("default");
  // A name by time, as every recorder does, and never the same twice.
  const auto time = static_cast<std::uint64_t>(now.time_since_epoch().count());
  last_name_ = std::max(last_name_ + 1, time);
  series.key.name = fmt::format(
      "{}.{:x}", utf8_prefix(metadata.get("name").as_string(), kNameBytesMax), last_name_);
  series.last = now;
  series.written = now;

  json::Draft body = json::Draft::object();
  body["apiVersion"] = "events.k8s.io/v1";
  body["kind"] = "Event";
  body.object_at("metadata")["name"] = series.key.name;
  body.object_at("metadata")["namespace"] = series.key.ns;
  body["eventTime"] = format_micros(now);
  body["reportingController"] = source_.controller;
  body["reportingInstance"] = utf8_prefix(source_.instance, kWordBytesMax);
  body["action"] = utf8_prefix(event.action, kWordBytesMax);
  body["reason"] = utf8_prefix(event.reason, kWordBytesMax);
  body["regarding"] = reference_to(regarding);
  body["note"] = utf8_prefix(event.note, kNoteBytesMax);
  body["type"] = event.type == EventType::Warning ? "Warning" : "Normal";
  client::Call call;
  call.verb = client::Verb::Create;
  call.resource = events();
  call.key.ns = series.key.ns;
  call.body = body.freeze();
  ++different_[series.uid];
  series_.emplace(id, std::move(series));
  send(id, std::move(call));
}

void EventLog::send(std::uint64_t id, client::Call call) {
  if (waiting_.size() >= kWaitingMax) {
    ++statistics_.dropped;
    return;
  }
  waiting_.push_back({id, std::move(call)});
}

std::vector<EventLog::Outgoing> EventLog::take() {
  return std::exchange(waiting_, {});
}

void EventLog::answered(std::uint64_t id, const client::Reply& reply) {
  if (reply) {
    ++statistics_.written;
    return;
  }
  ++statistics_.failed;
  const auto found = series_.find(id);
  if (found == series_.end()) return;
  if (--different_[found->second.uid] == 0) different_.erase(found->second.uid);
  series_.erase(found);
}

// Only when there is much to look through: what is quiet for long takes little room and no time.
void EventLog::forget_old(Instant now) {
  if (series_.empty()) return;
  std::erase_if(series_, [&](const auto& entry) {
    if (now - entry.second.last < kSeriesWindow) return false;
    if (--different_[entry.second.uid] == 0) different_.erase(entry.second.uid);
    return true;
  });
}

}  // namespace fixpoint::runtime
