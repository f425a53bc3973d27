// SPDX-License-Identifier: Apache-2.0
//
// What decoding does to a custom resource, on its way in and out of the store: unknown fields are
// pruned, nulls that mean nothing go, and metadata passes through Go's ObjectMeta.
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "kube/crd_meta.h"
#include "kube/crd_schema.h"

#include <string>
#include <vector>

namespace fixpoint::kube {

struct CoercedResource {
  json::Value value;
  // For strict and warning field validation: metadata's first, then the rest sorted.
  std::vector<std::string> unknown_fields;
};

// The error is in the words of Go's decoder. Defaults are not set here; see default.h.
Result<CoercedResource> coerce_resource(const json::Value& object, const CompiledSchema& schema,
                                        BadMeta bad);

}  // namespace fixpoint::kube
