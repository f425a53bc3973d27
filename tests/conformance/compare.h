// SPDX-License-Identifier: Apache-2.0
//
// Compare: where two servers' answers to one sequence differ.
#pragma once

#include "json/patch/diff.h"
#include "tests/conformance/normal.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fixpoint::conformance {

struct Difference {
  std::size_t step = 0;               // an index into steps, or past them: into watches
  std::string what;                   // "POST /api/v1/…", for people
  std::vector<json::Change> changes;  // from the real server's answer to ours
  // Equal for differences that have the same cause, most likely.
  std::string signature;
};

// Places (step, JSON pointer) where a real server answers differently each time it is asked.
using Unstable = std::set<std::pair<std::size_t, std::string>>;

// The first step that differs elsewhere than in `unstable`; later ones may follow from it.
std::optional<Difference> compare(const Sequence& sequence, const Normal& real, const Normal& ours,
                                  const Unstable& unstable = {});

// Adds where two answers of the same server to the same sequence differ.
void add_unstable(const Normal& one, const Normal& other, Unstable& unstable);

}  // namespace fixpoint::conformance
