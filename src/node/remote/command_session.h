// SPDX-License-Identifier: Apache-2.0
//
// `kubectl exec`: a command in a container, its streams at the client.
//
// Nobody holds a session: it keeps itself until the command ended and all it wrote was sent, or the
// client left, which ends the command. A client that does not read holds up the command, not the
// node; a command that does not read holds up the client.
#pragma once

#include "net/loop.h"
#include "node/remote/channels.h"
#include "node/streams.h"

#include <string>
#include <vector>

namespace fixpoint::node {

// Of either direction, at which the other side has to wait.
inline constexpr std::size_t kStreamBacklogMax = 256 * 1024;

struct CommandCall {
  StreamAsk ask;
  StreamSet set;
  std::vector<std::string> words;
  ContainerPlace place;
};

void serve_command(net::Loop& loop, CommandCall call);
// Upgrades the connection only to say that there is nothing: for clients that are told inside.
void serve_trouble(net::Loop& loop, const StreamAsk& ask, StreamSet set, std::string why);

}  // namespace fixpoint::node
