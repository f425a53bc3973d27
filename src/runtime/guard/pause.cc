// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard/pause.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::runtime {
namespace {

// A record is a few hundred bytes; an annotation that is longer is none of ours.
constexpr std::size_t kRecordBytesMax = 8 * 1024;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

json::Value patch_of(json::Draft annotations, std::string_view uid) {
  auto metadata = json::Draft::object({
      {"annotations", std::move(annotations)}
  });
  if (!uid.empty()) metadata["uid"] = uid;
  return json::Draft::object({
                                 {"metadata", std::move(metadata)}
  })
      .freeze();
}

}  // namespace

json::Value Pause::to_json() const {
  auto shown = json::Draft::array();
  for (const auto& path : paths) shown.push_back(path);
  return json::Draft::object({
                                 {"id",        id                              },
                                 {"by",        by                              },
                                 {"at",        at                              },
                                 {"reason",    reason                          },
                                 {"rule",      rule                            },
                                 {"actor",     actor                           },
                                 {"operation", operation                       },
                                 {"paths",     std::move(shown)                },
                                 {"count",     static_cast<std::int64_t>(count)}
  })
      .freeze();
}

std::optional<Pause> Pause::from_json(json::View stored) {
  const auto text = [&](std::string_view key) { return std::string{stored.get(key).as_string()}; };
  if (text("id").empty()) return std::nullopt;
  Pause pause{
      .id = text("id"),
      .by = text("by"),
      .at = text("at"),
      .reason = text("reason"),
      .rule = text("rule"),
      .actor = text("actor"),
      .operation = text("operation"),
      .paths = {},
      .count = static_cast<std::size_t>(std::max<std::int64_t>(0, stored.get("count").as_int()))};
  for (const auto path : stored.get("paths").elements()) {
    if (pause.paths.size() == kPausePathsMax) break;
    pause.paths.emplace_back(path.as_string());
  }
  return pause;
}

std::optional<Pause> Pause::parse(std::string_view text) {
  if (text.size() > kRecordBytesMax) return std::nullopt;
  const auto parsed = json::parse(text);
  if (!parsed) return std::nullopt;
  return from_json(*parsed);
}

PauseMarks pause_marks(json::View object, const GuardNames& names) {
  const auto annotations = kube::annotations_of(object);
  PauseMarks marks{.paused = annotations.get(names.paused).as_string() == "true", .info = {}};
  if (const auto info = annotations.get(names.info); info.is_string()) {
    marks.info = Pause::parse(info.as_string());
  }
  return marks;
}

bool resume_asked(json::View primary, const GuardNames& names, std::string_view id) {
  auto rest = kube::annotation_of(primary, names.resume);
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    if (trimmed(rest.substr(0, comma)) == id) return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

json::Value mark_patch(const Pause& pause, const GuardNames& names, std::string_view uid) {
  const auto record = pause.to_json();
  auto annotations = json::Draft::object();
  annotations[names.paused] = "true";
  annotations[names.info] = json::to_text(record, json::Escape::Plain);
  return patch_of(std::move(annotations), uid);
}

json::Value unmark_patch(const GuardNames& names, std::string_view uid) {
  auto annotations = json::Draft::object();
  annotations[names.paused] = json::Draft();
  annotations[names.info] = json::Draft();
  return patch_of(std::move(annotations), uid);
}

}  // namespace fixpoint::runtime
