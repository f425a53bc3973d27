// SPDX-License-Identifier: Apache-2.0
//
// The metadata of a custom resource, which its CRD never describes: ObjectMeta as a schema, and
// what passing through Go's ObjectMeta does to the JSON of one.
#pragma once

#include "base/error.h"
#include "json/draft.h"
#include "json/value.h"
#include "kube/schema/schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::kube {

// Lives as long as the program; the structure server-side apply needs (labels and annotations are
// granular maps, finalizers a set, owner references a list keyed by uid).
const Schema* object_meta_schema();
// A plain string, for apiVersion and kind.
const Schema* type_meta_schema();

// What to do with a metadata field of the wrong type: a request is refused, stored data loses it.
enum class BadMeta : std::uint8_t { Refuse, Drop };

struct CoercedMeta {
  json::Draft metadata;
  std::vector<std::string> unknown_fields;  // relative: "foo", "ownerReferences[0].bar"
};

// True only if coerce_object_meta would change nothing: a quick look, which nearly always spares
// the work, since every read of a stored object passes through here.
bool is_coerced_object_meta(json::View metadata);

// The error is in the words of Go's decoder.
Result<CoercedMeta> coerce_object_meta(json::View metadata, BadMeta bad);

}  // namespace fixpoint::kube
