// SPDX-License-Identifier: Apache-2.0
//
// Issuer: what others need to verify the tokens of this cluster's service accounts by themselves.
#pragma once

#include "json/value.h"
#include "net/crypto.h"

#include <string>

namespace fixpoint::front {

// The key's name in a token's header: a digest of the key, so that whoever knows several can pick.
std::string key_id(const net::SigningKey& key);
// RFC 7517: /openid/v1/jwks.
json::Value key_set(const net::SigningKey& key);
// OpenID Connect discovery: /.well-known/openid-configuration of a server at "host:port".
json::Value issuer_configuration(const std::string& address);

}  // namespace fixpoint::front
