// SPDX-License-Identifier: Apache-2.0
//
// What a node is asked about its pods by HTTP: log, exec, attach, port-forward. An API server
// beside it and its own server, which a real API server asks, come here.
#pragma once

#include "apiserver/request.h"
#include "base/error.h"
#include "json/value.h"
#include "net/loop.h"
#include "node/remote/channels.h"
#include "node/streams.h"

#include <string>

namespace fixpoint::node {

struct PodRequest {
  json::Value pod;
  std::string container;  // empty: the pod's first
  apiserver::Query query;
  StreamAsk ask;
};

// The error is for the client, in a kubelet's words; nothing was answered then.
Result<void> serve_log(net::Loop& loop, Streams& streams, const PodRequest& request);
// Whatever becomes of these is answered.
void serve_exec(net::Loop& loop, Streams& streams, const PodRequest& request);
void serve_attach(net::Loop& loop, Streams& streams, const PodRequest& request);
void serve_port_forward(net::Loop& loop, Streams& streams, const PodRequest& request);

}  // namespace fixpoint::node
