// SPDX-License-Identifier: Apache-2.0
//
// TlsContext: what is behind the opaque type of tls.h.
#pragma once

#include "net/tls.h"
#include "net/transport/openssl.h"

#include <cstdint>
#include <utility>

namespace fixpoint::net {

enum class TlsRole : std::uint8_t { Server, Client };

class TlsContext {
 public:
  TlsContext(TlsRole role, SslContextPtr context, PeerCheck check)
      : role_(role), check_(check), context_(std::move(context)) {}

  TlsRole role() const { return role_; }
  PeerCheck check() const { return check_; }
  SSL_CTX* get() const { return context_.get(); }

 private:
  TlsRole role_;
  PeerCheck check_;
  SslContextPtr context_;
};

}  // namespace fixpoint::net
