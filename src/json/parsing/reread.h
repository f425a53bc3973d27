// SPDX-License-Identifier: Apache-2.0
//
// Reread: a tree as it is after it was printed and parsed again.
//
// Only one thing changes on that way: a float without a fraction prints like an integer, and is one
// from then on. Kubernetes stores custom resources as text, so 1.0 is 1 to the next reader.
#pragma once

#include "json/value.h"

namespace fixpoint::json {

// Gives back the very same Value when nothing changes.
Value reread(const Value& value);

}  // namespace fixpoint::json
