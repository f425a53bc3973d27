// SPDX-License-Identifier: Apache-2.0
#include "sim/stellar/files.h"

#include "operators/stellar/configuration/golden_for_tests.h"
#include "operators/stellar/configuration/settings.h"
#include "sim/stellar/known_keys.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::sim {
namespace {

using operators::stellar::error_of;
using operators::stellar::golden;
using testing::HasSubstr;
namespace stellar = operators::stellar;

constexpr std::string_view kSeed = "SBI3CZU7XZEWVXU7OZLW5MMUQAP334JFOPXSLTPOH43IRTEQ2QYXU5RG";
constexpr std::string_view kAlone =
    "UNSAFE_QUORUM=true\nFAILURE_SAFETY=0\n[QUORUM_SET]\nVALIDATORS=[\"$self\"]\n";

Files files_of(std::map<std::string, FileFound> files) {
  return [files = std::move(files)](const std::string& path) -> Result<FileFound> {
    const auto found = files.find(path);
    if (found == files.end()) return fail(ErrorKind::NotFound, path + ": no such file");
    return found->second;
  };
}

// A validator that trusts itself, with these lines on top.
std::string core_file_error(std::string_view lines, std::string_view rest = kAlone) {
  const auto text =
      fmt::format("NETWORK_PASSPHRASE=\"n\"\nNODE_IS_VALIDATOR=true\nNODE_SEED=\"{} self\"\n{}\n{}",
                  kSeed, lines, rest);
  return error_of(read_core_file("f", files_of({
                                          {"f", {.text = text}}
  })));
}

TEST(StandInFiles, TakeTheFileThatTheOperatorWrites) {
  const auto file = read_core_file(
      "f", files_of({
               {"f",             {.text = golden("validator.cfg")}                },
               {"/secrets/seed", {.text = std::string{kSeed} + "\n", .mode = 0400}}
  }));

  ASSERT_TRUE(file.has_value()) << error_of(file);
  EXPECT_EQ(file->network_passphrase, stellar::kTestnetPassphrase);
  EXPECT_TRUE(file->is_validator);
  EXPECT_TRUE(file->public_http_port);
  EXPECT_EQ(file->http_port, 11626);
  EXPECT_EQ(file->database_file, "/opt/stellar/data/stellar.db");
  EXPECT_EQ(file->bucket_directory, "/opt/stellar/data/buckets");
}

TEST(StandInFiles, TakeEverySettingThatTheOperatorHas) {
  stellar::CaptiveCoreSettings captive;
  captive.network_passphrase = stellar::kTestnetPassphrase;
  captive.quorum = stellar::standard_quorum(stellar::kTestnetPassphrase).value();
  stellar::RpcSettings rpc;
  rpc.network_passphrase = stellar::kTestnetPassphrase;
  rpc.core_url = "http://core:11626";
  rpc.archive_urls = {"https://archive.example"};
  const auto files = files_of({
      {"rpc",                      {.text = rpc_configuration(rpc)}             },
      {"/config/captive-core.cfg", {.text = captive_core_configuration(captive)}}
  });

  const auto read = read_rpc_file("rpc", files);
  ASSERT_TRUE(read.has_value()) << error_of(read);
  EXPECT_EQ(read->port, 8000);
  EXPECT_EQ(read->admin_port, 6061);

  stellar::HorizonSettings horizon;
  horizon.network_passphrase = stellar::kTestnetPassphrase;
  horizon.archive_urls = {"https://archive.example"};
  Variables variables{
      {"DATABASE_URL", "postgres://db"}
  };
  for (auto& [name, value] : horizon_environment(horizon)) variables.emplace(name, value);
  const auto configuration = read_horizon_variables(variables, files);
  ASSERT_TRUE(configuration.has_value()) << error_of(configuration);
  EXPECT_EQ(configuration->admin_port, 4200);
  EXPECT_TRUE(configuration->applies_migrations);
}

TEST(StandInFiles, RefuseWhatStellarCoreRefuses) {
  EXPECT_EQ(core_file_error(""), "no error");
  EXPECT_EQ(core_file_error("LOG_LEVEL=\"info\""),
            "Failed to parse 'f': Unknown configuration entry: 'LOG_LEVEL'");
  EXPECT_EQ(core_file_error("HTTP_PORT=\"11626\""), "Failed to parse 'f': invalid 'HTTP_PORT'");
  EXPECT_EQ(core_file_error("HTTP_PORT=65536"), "Failed to parse 'f': bad 'HTTP_PORT'");
  EXPECT_EQ(core_file_error("PEER_PORT=0"), "Failed to parse 'f': bad 'PEER_PORT'");
  EXPECT_EQ(core_file_error("KNOWN_PEERS=\"a\""), "Failed to parse 'f': invalid 'KNOWN_PEERS'");
  EXPECT_EQ(core_file_error("CATCHUP_COMPLETE=1"),
            "Failed to parse 'f': invalid 'CATCHUP_COMPLETE'");
  EXPECT_EQ(core_file_error("DATABASE=\"mysql://x\""),
            "Failed to parse 'f': DATABASE: neither sqlite3:// nor postgresql://");
  EXPECT_EQ(core_file_error("X=", ""),
            "Failed to parse 'f': line 4, column 3: a value is expected here");
  EXPECT_EQ(core_file_error("", "[QUORUM_SET]\nVALIDATORS=[\"$self\"]\n"),
            "Failed to parse 'f': SCP unsafe: can't have FAILURE_SAFETY=0 unless you also set "
            "UNSAFE_QUORUM=true");
  EXPECT_THAT(core_file_error("", std::string{kAlone} + "[HISTORY.a]\nfetch=\"x\""),
              HasSubstr("Unknown HISTORY-table entry: 'fetch', within [HISTORY.a]"));
  // What a key after the first table becomes.
  EXPECT_THAT(core_file_error("", std::string{kAlone} + "[HISTORY.a]\nget=\"x\"\nPEER_PORT=1\n"),
              HasSubstr("Unknown HISTORY-table entry: 'PEER_PORT'"));
  EXPECT_EQ(error_of(read_core_file("f", files_of({}))), "No config file found: f: no such file");
}

TEST(StandInFiles, RefuseASeedThatIsMissingWrongOrOpenToOthers) {
  const auto with = [](std::string_view passphrase, std::string_view seed, FileFound file) {
    const auto text = fmt::format("NETWORK_PASSPHRASE=\"{}\"\nNODE_IS_VALIDATOR=true\n{}\n{}",
                                  passphrase, seed, kAlone);
    return error_of(read_core_file("f", files_of({
                                            {"f", {.text = text} },
                                            {"s", std::move(file)}
    })));
  };
  const FileFound good{.text = std::string{kSeed} + " self\n", .mode = 0600};
  EXPECT_EQ(with("n", "NODE_SEED=\"$FILE:s\"", good), "no error");
  EXPECT_THAT(with("n", "", good), HasSubstr("no NODE_SEED"));
  EXPECT_THAT(with("n", "NODE_SEED=\"S123\"", good), HasSubstr("no secret seed"));
  EXPECT_THAT(with("n", "NODE_SEED=\"$FILE:s\"", {.text = good.text, .mode = 0640}),
              HasSubstr("overly permissive permissions"));
  EXPECT_THAT(with("n", "NODE_SEED=\"$FILE:s\"", {.text = " \n", .mode = 0600}),
              HasSubstr("Secret file is empty: s"));
  EXPECT_THAT(with("n", "NODE_SEED=\"$FILE:t\"", good), HasSubstr("t: no such file"));
  EXPECT_THAT(with(stellar::kMainnetPassphrase, "NODE_SEED=\"$FILE:s\"", good),
              HasSubstr("not supported on the public network"));
}

TEST(StandInFiles, RefuseWhatRpcAndHorizonRefuse) {
  const auto captive = [](std::string_view lines) {
    return error_of(check_captive_file("c",
                                       files_of({
                                           {"c", {.text = std::string{lines}}}
    }),
                                       "n"));
  };
  EXPECT_EQ(captive(fmt::format("NETWORK_PASSPHRASE=\"n\"\n{}", kAlone)), "no error");
  EXPECT_THAT(captive(fmt::format("NETWORK_PASSPHRASE=\"m\"\n{}", kAlone)),
              HasSubstr("does not match passed configuration (n)"));
  EXPECT_THAT(captive("KNOWN_PEERS=[]"), HasSubstr("Unknown configuration entry: 'KNOWN_PEERS'"));
  EXPECT_THAT(captive(""), HasSubstr("no validators defined"));

  const auto rpc = [](std::string_view text) {
    return error_of(read_rpc_file("r", files_of({
                                           {"r", {.text = std::string{text}}}
    })));
  };
  EXPECT_EQ(rpc("STRICT=true\nPORT=1"),
            "r: invalid config: unexpected entry specified in toml file \"PORT\"");
  EXPECT_EQ(rpc("PORT=1"), "r: STELLAR_CORE_BINARY_PATH is required");
  EXPECT_EQ(rpc("CHECKPOINT_FREQUENCY=\"x\""), "r: could not parse CHECKPOINT_FREQUENCY");

  const auto horizon = [](const Variables& variables) {
    return error_of(read_horizon_variables(variables, files_of({})));
  };
  EXPECT_EQ(horizon({}), "invalid config: DATABASE_URL is required and blank");
  Variables some{
      {"DATABASE_URL",       "postgres://db"},
      {"NETWORK_PASSPHRASE", "n"            }
  };
  EXPECT_EQ(horizon(some), "invalid config: HISTORY_ARCHIVE_URLS is required and blank");
  some["INGEST"] = "no";
  EXPECT_EQ(horizon(some), "INGEST: \"no\" is neither true nor false");
  some["INGEST"] = "false";
  some["PORT"] = "80000";
  EXPECT_EQ(horizon(some), "PORT: \"80000\" is no port");
}

TEST(StandInFiles, KnowTheirKeysInOrder) {
  for (const auto keys : {core_keys(), captive_core_keys(), rpc_keys()}) {
    EXPECT_TRUE(std::ranges::is_sorted(keys, {}, &KnownKey::name));
  }
  EXPECT_EQ(find_key(core_keys(), "ZZZ"), nullptr);
  // Test builds only.
  EXPECT_EQ(find_key(core_keys(), "APPLY_LOAD_MODE"), nullptr);
  // Whatever a captive core takes a core takes.
  for (const auto& key : captive_core_keys()) {
    const auto* same = find_key(core_keys(), key.name);
    ASSERT_NE(same, nullptr) << key.name;
    EXPECT_EQ(same->form, key.form) << key.name;
  }
}

}  // namespace
}  // namespace fixpoint::sim
