// SPDX-License-Identifier: Apache-2.0
//
// Reviews: questions asked by POST and never stored. Who am I, may I, may they, whose token is
// this.
#pragma once

#include "apiserver/access/tokens.h"
#include "apiserver/write/write.h"

namespace fixpoint::apiserver {

// True for the kinds of authentication.k8s.io and authorization.k8s.io.
bool is_review(const Resource& resource);

// `tokens` may be null: then no token is valid.
Response review(WriteCall call, const Tokens* tokens);

}  // namespace fixpoint::apiserver
