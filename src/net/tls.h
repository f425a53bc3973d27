// SPDX-License-Identifier: Apache-2.0
//
// TLS settings, made once from PEM text and shared by every connection that uses them.
//
// TLS 1.2 or newer. A server asks for a client certificate but does not insist: one that verifies
// becomes the Peer's identity, one that does not becomes the Peer's problem, and the API server
// answers 401 to that, as Kubernetes does, instead of breaking the handshake.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <memory>
#include <string>

namespace fixpoint::net {

class TlsContext;  // immutable
using TlsContextRef = std::shared_ptr<const TlsContext>;

struct ServerTls {
  std::string certificate_pem;  // the leaf first, then its chain
  std::string private_key_pem;
  std::string client_ca_pem;  // empty: client certificates are not asked for
};
// Offers h2 and http/1.1.
Result<TlsContextRef> make_server_tls(const ServerTls& settings);

enum class PeerCheck : std::uint8_t {
  Verify,             // chain to a trusted CA and match the host name
  InsecureSkipVerify  // the user said so explicitly
};
enum class HttpVersions : std::uint8_t { Any, OnlyHttp1, OnlyHttp2 };

struct ClientTls {
  std::string ca_pem;           // empty: the machine's own authorities
  std::string certificate_pem;  // empty: no client certificate
  std::string private_key_pem;
  PeerCheck check = PeerCheck::Verify;
  HttpVersions versions = HttpVersions::Any;
};
Result<TlsContextRef> make_client_tls(const ClientTls& settings);

}  // namespace fixpoint::net
