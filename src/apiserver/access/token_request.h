// SPDX-License-Identifier: Apache-2.0
//
// TokenRequest: serviceaccounts/token. What a caller asks of a token becomes its claims; what it is
// to be bound to must exist now, under the uid the caller knows it by.
#pragma once

#include "apiserver/access/tokens.h"
#include "apiserver/write/write.h"

namespace fixpoint::apiserver {

// The answered TokenRequest. `body` is the decoded request, `account` the account as stored.
kube::Answer<json::Value> issue_token(const WriteCall& call, json::View body, json::View account,
                                      const Tokens* tokens);

}  // namespace fixpoint::apiserver
