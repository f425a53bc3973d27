// SPDX-License-Identifier: Apache-2.0
//
// Whether an object already is what somebody wants of it, field by field.
//
// Everything stated must be there; what others and defaults added does not count. Lists of built-in
// kinds that merge by key or value are compared so, as server-side apply would; lists without a
// known schema place by place. "No" may be wrong ("0.5" was stored as "500m" in a custom resource):
// then an apply that changes nothing finds out. "Yes" is never wrong.
#pragma once

#include "base/hash.h"
#include "json/value.h"
#include "kube/meta/gvk.h"

namespace fixpoint::runtime {

bool contains_desired(const kube::GroupVersionKind& kind, json::View live, json::View desired);

// What the object says at the places where `desired` says something; lists count as a whole. While
// it stays the same, nobody has touched what our write left there, whatever else changed.
Hash128 echo_of(json::View live, json::View desired);

}  // namespace fixpoint::runtime
