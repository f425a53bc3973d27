// SPDX-License-Identifier: Apache-2.0
//
// Compare: where two servers' answers to one sequence differ.
#pragma once

#include "json/diff.h"
#include "tests/conformance/normal.h"

#include <optional>
#include <string>
#include <vector>

namespace fixpoint::conformance {

struct Difference {
  std::size_t step = 0;               // an index into steps, or past them: into watches
  std::string what;                   // "POST /api/v1/…", for people
  std::vector<json::Change> changes;  // from the real server's answer to ours
  // Equal for differences that have the same cause, most likely.
  std::string signature;
};

// The first step that differs; later ones may follow from it.
std::optional<Difference> compare(const Sequence& sequence, const Normal& real, const Normal& ours);

}  // namespace fixpoint::conformance
