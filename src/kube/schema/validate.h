// SPDX-License-Identifier: Apache-2.0
//
// Validation of custom resources against their schema, in the words of a real kube-apiserver.
//
// A keyword's error names the path twice, once as the field and once in the library's sentence:
//   spec.port: Invalid value: "string": spec.port in body must be of type integer: "string"
// Ratcheting: on update, what was wrong before and did not change is let through.
// Read next: validate_keywords.h for one value, validate_ratchet.h for what counts as unchanged.
#pragma once

#include "json/value.h"
#include "kube/crd/schema.h"
#include "kube/errors/field_error.h"
#include "kube/schema/schema.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::kube {

// A value and, on update, what it was.
struct Change {
  json::View now;
  std::optional<json::View> old;
};

// Every keyword of the schema. `base` stands in front of the fields ("status", "spec…default"), but
// not in the sentences; empty for whole resources.
FieldErrors validate_keywords(const Change& change, const Schema& schema, std::string_view base);

// apiVersion, kind and metadata of embedded resources.
FieldErrors validate_embedded(json::View value, const Schema& schema, const FieldPath& path);
// The same where the value itself is a resource whether or not its schema says so.
FieldErrors validate_as_resource(json::View value, const Schema& schema, const FieldPath& path);

// Lists of type set and map have no equal elements or keys.
FieldErrors validate_list_types(json::View value, const Schema& schema, const FieldPath& path);

// Where `kubectl scale` reads and writes; empty paths when a CRD version has no scale subresource.
struct ScalePaths {
  std::string spec_replicas;
  std::string status_replicas;
  std::string label_selector;
};

// After these errors no rule is evaluated: it might look at something that is not there.
bool blocks_rules(const FieldErrors& errors);

// All of the above for one resource, in the server's order. What its rules say comes after it. Type
// and metadata of the resource itself are the server's to check, before this: `errors` is what was
// wrong with its metadata, and comes first.
FieldErrors validate_custom_resource(const Change& resource, const CompiledSchema& schema,
                                     const std::optional<ScalePaths>& scale,
                                     FieldErrors errors = {});
// What a write through /status checks.
FieldErrors validate_custom_resource_status(const Change& resource, const CompiledSchema& schema,
                                            const std::optional<ScalePaths>& scale,
                                            FieldErrors errors = {});

}  // namespace fixpoint::kube
