// SPDX-License-Identifier: Apache-2.0
//
// YAML 1.1 as Kubernetes reads and writes it: through JSON, with the plain scalars, the duplicate
// keys, the merge keys and the error texts of its Go library.
//
// `yes`, `on` and `y` are booleans only unquoted; 1.0 becomes the integer 1, because it passes
// through JSON text; timestamps stay strings; numbers as keys become strings.
#pragma once

#include "base/error.h"
#include "json/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::json {

// Strict decoding refuses a key given twice; plain decoding keeps the last.
enum class Duplicates : std::uint8_t { Refuse, KeepLast };

// Aliases may multiply text no further than this; without them a document is as large as its text.
inline constexpr std::size_t kYamlExpandedBytesMax = std::size_t{64} << 20U;

// The first document; null if there is none. What follows it is not looked at.
Result<Value> parse_yaml(std::string_view text, Duplicates duplicates = Duplicates::Refuse);

// All documents of a stream except empty ones.
Result<std::vector<Value>> parse_yaml_documents(std::string_view text,
                                                Duplicates duplicates = Duplicates::Refuse);

// As `kubectl -o yaml` prints it: block style, keys in natural order (a2 before a10).
std::string to_yaml(View value);

}  // namespace fixpoint::json
