// SPDX-License-Identifier: Apache-2.0
//
// Is this openAPIV3Schema one that Kubernetes takes: structural, without the keywords it refuses,
// its list and map types consistent, its defaults valid and pruned?
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"
#include "kube/schema/schema.h"

#include <optional>
#include <string>

namespace fixpoint::kube {

// The rules of a schema, checked by a layer that knows their language: what is wrong with them,
// given what is wrong with the schema otherwise. `path` is where the schema lies.
using RuleCheck = FieldErrors (*)(json::View schema, const FieldErrors& schema_errors,
                                  const FieldPath& path);

// What is asked of a schema. All of it on create; on update not what the old CRD already broke.
struct SchemaRules {
  bool structural = true;
  bool valid_types = true;
  bool pruned_defaults = true;
  bool atomic_set_items = true;
  bool list_map_keys = true;  // required or defaulted, and not nullable
  RuleCheck rule_check = nullptr;
};

// `schema` is the openAPIV3Schema itself, `path` where it lies.
FieldErrors validate_schema(json::View schema, const SchemaRules& rules, const FieldPath& path);

// The pieces.
// Why no structural schema can be made of it at all, e.g. "OpenAPIV3Schema '$ref' is not
// supported".
std::optional<std::string> not_convertible(json::View schema);
FieldErrors validate_structural(json::View schema, const FieldPath& path);  // sorted by text
FieldErrors validate_defaults(json::View schema, bool must_be_pruned, const FieldPath& path);
// set and map items and keys: see SchemaRules::list_map_keys.
FieldErrors validate_list_keys(json::View list, const FieldPath& path);
bool has_loose_set_items(json::View list);
// What the schema says under `type`; empty when it says nothing.
std::string_view declared_type(json::View schema);
bool valid_type_name(std::string_view type);

// Whether `.spec.a['b']` leads somewhere in the schema; the error is Kubernetes' text. `found` is
// what it leads to.
struct SchemaStep {
  json::View found;
  std::string error;
  std::string normal;  // spec.a[b]
};
enum class Brackets : std::uint8_t { Allowed, Refused };
SchemaStep follow_path(json::View schema, std::string_view json_path, Brackets brackets);

}  // namespace fixpoint::kube
