// SPDX-License-Identifier: Apache-2.0
//
// The subresources that are neither status nor scale: pods/binding, pods/eviction,
// serviceaccounts/token, namespaces/finalize, certificatesigningrequests/approval, …
#pragma once

#include "apiserver/write.h"

namespace fixpoint::apiserver {

Response handle_other_subresource(const WriteCall& call);

}  // namespace fixpoint::apiserver
