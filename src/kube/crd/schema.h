// SPDX-License-Identifier: Apache-2.0
//
// A CRD version's openAPIV3Schema, compiled once into the nodes that every write then walks.
//
// `declared` is what the CRD says: kube/schema/prune.h, kube/schema/default.h and
// kube/schema/validate.h follow it. `typed` adds what it leaves implied, apiVersion, kind and
// metadata at the root and in embedded resources: server-side apply needs those. Both share every
// subtree that holds no embedded resource.
#pragma once

#include "base/error.h"
#include "base/ref.h"
#include "json/value.h"
#include "kube/schema/schema.h"

#include <cstddef>
#include <cstdint>

namespace fixpoint::kube {

// Nesting of one schema. Deeper than any real CRD; everything that recurses does so along schemas.
inline constexpr std::size_t kSchemaDepthMax = 256;

// Whether the JSON of a schema nests deeper than any schema within that bound: to be asked before
// anything else recurses into it.
bool nests_too_deep(json::View schema);

struct CompiledSchema {
  Ref<SchemaArena> arena;
  const Schema* declared = nullptr;
  const Schema* typed = nullptr;
  bool has_cel_rules = false;  // somewhere in the tree
};

// What x-kubernetes-int-or-string stands for. Kubernetes holds values to it, but not the defaults
// in a CRD.
enum class IntOrStringRule : std::uint8_t { IsAType, SaysNothing };

// Keywords that Kubernetes refuses ($ref, patternProperties, …) are refused here too;
// validate.h says so in Kubernetes' words and comes first. A null schema compiles to an empty
// object.
Result<CompiledSchema> compile_schema(json::View open_api_v3_schema,
                                      IntOrStringRule int_or_string = IntOrStringRule::IsAType);

// The schema of a kind whose CRD keeps whatever it is given: spec.preserveUnknownFields of old.
CompiledSchema schemaless();
// That of an object with nothing but its type and metadata.
CompiledSchema fieldless();

}  // namespace fixpoint::kube
