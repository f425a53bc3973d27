// SPDX-License-Identifier: Apache-2.0
//
// The ways to write a part of a built-in object: pods/resize, namespaces/finalize and the like.
// Each prepares and validates in its own way, where a write of the whole object would not.
// hooks.h has those of whole objects.
#pragma once

#include "kinds/kind.h"

#include <string_view>

namespace fixpoint::kinds {

struct PartHooks {
  // Puts back what such a write may not change.
  void (*prepare)(json::Draft& object, json::View old_object, const HookContext& context) = nullptr;
  // Null: as the row of the kind says.
  kube::FieldErrors (*validate_update)(json::View object, json::View old_object) = nullptr;
};

// Null where a subresource is not such a way.
const PartHooks* part_hooks(const Kind& kind, std::string_view subresource);

}  // namespace fixpoint::kinds
