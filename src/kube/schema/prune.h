// SPDX-License-Identifier: Apache-2.0
//
// Pruning: a custom resource keeps only the fields its schema names.
//
// x-kubernetes-preserve-unknown-fields stops it for one level, nodes specified below are pruned
// again. apiVersion, kind and metadata of a resource (the root, or an embedded one) always stay.
#pragma once

#include "json/value.h"
#include "kube/schema/schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::kube {

// Whether the value is a whole resource, with apiVersion, kind and metadata implied, or a field.
enum class Place : std::uint8_t { Field, Resource };

struct Pruned {
  json::Value value;
  // What was removed, sorted: `spec.foo`, `spec.parts[0].bar`, as strict validation names them.
  std::vector<std::string> unknown_fields;
};

// Gives back the very same Value when there was nothing to remove.
Pruned prune(const json::Value& value, const Schema& schema, Place place);

// Drops nulls from fields that are neither nullable nor defaulted; Kubernetes does so after
// pruning, so that `field: null` reads as "not given".
json::Value drop_nulls(const json::Value& value, const Schema& schema);

}  // namespace fixpoint::kube
