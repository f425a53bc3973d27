// SPDX-License-Identifier: Apache-2.0
//
// JSON text to Value: simdjson on the fast path, an exact slow reader for everything unusual.
//
// What is accepted, and the words of every error, are those of Go's decoder, because Kubernetes
// sends them to its clients: invalid UTF-8 and lone surrogates become U+FFFD, the last of two equal
// keys wins, an integer that does not fit int64 becomes a float.
#pragma once

#include "base/error.h"
#include "json/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::json {

// The largest text taken, above any body or stored object that Kubernetes allows.
inline constexpr std::size_t kTextBytesMax = std::size_t{64} << 20U;

// Exhausted when it is larger.
Result<void> check_text_size(std::string_view text);

Result<Value> parse(std::string_view text);

struct Parsed {
  Value value;
  // Paths of keys given twice, e.g. `data.a` or `spec.containers[0].name`, in order of appearance.
  std::vector<std::string> duplicates;
};
Result<Parsed> parse_noting_duplicates(std::string_view text);

}  // namespace fixpoint::json
