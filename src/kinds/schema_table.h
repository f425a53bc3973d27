// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the built-in types, made from the generated tables on first use.
//
// All share one arena: PodSpec is one node however many kinds embed it. A call makes everything the
// type reaches before it returns, under one lock, so what it hands out is complete and never
// changes.
#pragma once

#include "kube/meta/gvk.h"
#include "kube/schema/schema.h"

#include <string_view>

namespace fixpoint::kinds {

// "core.v1.Pod"; FP_CHECKs that the tables have it.
const kube::Schema* schema_of(std::string_view type);

// The schema of a kind or of a subresource's body; nullptr when the tables have none. DeleteOptions
// is the same in every group version.
const kube::Schema* find_schema(const kube::GroupVersionKind& kind);

// Nodes made so far, for tests and memory accounting.
std::size_t schema_nodes();

}  // namespace fixpoint::kinds
