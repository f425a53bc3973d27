// SPDX-License-Identifier: Apache-2.0
//
// What differs between two trees: for people (a line per change) and as a JSON patch.
#pragma once

#include "json/value.h"

#include <optional>
#include <string>
#include <vector>

namespace fixpoint::json {

struct Change {
  std::string path;             // a JSON pointer; empty for the whole document
  std::optional<Value> before;  // absent: it was added
  std::optional<Value> after;   // absent: it was removed
};

// Every smallest place that differs, in document order. Arrays are compared place by place after
// their equal beginnings and ends.
std::vector<Change> diff(View from, View to);

// `~ spec.replicas: 1 -> 3`, `+ metadata.labels.app: "web"`, `- spec.paused: true`.
std::string to_text(const Change& change);

// Operations that, applied to `from`, give `to`. The roots must be objects or arrays.
Value make_patch(View from, View to);

}  // namespace fixpoint::json
