// SPDX-License-Identifier: Apache-2.0
//
// ClusterAccess: how a test reaches a cluster, ours or a real one, as its administrator.
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "net/client.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace fixpoint {

struct ClusterAccess {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string token;
  std::string authority_pem;
  net::TlsContextRef tls;  // that trusts the authority
  std::filesystem::path kubeconfig;

  net::ClientOptions client(net::HttpVersions versions = net::HttpVersions::Any) const;
  // One request over TLS with the administrator's token, unless the headers say otherwise.
  Result<net::Response> request(std::string method, std::string target, std::string body = {},
                                net::Headers headers = {}) const;
  // The same for a test that fails without an answer, whatever that says; PATCH is a merge patch.
  net::Response call(std::string method, std::string target, std::string body = {}) const;
  // What is there; null when that is no JSON.
  json::Value get(std::string target) const;
};

// From a kubeconfig with a token and the authority's data in it.
Result<ClusterAccess> access_of(const std::filesystem::path& kubeconfig);

}  // namespace fixpoint
