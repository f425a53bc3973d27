// SPDX-License-Identifier: Apache-2.0
//
// What is asked of the server, for telling two requests apart: everything that its answer may
// depend on (digest.h). How long the sender would wait is not.
#pragma once

#include "client/call.h"
#include "client/collection.h"
#include "verify/world/digest.h"

namespace fixpoint::verify::world {

Digest digest_of(const client::Call& call);
Digest digest_of(const client::ListCall& call);

}  // namespace fixpoint::verify::world
