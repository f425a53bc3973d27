// SPDX-License-Identifier: Apache-2.0
//
// `fixpoint up` as its users meet it: over TLS, with good and bad credentials, stopped, killed and
// started again.
#include "json/parsing/parse.h"
#include "net/loop.h"
#include "tests/integration/collections.h"
#include "tests/integration/running_server.h"
#include "tests/patience.h"

#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;

class Up : public testing::Test {
 protected:
  void start(std::vector<std::string> flags) {
    auto started = RunningServer::start(scratch_.path(), std::move(flags));
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server_ = *std::move(started);
  }
  std::string data_dir() const { return (scratch_.path() / "data").string(); }
  net::Response call(std::string method, std::string target, std::string body = {},
                     net::Headers headers = {}) {
    auto answer =
        server_->request(std::move(method), std::move(target), std::move(body), std::move(headers));
    EXPECT_TRUE(answer.has_value()) << (answer ? "" : answer.error().message);
    return answer ? *std::move(answer) : net::Response{};
  }

  ScratchDirectory scratch_;
  std::unique_ptr<RunningServer> server_;
};

TEST_F(Up, CreatesReadsListsAndDeletes) {
  start({"--ephemeral"});

  EXPECT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"a"},"data":{"x":"1"}})").status, 201);
  EXPECT_THAT(call("GET", kConfigMaps + "/a").body, HasSubstr(R"("x":"1")"));
  EXPECT_THAT(call("GET", kConfigMaps).body, HasSubstr(R"("kind":"ConfigMapList")"));
  EXPECT_EQ(call("DELETE", kConfigMaps + "/a").status, 200);
  EXPECT_EQ(call("GET", kConfigMaps + "/a").status, 404);
}

TEST_F(Up, TellsStrangersNothing) {
  start({"--ephemeral"});

  const auto wrong = call("GET", kConfigMaps,
                          {
  },
                          {{"authorization", "Bearer wrong"}});
  const auto basic = call("GET", kConfigMaps,
                          {
  },
                          {{"authorization", "Basic YTpi"}});
  net::ClientRequest nobody;
  nobody.target = kConfigMaps;
  const auto none = net::blocking_request(server_->client(), nobody);
  nobody.target = "/healthz";
  const auto health = net::blocking_request(server_->client(), nobody);
  const auto other = call("GET", "/api/v1/namespaces/default/secrets",
                          {
  },
                          {{"impersonate-user", "ada"}});

  EXPECT_EQ(wrong.status, 401);
  EXPECT_THAT(wrong.body, HasSubstr(R"("message":"Unauthorized")"));
  EXPECT_EQ(basic.status, 403);
  EXPECT_THAT(basic.body, HasSubstr("User \\\"system:anonymous\\\" cannot list"));
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->status, 403);
  ASSERT_TRUE(health.has_value());
  EXPECT_EQ(health->body, "ok");
  EXPECT_EQ(other.status, 403);
  EXPECT_THAT(other.body, HasSubstr("secrets is forbidden: User \\\"ada\\\" cannot list resource "
                                    "\\\"secrets\\\" in API group \\\"\\\" in the namespace "
                                    "\\\"default\\\""));
}

TEST_F(Up, AServiceAccountsTokenIsThatAccount) {
  start({"--ephemeral"});
  const auto made =
      call("POST", "/api/v1/namespaces/default/serviceaccounts/default/token", R"({"spec":{}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const auto token = std::string{json::parse(made.body)->get("status", "token").as_string()};

  const auto who = call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}",
                        {
                            {"authorization", "Bearer " + token}
  });
  const auto refused = call("GET", kConfigMaps,
                            {
  },
                            {{"authorization", "Bearer " + token}});

  EXPECT_THAT(who.body, HasSubstr("system:serviceaccount:default:default"));
  EXPECT_EQ(refused.status, 403);
}

