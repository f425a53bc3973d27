// SPDX-License-Identifier: Apache-2.0
//
// Our clients and a real server: the session that tests/integration/client_test.cc has with ours
// tells the same line by line.
#include "client/http_client.h"
#include "net/loop.h"
#include "tests/conformance/real_cluster.h"
#include "tests/integration/client_session.h"

#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

std::unique_ptr<client::HttpClient> connect(net::Loop& loop, const Endpoint& endpoint,
                                            net::HttpVersions versions) {
  client::HttpClientOptions options;
  options.server = {.host = endpoint.host, .port = endpoint.port};
  client::Access access;
  access.authorization = "Bearer " + endpoint.token;
  access.tls = *net::make_client_tls({.ca_pem = endpoint.authority_pem, .versions = versions});
  options.access = std::make_unique<client::FixedAccess>(std::move(access));
  return std::make_unique<client::HttpClient>(loop, std::move(options));
}

TEST(Clients, TellTheSameOfARealServer) {
  auto cluster = RealCluster::start("none");
  ASSERT_TRUE(cluster.has_value()) << cluster.error().message;

  const auto local = client_session_in_process();
  for (const auto versions : {net::HttpVersions::OnlyHttp2, net::HttpVersions::OnlyHttp1}) {
    net::Loop loop;
    const auto client = connect(loop, (*cluster)->endpoint(), versions);
    const auto real = client_session(*client, [&](const std::function<bool()>& done) {
      return loop.run_until(done, std::chrono::seconds(30));
    });
    EXPECT_EQ(real, local);
  }
}

}  // namespace
}  // namespace fixpoint::conformance
