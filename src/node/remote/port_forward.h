// SPDX-License-Identifier: Apache-2.0
//
// `kubectl port-forward`: TCP connections to a pod, any number on one connection of the client's.
//
// Two SPDY streams for each: the data, and one for what goes wrong. The SPDY is spoken directly or
// inside a WebSocket. A session keeps itself until the client leaves. Clients that only know the
// channels of a WebSocket are served as port_channels.h says.
#pragma once

#include "net/loop.h"
#include "node/remote/channels.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::node {

struct ForwardCall {
  StreamAsk ask;
  std::string pod;  // NAME_NAMESPACE, for messages
  std::string uid;
  std::string address;
  // As the request has them; only clients that speak no SPDY say them there.
  std::vector<std::uint16_t> ports;
};

void serve_port_forward(net::Loop& loop, ForwardCall call);

}  // namespace fixpoint::node
