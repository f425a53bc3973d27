// SPDX-License-Identifier: Apache-2.0
//
// The kinds that server-side apply is tried on: pieces of configurations that managers put
// together, one kind with every sort of list and map, and of the built-in kinds those with most of
// their own.
#pragma once

#include <string_view>
#include <vector>

namespace fixpoint::conformance {

// Configurations are merged from fragments, each a JSON text of members below the top; `fixed` is
// always in.
struct ApplySubject {
  std::string_view resource;
  std::string_view fixed;
  std::vector<std::string_view> fragments;
  std::vector<std::string_view> bad;      // one error each
  std::vector<std::string_view> changes;  // merge patches by others
  bool scale = false;
};

// The second of them is the kind that was made for it.
const std::vector<ApplySubject>& apply_subjects();

}  // namespace fixpoint::conformance
