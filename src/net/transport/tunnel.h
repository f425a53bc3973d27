// SPDX-License-Identifier: Apache-2.0
//
// Tunnel: the talk with a proxy before the talk with the server, without any I/O.
//
// The proxy is asked for a connection to the target and then forwards bytes as they are; TLS is
// spoken with the target, so the proxy sees neither requests nor credentials for it.
#pragma once

#include "base/error.h"
#include "net/client.h"
#include "net/transport/socket.h"

#include <memory>
#include <string>
#include <string_view>

namespace fixpoint::net {

class Tunnel {
 public:
  virtual ~Tunnel() = default;
  virtual std::string greeting() = 0;
  // True once the way is free. What the proxy must be told next is appended to `to_proxy`.
  virtual Result<bool> received(std::string_view bytes, std::string& to_proxy) = 0;
};

std::unique_ptr<Tunnel> make_tunnel(const Proxy& proxy, const Endpoint& target);

}  // namespace fixpoint::net
