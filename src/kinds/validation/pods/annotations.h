// SPDX-License-Identifier: Apache-2.0
//
// Annotations by which pods were told things before there were fields for them, and the one that
// says what it costs to end a pod.
#pragma once

#include "json/draft.h"
#include "kinds/validation/fields.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::kinds {

// What a profile of the node's own begins with; its file follows.
inline constexpr std::string_view kLocalProfile = "localhost/";

// Of a pod or a template; `path` is that of the annotations. A wrong cost may stay that was in
// `old_annotations`.
void validate_pod_annotations(View annotations, View old_annotations, View spec,
                              const FieldPath& path, FieldErrors& errors);
// Whether they agree with the fields that came after them; `path` is that of the spec.
void match_pod_annotations(View annotations, View spec, const FieldPath& path, FieldErrors& errors);
// The key and the field that an old annotation about a container stands for; none if it stands for
// nothing.
std::string app_armor_annotation(std::string_view container);
std::optional<json::Draft> app_armor_field(std::string_view annotation);
// What may not change in those of a pod.
void validate_pod_annotations_update(View annotations, View old_annotations, const FieldPath& path,
                                     FieldErrors& errors);

}  // namespace fixpoint::kinds
