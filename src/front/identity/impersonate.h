// SPDX-License-Identifier: Apache-2.0
//
// Impersonation: acting as somebody else, by the Impersonate-* headers. Every part of the identity
// asked for (name, groups, uid, each extra) needs a right of its own.
#pragma once

#include "apiserver/request.h"
#include "kube/errors/status.h"
#include "net/http.h"
#include "store/store.h"

namespace fixpoint::front {

// Whom the request is made as: the sender, or whoever they ask and may act as. The error is a 403,
// or the 500 of headers that ask for everything but a user.
kube::Answer<apiserver::User> acting_user(const net::Request& request, apiserver::User sender,
                                          const store::Snapshot& snapshot);

}  // namespace fixpoint::front
