// SPDX-License-Identifier: Apache-2.0
//
// Correlation: a place in the new object and the same place in the old one.
//
// Fields correlate by name, items of lists of type map by their keys, and nothing else does: an
// item of an atomic or set list, or a field no schema speaks of, is always new.
#pragma once

#include "json/value.h"
#include "kube/schema/schema.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace fixpoint::kube {

struct Correlation {
  json::View now;
  json::View old;
  const Schema* schema;

  std::optional<Correlation> member(std::string_view name) const;
  std::optional<Correlation> item(std::size_t index) const;
  // Equal as far as correlation can see: order does not count in lists of type map, and an object
  // with a field no schema speaks of equals nothing.
  bool unchanged() const;
};

}  // namespace fixpoint::kube
