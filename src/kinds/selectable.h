// SPDX-License-Identifier: Apache-2.0
//
// The fields that a field selector may name, per kind, besides metadata.name and
// metadata.namespace.
#pragma once

#include "kinds/kind.h"

namespace fixpoint::kinds {

void attach_selectable_fields(Kind& kind);

}  // namespace fixpoint::kinds
