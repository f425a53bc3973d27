// SPDX-License-Identifier: Apache-2.0
//
// Pause: why an object is left alone, as it stands in its annotations.
//
// Two keys, because nobody can tell who removed a field: a person resumes by removing only
// `reconcile-paused`, which leaves our `pause-info`; a writer who replaces the whole object removes
// both. A pause without `pause-info` was set by a person and is never removed by us.
#pragma once

#include "base/clock.h"
#include "json/value.h"
#include "runtime/guard/ledger.h"
#include "runtime/guard/settings.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::runtime {

inline constexpr std::size_t kPausePathsMax = 5;

struct Pause {
  std::string id;
  std::string by;
  std::string at;  // RFC 3339
  std::string reason;
  std::string rule;
  std::string actor;
  std::string operation;
  std::vector<std::string> paths;  // at most kPausePathsMax
  std::size_t count = 0;

  json::Value to_json() const;
  // Nothing when the text is no pause record.
  static std::optional<Pause> parse(std::string_view text);
  static std::optional<Pause> from_json(json::View stored);
};

// What the annotations of an object say.
struct PauseMarks {
  bool paused = false;
  std::optional<Pause> info;
};
PauseMarks pause_marks(json::View object, const GuardNames& names);
// True when the primary's annotation asks to resume this pause.
bool resume_asked(json::View primary, const GuardNames& names, std::string_view id);

// Merge patches, bound to the object's uid.
json::Value mark_patch(const Pause& pause, const GuardNames& names, std::string_view uid);
json::Value unmark_patch(const GuardNames& names, std::string_view uid);

}  // namespace fixpoint::runtime
