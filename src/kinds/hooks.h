// SPDX-License-Identifier: Apache-2.0
//
// The hooks of the built-in kinds, one table row per kind: who sets defaults, who validates.
//
// What the hooks expect: the object went through typed decoding (kube/typed/typed.h), so types are
// right and zero values are absent. What they leave to the server: validate_object_meta and its
// update form run first, status is reset and generation kept by the row's traits, addresses and
// node ports are allocated between prepare and validate. The functions live in defaults_*.cc,
// prepare_*.cc and validate_*.cc, by API group.
#pragma once

#include "kinds/kind.h"

namespace fixpoint::kinds {

// Fills in the hooks of a row from its group, version and kind; leaves those that a kind does not
// have as they are.
void attach_hooks(Kind& kind);

}  // namespace fixpoint::kinds