TEST_F(Up, WatchesSeeChangesAndEndProperlyWhenTheServerStops) {
  for (const auto version : {net::HttpVersions::OnlyHttp1, net::HttpVersions::OnlyHttp2}) {
    start({"--ephemeral"});
    net::Loop loop;
    auto connection = net::Connection::open(loop, server_->client(version));
    std::string seen;
    std::optional<bool> ended_well;
    net::ClientRequest watch;
    watch.target = kConfigMaps + "?watch=1";
    watch.headers = {
        {"authorization", "Bearer " + server_->token()}
    };
    connection->send(watch,
                     {.on_headers = [](int status, const net::Headers&) { EXPECT_EQ(status, 200); },
                      .on_body = [&](std::string_view bytes) { seen += bytes; },
                      .on_end = [&](Result<void> outcome) { ended_well = outcome.has_value(); }});
    EXPECT_TRUE(loop.run_until([&] { return seen.find("kube-root-ca.crt") != std::string::npos; },
                               kPatience));

    call("POST", kConfigMaps, R"({"metadata":{"name":"fresh"}})");
    EXPECT_TRUE(loop.run_until([&] { return seen.find("fresh") != std::string::npos; }, kPatience));

    EXPECT_EQ(server_->stop(), 0);
    EXPECT_TRUE(loop.run_until([&] { return ended_well.has_value(); }, kPatience));
    EXPECT_EQ(ended_well, true);
  }
}

TEST_F(Up, AWatchBeginsWithMoreThanFitsIntoAnyBuffer) {
  start({"--ephemeral"});
  const std::string large(std::size_t{800} << 10U, 'x');
  for (int i = 0; i < 30; ++i) {
    const std::string body = R"({"metadata":{"name":"large-)" + std::to_string(i) +
                             R"("},"data":{"x":")" + large + R"("}})";
    ASSERT_EQ(call("POST", kConfigMaps, body).status, 201);
  }
  net::Loop loop;
  auto connection = net::Connection::open(loop, server_->client(net::HttpVersions::OnlyHttp2));
  std::size_t bytes = 0;
  std::string tail;
  std::optional<bool> ended_well;
  net::ClientRequest watch;
  watch.target = kConfigMaps +
                 "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&"
                 "resourceVersionMatch=NotOlderThan";
  watch.headers = {
      {"authorization", "Bearer " + server_->token()}
  };
  connection->send(watch,
                   {.on_headers = [](int status, const net::Headers&) { EXPECT_EQ(status, 200); },
                    .on_body =
                        [&](std::string_view part) {
                          bytes += part.size();
                          tail = (tail + std::string{part})
                                     .substr(tail.size() + part.size() > 4096
                                                 ? tail.size() + part.size() - 4096
                                                 : 0);
                        },
                    .on_end = [&](Result<void> outcome) { ended_well = outcome.has_value(); }});

  const bool whole = loop.run_until(
      [&] { return ended_well || tail.find("k8s.io/initial-events-end") != std::string::npos; },
      kPatience);

  EXPECT_TRUE(whole);
  EXPECT_FALSE(ended_well.has_value());
  EXPECT_GT(bytes, 30 * large.size());
}

TEST_F(Up, EveryLineOfAJsonLogSaysWhenHowGraveAndWhat) {
  start({"--ephemeral", "--log-format", "json"});
  call("POST", kConfigMaps, R"({"metadata":{"name":"a"}})");
  call("GET", kConfigMaps + "/none");
  std::string said;
  ASSERT_TRUE(eventually([&] {
    said = server_->said();
    return said.find("configmaps/none") != std::string::npos && said.ends_with('\n');
  }));

  std::istringstream lines(said);
  std::string line;
  for (int requests = 0; requests < 2;) {
    ASSERT_TRUE(std::getline(lines, line));
    const auto entry = json::parse(line);
    ASSERT_TRUE(entry.has_value()) << line;
    for (const auto* field : {"time", "level", "msg"})
      EXPECT_FALSE(entry->get(field).is_null()) << line;
    if (entry->get("msg").as_string() == "request") ++requests;
  }
}

