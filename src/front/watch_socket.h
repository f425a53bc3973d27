// SPDX-License-Identifier: Apache-2.0
//
// A watch over a WebSocket, as some clients want it (those for the JVM do): each event is a text
// message, the line that would have been written, with its end. The client says nothing, and no
// more headers than the handshake's are sent.
#pragma once

#include "base/error.h"
#include "net/loop.h"
#include "net/server.h"

#include <memory>

namespace fixpoint::front {

// What a request lacks to become one: the status to refuse it with, 0 if nothing. A browser's page
// says where it is from, and so has everybody to: that is how a real server knows pages apart.
int refusal_of_socket(const net::Headers& request);

// Leaves HTTP, and returns what lines are written to as to any answer. Nothing was answered if that
// failed; the error is for the client.
Result<std::shared_ptr<net::Exchange>> open_watch_socket(net::Loop& loop,
                                                         const net::Headers& request,
                                                         net::Exchange& exchange);

}  // namespace fixpoint::front
