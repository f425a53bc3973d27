// SPDX-License-Identifier: Apache-2.0
//
// The clients against the shipped server: the same session over HTTP/1.1, over HTTP/2 and in
// process tells the same; and what a client makes of a server that is killed.
#include "client/http_client.h"
#include "client/open_client.h"
#include "net/loop.h"
#include "tests/integration/client_session.h"
#include "tests/integration/running_server.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using namespace std::chrono_literals;

constexpr auto kLimit = 20s;

Wait waiting(net::Loop& loop) {
  return [&loop](const std::function<bool()>& done) { return loop.run_until(done, kLimit); };
}

client::Config config_of(const RunningServer& server) {
  auto config = client::load_config({.kubeconfig = server.kubeconfig().string()},
                                    client::Surroundings::of_process());
  EXPECT_TRUE(config) << config.error().message;
  return *std::move(config);
}

std::unique_ptr<client::HttpClient> connect(net::Loop& loop, const RunningServer& server,
                                            net::HttpVersions versions) {
  client::HttpClientOptions options;
  options.server = {.host = "127.0.0.1", .port = server.port()};
  client::Access access;
  access.authorization = "Bearer " + server.token();
  access.tls = *net::make_client_tls({.ca_pem = server.authority_pem(), .versions = versions});
  options.access = std::make_unique<client::FixedAccess>(std::move(access));
  return std::make_unique<client::HttpClient>(loop, std::move(options));
}

TEST(Clients, TellTheSameHoweverTheyReachTheServer) {
  const ScratchDirectory scratch;
  auto server = RunningServer::start(scratch.path(), {"--ephemeral"});
  ASSERT_TRUE(server) << server.error().message;

  const auto local = client_session_in_process();
  for (const auto versions : {net::HttpVersions::OnlyHttp2, net::HttpVersions::OnlyHttp1}) {
    net::Loop loop;
    const auto client = connect(loop, **server, versions);
    EXPECT_EQ(client_session(*client, waiting(loop)), local);
  }
  EXPECT_GT(std::ranges::count(local, '\n'), 40);
}

TEST(Clients, FindTheServerThroughItsKubeconfig) {
  const ScratchDirectory scratch;
  auto server = RunningServer::start(scratch.path(), {"--ephemeral"});
  ASSERT_TRUE(server) << server.error().message;
  net::Loop loop;
  auto client = client::open_client(loop, config_of(**server));
  ASSERT_TRUE(client) << client.error().message;
  std::optional<client::PageReply> page;

  (*client)->list({.collection = {.resource = {.kind = {"", "v1", "Namespace"},
                                               .plural = "namespaces",
                                               .scope = client::Scope::Cluster}}},
                  [&](client::PageReply got) { page = std::move(got); });

  ASSERT_TRUE(loop.run_until([&] { return page.has_value(); }, kLimit));
  ASSERT_TRUE(*page) << page->error().status.message;
  EXPECT_FALSE((*page)->items.empty());
  EXPECT_EQ((*page)->items[0].get("kind").as_string(), "Namespace");
}

TEST(Clients, NoticeAKilledServer) {
  const ScratchDirectory scratch;
  const std::vector<std::string> flags{"--data-dir", (scratch.path() / "data").string()};
  auto server = RunningServer::start(scratch.path(), flags);
  ASSERT_TRUE(server) << server.error().message;
  net::Loop loop;
  const auto client = connect(loop, **server, net::HttpVersions::Any);
  bool ended = false;
  std::optional<client::CallError> why;
  const auto watching = client->watch(
      {.collection = {.resource = {.kind = {"", "v1", "ConfigMap"}, .plural = "configmaps"}},
       .streaming = client::Streaming::FromEmpty},
      {.on_event = [&](const client::WatchEvent& event) { ended = event.initial_events_end; },
       .on_end =
           [&](std::optional<client::CallError> error) {
             why = std::move(error);
             ended = true;
           }});
  ASSERT_TRUE(loop.run_until([&] { return std::exchange(ended, false); }, kLimit));

  (*server)->kill();

  ASSERT_TRUE(loop.run_until([&] { return ended; }, kLimit));
  ASSERT_TRUE(why);
  EXPECT_EQ(why->fate, client::Fate::Unknown);
}

}  // namespace
}  // namespace fixpoint