TEST_F(Up, ASecondOneOnTheSameDirectorySaysWhoHoldsIt) {
  start({"--data-dir", data_dir()});

  const ScratchDirectory elsewhere;
  const auto second = RunningServer::start(elsewhere.path(), {"--data-dir", data_dir()});

  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().message, HasSubstr(data_dir()));
  EXPECT_THAT(second.error().message, HasSubstr("process"));
}

TEST_F(Up, TheKubeconfigIsPrivate) {
  start({"--ephemeral"});

  struct stat info{};
  ASSERT_EQ(::stat(server_->kubeconfig().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(Up, KilledItComesBackWithEverythingItAcknowledged) {
  start({"--data-dir", data_dir()});
  const auto token = server_->token();
  ASSERT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"kept"}})").status, 201);

  server_->kill();
  start({"--data-dir", data_dir()});

  EXPECT_EQ(server_->token(), token);
  EXPECT_EQ(call("GET", kConfigMaps + "/kept").status, 200);
}

TEST_F(Up, AFullDiskRefusesWritesLosesNothingAndIsGotOver) {
  start({"--data-dir", data_dir()});
  ASSERT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"before"}})").status, 201);
  const std::string large(std::size_t{700} << 10U, 'x');
  const auto post_large = [&](const std::string& name) {
    return call("POST", kConfigMaps,
                R"({"metadata":{"name":")" + name + R"("},"data":{"x":")" + large + R"("}})");
  };

  // No file may grow beyond what the cluster's file already is: the next commits fail as on a full
  // disk.
  const auto size = std::filesystem::file_size(std::filesystem::path(data_dir()) / "objects.mdb");
  const rlimit limit{size, RLIM_INFINITY};
  ASSERT_EQ(::prlimit(server_->pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
  net::Response refused;
  for (int i = 0; i < 20 && refused.status < 400; ++i) {
    refused = post_large("large-" + std::to_string(i));
  }
  const auto there = call("GET", kConfigMaps + "/before");
  const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
  ASSERT_EQ(::prlimit(server_->pid(), RLIMIT_FSIZE, &none, nullptr), 0);
  const auto after = call("POST", kConfigMaps, R"({"metadata":{"name":"after"}})");
  server_->kill();
  start({"--data-dir", data_dir()});

  EXPECT_EQ(refused.status, 500);
  EXPECT_THAT(refused.body, HasSubstr("the write could not be put on disk and was taken back"));
  EXPECT_EQ(there.status, 200);
  EXPECT_EQ(after.status, 201) << after.body;
  EXPECT_EQ(call("GET", kConfigMaps + "/before").status, 200);
  EXPECT_EQ(call("GET", kConfigMaps + "/after").status, 200);
}

TEST_F(Up, AnyBodyHoweverWrongGetsAStatusAndChangesNothing) {
  start({"--ephemeral"});
  const auto before = call("GET", kConfigMaps).body;

  for (const std::string body :
       {"", "{", "[]", "null", "\"x\"", "{\"metadata\":1}", "{\"metadata\":{\"name\":\"UPPER\"}}",
        "{\"kind\":\"Pod\"}", "\xff\xfe", "{\"data\":{\"a\":1},\"metadata\":{\"name\":\"a\"}}"}) {
    const auto answer = call("POST", kConfigMaps, body,
                             {
                                 {"content-type", "application/json"}
    });
    EXPECT_GE(answer.status, 400) << body;
    EXPECT_LT(answer.status, 500) << body;
    EXPECT_THAT(answer.body, HasSubstr(R"("kind":"Status")")) << body;
  }
  EXPECT_EQ(call("GET", kConfigMaps).body, before);
}

}  // namespace
}  // namespace fixpoint
