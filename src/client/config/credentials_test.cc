// SPDX-License-Identifier: Apache-2.0
//
// Credentials that change while a program runs: rotated files, expired and refused tokens,
// plugins that work, fail, hang or lie.
#include "client/config/credentials.h"

#include "client/config/files.h"
#include "client/config/scratch_files.h"
#include "json/parsing/parse.h"
#include "net/loopback_fixture.h"

#include <functional>

namespace fixpoint::client {
namespace {

using namespace std::chrono_literals;

class CredentialsTest : public testing::Test {
 protected:
  CredentialsTest() {
    config.source = "context test";
    config.server = {.host = "127.0.0.1", .port = 1};
    config.url = "https://127.0.0.1:1";
  }
  // What the next request would show; real plugins take real time.
  Result<AccessRef> get(Credentials& credentials) {
    std::optional<Result<AccessRef>> got;
    credentials.get([&](Result<AccessRef> access) { got = std::move(access); });
    EXPECT_TRUE(loop.run_until([&] { return got.has_value(); }, net::kPatience));
    return *got;
  }
  std::string authorization(Credentials& credentials) {
    const auto access = get(credentials);
    return access ? (*access)->authorization : "error: " + access.error().message;
  }
  ExecPlugin plugin(std::string_view script) {
    files.write_program("plugin", script);
    return {.api_version = "client.authentication.k8s.io/v1",
            .command = files.path("plugin"),
            .interactive_mode = InteractiveMode::Never};
  }
  // A plugin that counts its runs and gives "token-N", valid until `expires`.
  ExecPlugin counting(const std::string& expires = "") {
    const auto until = expires.empty() ? "" : R"(,"expirationTimestamp":")" + expires + "\"";
    return plugin(
        "echo x >> " + files.path("runs") + "\nn=$(wc -l < " + files.path("runs") +
        ")\n"
        R"(echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
        R"("status":{"token":"token-'$n'")" +
        until + "}}'\n");
  }

  ScratchFiles files;
  VirtualClock clock;  // 2026-01-01T00:00:00Z
  net::Loop loop{clock};
  Config config;
};

TEST_F(CredentialsTest, AGivenTokenIsUsedAndCannotBeBettered) {
  config.token.text = "abc\n";
  Credentials credentials{loop, config};

  EXPECT_EQ(authorization(credentials), "Bearer abc");
  EXPECT_FALSE(credentials.reject(*get(credentials)));
}

TEST_F(CredentialsTest, ATokenFileIsReadAgain) {
  files.write("token", "one\n");
  config.token.file = files.path("token");
  Credentials credentials{loop, config};
  EXPECT_EQ(authorization(credentials), "Bearer one");
  files.write("token", "two");
  EXPECT_EQ(authorization(credentials), "Bearer one") << "not on every request";

  clock.advance(kReadAgain);

  EXPECT_EQ(authorization(credentials), "Bearer two");
}

TEST_F(CredentialsTest, ARefusedTokenIsReadAgainAtOnce) {
  files.write("token", "one");
  config.token.file = files.path("token");
  Credentials credentials{loop, config};
  const auto first = *get(credentials);
  EXPECT_FALSE(credentials.reject(first)) << "the file still says the same";
  files.write("token", "two");

  EXPECT_TRUE(credentials.reject(first));
  EXPECT_EQ(authorization(credentials), "Bearer two");
  EXPECT_TRUE(credentials.reject(first)) << "somebody else refreshed it already";
}

TEST_F(CredentialsTest, RotatedAuthoritiesAndCertificatesMakeANewTlsContext) {
  const auto& made = net::Certificates::get();
  files.write("ca", made.authority.certificate_pem);
  files.write("cert", made.client.certificate_pem);
  files.write("key", made.client.private_key_pem);
  config.certificate_authority.file = files.path("ca");
  config.client_certificate.file = files.path("cert");
  config.client_key.file = files.path("key");
  Credentials credentials{loop, config};
  ASSERT_TRUE(credentials.check());
  const auto first = (*get(credentials))->tls;
  clock.advance(kReadAgain);
  EXPECT_EQ((*get(credentials))->tls, first) << "nothing changed";

  files.write("cert", made.foreign_client.certificate_pem);
  clock.advance(kReadAgain);
  EXPECT_EQ((*get(credentials))->tls, first) << "half a rotation: the key does not belong to it";
  files.write("key", made.foreign_client.private_key_pem);
  clock.advance(kReadAgain);

  EXPECT_NE((*get(credentials))->tls, first);
}

TEST_F(CredentialsTest, WhatIsWrongAtTheStartIsTold) {
  config.certificate_authority.file = files.path("nowhere");
  EXPECT_TRUE(Credentials(loop, config)
                  .check()
                  .error()
                  .message.contains("the certificate authority of context test: open " +
                                    files.path("nowhere")));
  config.certificate_authority = {.text = "s3cret", .file = {}};
  const auto refused = Credentials(loop, config).check();
  EXPECT_TRUE(refused.error().message.contains("context test"));
  EXPECT_FALSE(refused.error().message.contains("s3cret"));
}

TEST_F(CredentialsTest, AFileThatGoesAwayKeepsItsLastContent) {
  files.write("token", "one");
  config.token.file = files.path("token");
  Credentials credentials{loop, config};
  EXPECT_EQ(authorization(credentials), "Bearer one");
  std::filesystem::remove(files.path("token"));
  clock.advance(kReadAgain);

  EXPECT_EQ(authorization(credentials), "Bearer one");
}

TEST_F(CredentialsTest, APluginIsRunOnceAndAgainShortlyBeforeItsCredentialExpires) {
  config.exec = counting("2026-01-01T01:00:00Z");
  Credentials credentials{loop, config};
  EXPECT_EQ(authorization(credentials), "Bearer token-1");
  clock.advance(59min);
  EXPECT_EQ(authorization(credentials), "Bearer token-1");
  clock.advance(31s);

  EXPECT_EQ(authorization(credentials), "Bearer token-2");
}

TEST_F(CredentialsTest, ManyRequestsWaitForOneRunOfThePlugin) {
  config.exec = counting();
  Credentials credentials{loop, config};
  int answered = 0;
  for (int i = 0; i < 5; ++i) credentials.get([&](const Result<AccessRef>&) { ++answered; });
  EXPECT_EQ(answered, 0);

  ASSERT_TRUE(loop.run_until([&] { return answered == 5; }, net::kPatience));
  EXPECT_EQ(authorization(credentials), "Bearer token-1");
}

TEST_F(CredentialsTest, ARefusedCredentialRunsThePluginAgainButNotInATightLoop) {
  config.exec = counting();
  Credentials credentials{loop, config};
  const auto first = *get(credentials);
  EXPECT_FALSE(credentials.reject(first)) << "it was made a moment ago";
  clock.advance(kPluginPause);

  EXPECT_TRUE(credentials.reject(first));
  EXPECT_EQ(authorization(credentials), "Bearer token-2");
  EXPECT_TRUE(credentials.reject(first)) << "whoever still held the old one has a better one";
  EXPECT_EQ(authorization(credentials), "Bearer token-2");
}

TEST_F(CredentialsTest, APluginIsToldWhatItAsksFor) {
  config.exec =
      plugin("printf '%s' \"$KUBERNETES_EXEC_INFO|$WHO|$1\" > " + files.path("seen") + "; exit 3");
  config.exec->arguments = {"login"};
  config.exec->environment = {
      {"WHO", "me"}
  };
  config.exec->provide_cluster_info = true;
  Credentials credentials{loop, config};

  const auto refused = authorization(credentials);

  EXPECT_TRUE(refused.contains("failed with code 3")) << refused;
  const auto seen = *read_small_file(files.path("seen"));
  EXPECT_TRUE(seen.ends_with("|me|login"));
  const auto info = json::parse(seen.substr(0, seen.find('|')));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->get("kind").as_string(), "ExecCredential");
  EXPECT_FALSE(info->get("spec", "interactive").as_bool(true));
  EXPECT_EQ(info->get("spec", "cluster", "server").as_string(), "https://127.0.0.1:1");
}

