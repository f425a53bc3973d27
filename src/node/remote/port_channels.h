// SPDX-License-Identifier: Apache-2.0
//
// Port forwarding as clients in most languages have it: over the channels of a WebSocket.
//
// The ports are said beforehand; each is one connection with two channels, 2n for its bytes and
// 2n + 1 for what went wrong, and both begin with the port in two bytes, the low one first. Neither
// side can end a direction alone; once all connections are over the server closes. A session keeps
// itself until then, or until the client leaves. kubectl's own way is in port_forward.h.
#pragma once

#include "net/loop.h"
#include "node/remote/port_forward.h"

namespace fixpoint::node {

void serve_port_channels(net::Loop& loop, ForwardCall call);

}  // namespace fixpoint::node
