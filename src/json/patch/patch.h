// SPDX-License-Identifier: Apache-2.0
//
// JSON patch (RFC 6902) with the meaning Kubernetes gives it, which is not quite the RFC's:
// `replace` of an absent member adds it, `copy` of one adds null, an absent member passes a `test`
// for null, indexes may be negative (from the end), replacing the whole document by a scalar does
// nothing, and what stands before a path's first slash is not looked at.
//
// Errors by kind: Invalid, the patch cannot be decoded, in Go's words (the API answers 400);
// Exhausted, too many operations or too much work (413); NotFound, it does not apply to this
// document: a failed test, a missing path, an unknown op (422).
#pragma once

#include "base/error.h"
#include "json/value.h"

#include <cstddef>
#include <string>
#include <vector>

namespace fixpoint::json {

// Kubernetes' own limits, which bound the result: target + patch + copies.
inline constexpr std::size_t kPatchOperationsMax = 10'000;
inline constexpr std::size_t kPatchCopyBytesMax = std::size_t{3} << 20U;
// Ours: values that operations push aside in a container or look through in what they add or move.
// Half a second of work; a patch comes here only if hundreds of its operations each move as much
// as the largest object can hold.
inline constexpr std::size_t kPatchWorkMax = 50'000'000;

// The document with all operations applied in order, or none. An untouched one is `target` itself.
Result<Value> apply_patch(const Value& target, View patch);

// Whether the patch decodes: an array of objects whose op, path and from are strings. apply_patch
// asks this first.
Result<void> check_patch(View patch);

// Members of operations that mean nothing, as strict decoding names them: `[0].vlaue`.
std::vector<std::string> unknown_patch_fields(View patch);

}  // namespace fixpoint::json
