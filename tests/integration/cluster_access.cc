// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/cluster_access.h"

#include "base/base64.h"
#include "base/file.h"
#include "client/config/url.h"
#include "json/parsing/parse.h"
#include "json/yaml/yaml.h"

#include <utility>

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

Result<net::TlsContextRef> tls_for(const std::string& authority_pem, net::HttpVersions versions) {
  return net::make_client_tls({.ca_pem = authority_pem,
                               .certificate_pem = {},
                               .private_key_pem = {},
                               .check = net::PeerCheck::Verify,
                               .versions = versions});
}

}  // namespace

Result<ClusterAccess> access_of(const std::filesystem::path& kubeconfig) {
  FP_TRY(text, read_file(kubeconfig));
  FP_TRY(config, json::parse_yaml(text));
  const auto cluster = config.get("clusters")[0].get("cluster");
  const auto url = client::parse_url(std::string{cluster.get("server").as_string()});
  if (!url) return fail(ErrorKind::Invalid, kubeconfig.string() + " names no server");
  FP_TRY(pem, base64_decode(cluster.get("certificate-authority-data").as_string()));
  ClusterAccess access;
  access.host = url->host;
  access.port = url->port.value_or(443);
  access.token = config.get("users")[0].get("user", "token").as_string();
  access.authority_pem = std::move(pem);
  FP_TRY(tls, tls_for(access.authority_pem, net::HttpVersions::Any));
  access.tls = std::move(tls);
  access.kubeconfig = kubeconfig;
  return access;
}

net::ClientOptions ClusterAccess::client(net::HttpVersions versions) const {
  net::ClientOptions options;
  options.host = host;
  options.port = port;
  options.tls = tls;
  if (versions != net::HttpVersions::Any) {
    auto other = tls_for(authority_pem, versions);
    FP_CHECK(other.has_value());
    options.tls = *std::move(other);
  }
  return options;
}

Result<net::Response> ClusterAccess::request(std::string method, std::string target,
                                             std::string body, net::Headers headers) const {
  net::ClientRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.headers = std::move(headers);
  request.body = std::move(body);
  if (!request.headers.contains("authorization")) {
    request.headers.add("authorization", "Bearer " + token);
  }
  if (!request.body.empty() && !request.headers.contains("content-type")) {
    request.headers.add("content-type", "application/json");
  }
  return net::blocking_request(client(), std::move(request));
}

net::Response ClusterAccess::call(std::string method, std::string target, std::string body) const {
  net::Headers headers;
  if (method == "PATCH") headers.add("content-type", "application/merge-patch+json");
  auto answer = request(std::move(method), std::move(target), std::move(body), headers);
  EXPECT_TRUE(answer.has_value()) << (answer ? "" : answer.error().message);
  return answer ? *std::move(answer) : net::Response{};
}

json::Value ClusterAccess::get(std::string target) const {
  auto parsed = json::parse(call("GET", std::move(target)).body);
  return parsed ? *std::move(parsed) : json::Value{};
}

}  // namespace fixpoint
