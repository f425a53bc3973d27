// SPDX-License-Identifier: Apache-2.0
//
// JSON merge patch (RFC 7386), as Kubernetes applies it: null removes, objects merge, everything
// else replaces. Unlike the RFC, nulls are also dropped from objects inside an array that arrives
// where there was no object before.
#pragma once

#include "json/value.h"

namespace fixpoint::json {

// `target` itself (the same block) if the patch changes nothing.
Value apply_merge_patch(const Value& target, View patch);

// The smallest patch that makes `to` of `from`. Nulls inside objects of `to` cannot be expressed:
// applying the patch leaves them out.
Value make_merge_patch(View from, View to);

}  // namespace fixpoint::json
