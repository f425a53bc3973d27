// SPDX-License-Identifier: Apache-2.0
//
// Whether certificates, keys and requests are what they say, in the words of Go's crypto/tls and
// crypto/x509, which a real server passes on to its clients.
#pragma once

#include <string>
#include <string_view>

namespace fixpoint::net {

// Why the first certificate of one PEM and the key of the other are no pair; empty: they are.
std::string key_pair_problem(std::string_view certificate_pem, std::string_view key_pem);

// Why this PEM is no request for a certificate, signed by its own key; empty: it is one.
std::string signing_request_problem(std::string_view pem);

}  // namespace fixpoint::net
