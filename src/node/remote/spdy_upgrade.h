// SPDX-License-Identifier: Apache-2.0
//
// How a request becomes a SPDY connection: the protocol is agreed upon in headers of its own.
#pragma once

#include "net/spdy.h"
#include "node/remote/channels.h"

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fixpoint::node {

// Within which a client opens the streams it needs; as kubelets have it.
inline constexpr Duration kStreamCreationTime = std::chrono::seconds(30);

// The first of the client's protocols that is among ours; empty when there is none, and the client
// was told.
std::string choose_spdy_protocol(const StreamAsk& ask, std::span<const std::string_view> ours);
// Null when it cannot be, and the client was told.
std::shared_ptr<net::SpdySession> upgrade_to_spdy(const StreamAsk& ask, std::string_view protocol,
                                                  net::SpdySession::Handlers handlers);

}  // namespace fixpoint::node
