// SPDX-License-Identifier: Apache-2.0
//
// Which collections a sequence writes to: their events are part of what it shows.
#pragma once

#include "tests/conformance/step.h"

#include <string>
#include <vector>

namespace fixpoint::conformance {

// Symbolic paths with a query where only one object of a shared collection is meant; few.
std::vector<std::string> touched_collections(const Sequence& sequence);

// A path taken apart: "/apis/apps/v1/namespaces/<<ns>>/deployments/a/scale".
struct PathParts {
  std::string_view root;  // "/apis/apps/v1"
  bool namespaced = false;
  std::string_view resource;
  std::string_view name;
  std::string_view subresource;
};
PathParts parts_of(std::string_view path);

}  // namespace fixpoint::conformance
