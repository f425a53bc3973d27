// SPDX-License-Identifier: Apache-2.0
//
// The rules on metadata that hold for every kind, built-in and custom.
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"
#include "kube/meta/names.h"

#include <cstdint>
#include <string_view>

namespace fixpoint::kube {

// All annotations of an object together, keys and values.
inline constexpr std::size_t kAnnotationBytesMax = std::size_t{256} << 10U;

enum class Scope : std::uint8_t { Namespaced, Cluster };

// `path` is where the metadata lies: "metadata" for a whole object, spec.template.metadata for an
// embedded one (which has its own, smaller rules: see kinds/validate_pod_template).
FieldErrors validate_object_meta(json::View object, NameCheck name_check, Scope scope,
                                 const FieldPath& path);
FieldErrors validate_object_meta_update(json::View object, json::View old_object,
                                        const FieldPath& path);

// The pieces, for objects inside objects.
FieldErrors validate_labels(json::View labels, const FieldPath& path);
FieldErrors validate_annotations(json::View annotations, const FieldPath& path);
FieldErrors validate_finalizers(json::View finalizers, const FieldPath& path);
FieldErrors validate_owner_references(json::View references, const FieldPath& path);
FieldErrors validate_managed_fields(json::View managed_fields, const FieldPath& path);
FieldErrors validate_conditions(json::View conditions, const FieldPath& path);
// Of a query parameter or a managedFields entry.
FieldErrors validate_field_manager(std::string_view manager, const FieldPath& path);
// "field is immutable" when the two differ.
FieldErrors validate_immutable(json::View value, json::View old_value, const FieldPath& path);

// One Invalid error per message of `check`.
void note_problems(const FieldPath& path, std::string_view value,
                   Messages (*check)(std::string_view), FieldErrors& errors);
void append(FieldErrors& errors, FieldErrors more);

}  // namespace fixpoint::kube
