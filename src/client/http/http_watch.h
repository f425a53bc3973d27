// SPDX-License-Identifier: Apache-2.0
//
// HttpWatch: one watch over HTTP, from its request to its end.
//
// A streaming list that the server refuses is taken apart into pages and a plain watch, so that
// whoever asked sees the same events either way; the client remembers and does not ask again.
#pragma once

#include "client/collection.h"
#include "client/http/requester.h"

#include <memory>

namespace fixpoint::client {

// `streaming_refused` is shared by the watches of one client. The requester must outlive the watch.
std::unique_ptr<Watching> start_watch(const std::shared_ptr<Requester>& requester, WatchCall call,
                                      WatchHandlers handlers,
                                      std::shared_ptr<bool> streaming_refused);

}  // namespace fixpoint::client
