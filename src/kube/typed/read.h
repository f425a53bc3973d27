// SPDX-License-Identifier: Apache-2.0
//
// Reads the text of a built-in object as Go's decoder does: in the order of the text, a key given
// twice going into the same place again. Slower than typed.h, which asks here only when something
// is wrong, for the order and the words of what is.
#pragma once

#include "base/error.h"
#include "json/draft.h"
#include "kube/schema/schema.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

// What strict decoding objects to: `spec.containers[0].bar`.
struct FieldProblem {
  enum class Kind : std::uint8_t { Unknown, Duplicate };
  Kind kind;
  std::string path;

  std::string sentence() const;  // `unknown field "spec.foo"`
  friend bool operator==(const FieldProblem&, const FieldProblem&) = default;
};

struct ReadObject {
  json::Draft object;  // unknown fields gone, everything else as written
  std::vector<FieldProblem> problems;
};

// `text` must be well-formed, as json::go_check() has it. The error is the decoder's sentence:
// "json: cannot unmarshal number into Go struct field …".
Result<ReadObject> read_object(const Schema& schema, std::string_view text);

}  // namespace fixpoint::kube
