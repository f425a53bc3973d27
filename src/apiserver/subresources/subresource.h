// SPDX-License-Identifier: Apache-2.0
//
// The subresources that are neither status nor scale: pods/binding, pods/eviction,
// serviceaccounts/token and namespaces/finalize.
#pragma once

#include "apiserver/access/tokens.h"
#include "apiserver/write/write.h"

namespace fixpoint::apiserver {

// `tokens` may be null: then no token is issued.
Response handle_other_subresource(WriteCall call, const Tokens* tokens);

}  // namespace fixpoint::apiserver
