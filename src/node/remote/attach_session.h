// SPDX-License-Identifier: Apache-2.0
//
// `kubectl attach`, and what `kubectl run -i` does: a container's own streams at the client, from
// now on. A session keeps itself until the container ends or the client leaves.
#pragma once

#include "net/loop.h"
#include "node/remote/channels.h"
#include "node/streams.h"

namespace fixpoint::node {

struct AttachCall {
  StreamAsk ask;
  StreamSet set;
  ContainerPlace place;
};

void serve_attached(net::Loop& loop, AttachCall call);

}  // namespace fixpoint::node