TEST_F(CredentialsTest, FailuresOfPluginsSayWhatToDo) {
  config.exec = plugin("echo 'please log in' >&2; exit 1");
  {
    Credentials credentials{loop, config};
    EXPECT_TRUE(authorization(credentials).ends_with("failed with code 1: please log in"));
  }
  config.exec->command = "surely-not-installed";
  config.exec->install_hint = "get it from example.com";
  {
    Credentials credentials{loop, config};
    EXPECT_TRUE(authorization(credentials)
                    .ends_with("surely-not-installed is not installed; get it from example.com"));
  }
  config.exec->interactive_mode = InteractiveMode::Always;
  Credentials credentials{loop, config};
  EXPECT_TRUE(authorization(credentials).contains("needs a terminal"));
}

TEST_F(CredentialsTest, APluginThatHangsIsKilled) {
  PluginRun run{.plugin = plugin("exec sleep 600"), .deadline = 20ms};

  const auto outcome = run_plugin(run);

  ASSERT_FALSE(outcome);
  EXPECT_TRUE(outcome.error().message.contains("did not end within"));
}

TEST_F(CredentialsTest, WhatAPluginPrintsIsCheckedAndNeverRepeated) {
  const ExecPlugin asked{.api_version = "client.authentication.k8s.io/v1", .command = "p"};
  const auto message = [&](std::string_view text) {
    const auto read = read_exec_credential(asked, text);
    return read ? "accepted" : read.error().message;
  };
  const auto with_status = [&](std::string_view status) {
    return message(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
                   R"("status":)" +
                   std::string{status} + "}");
  };

  EXPECT_EQ(message("s3cret"), "the credential plugin p printed no JSON");
  EXPECT_EQ(message("{}"), "the credential plugin p printed no ExecCredential");
  EXPECT_TRUE(message(R"({"kind":"ExecCredential","apiVersion":"x"})").contains("version \"x\""));
  EXPECT_TRUE(with_status("{}").contains("neither a token nor a certificate"));
  EXPECT_TRUE(with_status(R"({"clientKeyData":"s3cret"})").contains("without its certificate"));
  EXPECT_TRUE(with_status(R"({"token":"s3cret","expirationTimestamp":"soon"})")
                  .ends_with("an expirationTimestamp that is no time"));
  EXPECT_EQ(with_status(R"({"token":"s3cret","expirationTimestamp":"2026-01-01T00:00:00Z"})"),
            "accepted");
}

TEST_F(CredentialsTest, TheEndDoesNotWaitForAPlugin) {
  config.exec = plugin("exec sleep 2");
  bool called = false;
  {
    Credentials credentials{loop, config};
    credentials.get([&](const Result<AccessRef>&) { called = true; });
  }
  loop.tick({});

  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace fixpoint::client
