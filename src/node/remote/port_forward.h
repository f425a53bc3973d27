// SPDX-License-Identifier: Apache-2.0
//
// `kubectl port-forward`: TCP connections to a pod, any number on one connection of the client's.
//
// Two SPDY streams for each: the data, and one for what goes wrong. The SPDY is spoken directly or
// inside a WebSocket. A session keeps itself until the client leaves.
#pragma once

#include "net/loop.h"
#include "node/remote/channels.h"

#include <string>

namespace fixpoint::node {

struct ForwardCall {
  StreamAsk ask;
  std::string pod;  // NAME_NAMESPACE, for messages
  std::string uid;
  std::string address;
};

void serve_port_forward(net::Loop& loop, ForwardCall call);

}  // namespace fixpoint::node
