// SPDX-License-Identifier: Apache-2.0
//
// A certificate authority in process: P-256 keys and X.509 certificates as PEM text, so that a
// server can start without files, tools or anybody's help. Writing files is the caller's.
#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::net {

struct KeyPair {
  std::string certificate_pem;
  std::string private_key_pem;
};

struct AuthorityRequest {
  std::string common_name;
  Instant not_before{};
  Instant not_after{};
};
Result<KeyPair> make_certificate_authority(const AuthorityRequest& request);

enum class CertificateUse : std::uint8_t { Server, Client, Both };

struct CertificateRequest {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  Instant not_before{};
  Instant not_after{};
  CertificateUse use = CertificateUse::Server;
};
// Invalid when a name is empty or too long, an address is none, or the authority's PEM is unusable.
Result<KeyPair> issue_certificate(const KeyPair& authority, const CertificateRequest& request);

// A certificate for a client that keeps its key to itself and sends a request (PEM) signed with it.
struct ClientOrder {
  std::string request_pem;
  // What the key may be used for besides; the rest is for it to be a client's.
  bool digital_signature = false;
  bool key_encipherment = false;
  Instant not_before{};
  Instant not_after{};  // or the authority's own end, whichever comes first
};
// PEM: the request's subject, key and alternative names. Invalid when the request does not parse or
// its key did not sign it, or nothing would be left of the time.
Result<std::string> sign_client_request(const KeyPair& authority, const ClientOrder& order);

// When the first certificate in the text ends; callers renew before it.
Result<Instant> certificate_expiry(const std::string& certificate_pem);

}  // namespace fixpoint::net
