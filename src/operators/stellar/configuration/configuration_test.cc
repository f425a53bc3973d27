// SPDX-License-Identifier: Apache-2.0
#include "json/toml/toml.h"
#include "operators/stellar/configuration/golden_for_tests.h"
#include "operators/stellar/configuration/settings.h"
#include "operators/stellar/configuration/strkey.h"
#include "operators/stellar/configuration/toml_writer.h"

#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::operators::stellar {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr std::string_view kKey = "GDKXE2OZMJIPOSLNA6N6F2BVCI3O777I2OOC4BV7VOYUEHYX7RTRYA7Y";
constexpr std::string_view kOtherKey = "GCUCJTIYXSOXKBSNFGNFWW5MUQ54HKRPGJUTQFJ5RQXZXNOLNXYDHRAP";
constexpr std::string_view kThirdKey = "GC2V2EFSXN6SQTWVYA5EPJPBWWIMSD2XQNKUOHGEKB535AQE2I6IXV2Z";

CoreSettings testnet_validator() {
  CoreSettings settings;
  settings.network_passphrase = kTestnetPassphrase;
  settings.seed_file = "/secrets/seed";
  settings.home_domain = "validators.example";
  settings.known_peers = {"core-testnet1.stellar.org", "10.0.0.7:11625"};
  settings.public_http_port = true;
  settings.quorum = standard_quorum(kTestnetPassphrase).value();
  settings.archives = archives_at({"https://archive.example/a/", "https://archive.example/b c"});
  return settings;
}

TEST(StellarConfiguration, RendersTheFileOfAValidator) {
  EXPECT_EQ(core_configuration(testnet_validator()), golden("validator.cfg"));
}

TEST(StellarConfiguration, RendersTheFileOfACaptiveCore) {
  CaptiveCoreSettings settings;
  settings.network_passphrase = "a network \"of our own\"\n";
  settings.quorum = parse_quorum(fmt::format("UNSAFE_QUORUM=true\nFAILURE_SAFETY=0\n[QUORUM_SET]\n"
                                             "THRESHOLD_PERCENT=51\nVALIDATORS=[\"{} one\"]\n"
                                             "[QUORUM_SET.others]\nVALIDATORS=[\"{}\"]\n",
                                             kKey, kOtherKey))
                        .value();
  settings.archives = archives_at({"http://archive.example"});

  EXPECT_EQ(captive_core_configuration(settings), golden("captive-core.cfg"));
}

TEST(StellarConfiguration, RendersTheFileOfRpc) {
  RpcSettings settings;
  settings.network_passphrase = kTestnetPassphrase;
  settings.archive_urls = {"https://archive.example/a", "https://archive.example/b"};

  EXPECT_EQ(rpc_configuration(settings), golden("stellar-rpc.toml"));
}

TEST(StellarConfiguration, GivesHorizonItsEnvironmentInOrder) {
  HorizonSettings settings;
  settings.network_passphrase = kTestnetPassphrase;
  settings.core_url = "http://core:11626";
  settings.archive_urls = {"https://archive.example/a", "https://archive.example/b"};

  EXPECT_THAT(
      horizon_environment(settings),
      ElementsAre(
          Pair("ADMIN_PORT", "4200"), Pair("APPLY_MIGRATIONS", "true"),
          Pair("CAPTIVE_CORE_CONFIG_PATH", "/config/captive-core.cfg"),
          Pair("CAPTIVE_CORE_STORAGE_PATH", "/data/captive-core"),
          Pair("HISTORY_ARCHIVE_URLS", "https://archive.example/a,https://archive.example/b"),
          Pair("INGEST", "true"), Pair("NETWORK_PASSPHRASE", kTestnetPassphrase),
          Pair("PORT", "8000"), Pair("STELLAR_CORE_BINARY_PATH", "/usr/bin/stellar-core"),
          Pair("STELLAR_CORE_URL", "http://core:11626")));
  settings.ingest = false;
  EXPECT_EQ(horizon_environment(settings).size(), 7);
}

TEST(StellarConfiguration, WritesKeysOfTheFileBeforeTheFirstTable) {
  const auto text = core_configuration(testnet_validator());

  const auto file = json::parse_toml(text).value();
  EXPECT_EQ(file.get("CATCHUP_RECENT").as_int(), kRecentLedgers);
  EXPECT_EQ(file.get("HISTORY", "archive0", "get").as_string(),
            "curl -sf https://archive.example/a/{0} -o {1}");
  // The whole quorum comes back, with a place for the node itself.
  auto quorum = testnet_validator().quorum;
  admit_self(quorum, "validators.example");
  EXPECT_EQ(read_quorum(file).value(), quorum);
}

TEST(StellarConfiguration, EscapesWhateverAPersonWrites) {
  EXPECT_EQ(toml_string("a\"b\\c\n\x01é"), R"("a\"b\\c\n\u0001é")");
  EXPECT_EQ(toml_key("plain_Key-1"), "plain_Key-1");
  EXPECT_EQ(toml_key("a.b"), R"("a.b")");
  CoreSettings settings;
  settings.network_passphrase = "x\"\nNODE_IS_VALIDATOR=false\n[T]\n";
  const auto file = json::parse_toml(core_configuration(settings)).value();
  EXPECT_EQ(file.get("NETWORK_PASSPHRASE").as_string(), settings.network_passphrase);
  EXPECT_TRUE(file.get("NODE_IS_VALIDATOR").as_bool());
}

TEST(StellarConfiguration, KeepsAnArchivesUrlOneWordOfTheCommand) {
  EXPECT_EQ(history_get_command("http://h/x -o /etc/passwd '{1}"),
            "curl -sf http://h/x%20-o%20/etc/passwd%20%27%7B1%7D/{0} -o {1}");
  EXPECT_TRUE(is_archive_url("https://archive.example:8080/prd/core"));
  for (const auto* bad : {"", "archive.example", "ftp://a", "http://", "http:///x", "http://a b",
                          "http://a/{0}", "http://a/\n"}) {
    EXPECT_FALSE(is_archive_url(bad)) << bad;
  }
}

TEST(StellarKeys, AreToldFromTyposByTheirChecksum) {
  EXPECT_TRUE(is_public_key(kKey));
  EXPECT_TRUE(is_secret_seed(kSeed));
  EXPECT_FALSE(is_public_key(kSeed));
  EXPECT_FALSE(is_secret_seed(kKey));
  std::string typo{kKey};
  typo[20] = typo[20] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(is_public_key(typo));
  EXPECT_FALSE(is_public_key(kKey.substr(1)));
  EXPECT_FALSE(is_public_key(""));
}

TEST(StellarQuorum, OfThePublicNetworksPassesCoresRules) {
  for (const auto network : {kTestnetPassphrase, kMainnetPassphrase}) {
    auto quorum = standard_quorum(network).value();
    EXPECT_EQ(error_of(check_quorum(quorum, {.is_validator = false})), "no error") << network;
    for (const auto& validator : quorum.validators) {
      EXPECT_TRUE(is_public_key(validator.public_key)) << validator.name;
    }
    EXPECT_THAT(error_of(check_quorum(quorum, {.home_domain = "own.example"})),
                HasSubstr("no matching HOME_DOMAINS"));
    admit_self(quorum, "own.example");
    EXPECT_EQ(error_of(check_quorum(quorum, {.home_domain = "own.example"})), "no error")
        << network;
    EXPECT_EQ(standard_archives(network).size(), quorum.validators.size());
  }
  EXPECT_FALSE(standard_quorum("a network of our own").has_value());
}

TEST(StellarQuorum, IsReadFromTextAndSaysWhatIsWrong) {
  const auto set = [](std::string_view rest) { return fmt::format("[QUORUM_SET]\n{}", rest); };
  const auto of = [&](const std::string& text) { return error_of(parse_quorum(text)); };
  EXPECT_EQ(of(set(fmt::format("VALIDATORS=[\"{}\", \"$self\"]", kKey))), "no error");
  EXPECT_EQ(of("[QUORUM_SET"), "line 1, column 12: \"]\" is expected here");
  EXPECT_EQ(of("HTTP_PORT=1"),
            "'HTTP_PORT' has no place here: only QUORUM_SET, VALIDATORS, HOME_DOMAINS, "
            "UNSAFE_QUORUM, FAILURE_SAFETY");
  EXPECT_EQ(of(set("")), "invalid quorum set definition");
  EXPECT_EQ(of(set("THRESHOLD_PERCENT=0\nVALIDATORS=[\"$a\"]")), "invalid THRESHOLD_PERCENT");
  EXPECT_EQ(of(set("THRESHOLD_PERCENT=101\nVALIDATORS=[\"$a\"]")), "invalid THRESHOLD_PERCENT");
  EXPECT_EQ(of(set("VALIDATORS=[\"GABC\"]")), "invalid key: GABC");
  EXPECT_EQ(of(set("VALIDATORS=[\"\"]")), "invalid key: ");
  EXPECT_EQ(of(set("VALIDATORS=[1]")), "invalid element of 'VALIDATORS'");
  EXPECT_EQ(of(set("VALIDATORS=\"x\"")), "'VALIDATORS' must be an array");
  EXPECT_EQ(of(set("x=1")), "invalid quorum set, should be a group while parsing 'x'");
  EXPECT_EQ(of("[QUORUM_SET.a.b.c.d.e]\nVALIDATORS=[\"$x\"]"),
            "too many levels in quorum set while parsing 'e' while parsing 'd' while parsing 'c' "
            "while parsing 'b' while parsing 'a'");
  EXPECT_EQ(of("VALIDATORS=1"), "malformed VALIDATORS");
  EXPECT_EQ(of("[[VALIDATORS]]\nHOME_DOMAIN=\"d\""), "malformed VALIDATORS entry: missing 'NAME'");
  EXPECT_EQ(of("[[VALIDATORS]]\nNAME=\"n\"\nKEY=\"x\""),
            "malformed VALIDATORS entry, unknown element 'KEY'");
  EXPECT_EQ(of("[[VALIDATORS]]\nNAME=\"n\"\nHOME_DOMAIN=\"d\"\nPUBLIC_KEY=\"x\""),
            "malformed VALIDATORS entry 'n'");
  EXPECT_EQ(of("[[HOME_DOMAINS]]\nHOME_DOMAIN=\"d\"\nQUALITY=\"BEST\""), "Unknown QUALITY 'BEST'");
  EXPECT_EQ(of("[[HOME_DOMAINS]]\nHOME_DOMAIN=\"d\""), "Malformed HOME_DOMAINS 'd'");
  EXPECT_EQ(of("[[HOME_DOMAINS]]\nX=\"d\""), "Unknown field 'X' in HOME_DOMAINS");
  EXPECT_EQ(of("UNSAFE_QUORUM=1"), "invalid 'UNSAFE_QUORUM'");
  EXPECT_EQ(of("FAILURE_SAFETY=-2"), "bad 'FAILURE_SAFETY'");
}

TEST(StellarQuorum, IsRefusedWhereCoreWouldNotStart) {
  const auto of = [&](const std::string& text, const QuorumSelf& self = {}) {
    const auto quorum = parse_quorum(text);
    EXPECT_TRUE(quorum.has_value()) << error_of(quorum);
    return quorum ? error_of(check_quorum(*quorum, self)) : "";
  };
  const auto three =
      fmt::format("VALIDATORS=[\"{}\",\"{}\",\"{}\",\"$self\"]\n", kKey, kOtherKey, kThirdKey);
  EXPECT_EQ(of("[QUORUM_SET]\n" + three), "no error");
  EXPECT_THAT(of(""), HasSubstr("NODE_HOME_DOMAIN must be set"));
  EXPECT_EQ(of("", {.is_validator = false}), "no validators defined in VALIDATORS/QUORUM_SET");
  EXPECT_THAT(of("[QUORUM_SET]\nVALIDATORS=[\"$self\"]"), HasSubstr("SCP unsafe"));
  EXPECT_EQ(of("UNSAFE_QUORUM=true\nFAILURE_SAFETY=0\n[QUORUM_SET]\nVALIDATORS=[\"$self\"]"),
            "no error");
  EXPECT_EQ(of("UNSAFE_QUORUM=true\nFAILURE_SAFETY=1\n[QUORUM_SET]\nVALIDATORS=[\"$self\"]"),
            "FAILURE_SAFETY incompatible with QUORUM_SET");
  EXPECT_THAT(of("[QUORUM_SET]\nTHRESHOLD_PERCENT=50\n" + three), HasSubstr("is too low"));
  EXPECT_EQ(of("[QUORUM_SET]\nVALIDATORS=[\"$nobody\"]"), "unknown key in config: $nobody");
  EXPECT_THAT(of(fmt::format("UNSAFE_QUORUM=true\n[QUORUM_SET]\n{}[QUORUM_SET.again]\n"
                             "VALIDATORS=[\"{}\"]\n",
                             three, kKey)),
              HasSubstr("Duplicate node"));
  const auto validator = [](std::string_view name, std::string_view key, std::string_view history) {
    return fmt::format("[[VALIDATORS]]\nNAME=\"{}\"\nHOME_DOMAIN=\"d\"\nPUBLIC_KEY=\"{}\"\n{}",
                       name, key, history);
  };
  const std::string high = "[[HOME_DOMAINS]]\nHOME_DOMAIN=\"d\"\nQUALITY=\"HIGH\"\n";
  EXPECT_THAT(of(high + validator("n", kKey, "")), HasSubstr("must have an archive"));
  EXPECT_THAT(of(high + validator("n", kKey, "HISTORY=\"x\"\n"), {.home_domain = "d"}),
              HasSubstr("redundancy of at least 3"));
  EXPECT_THAT(of(validator("n", kKey, "")), HasSubstr("missing quality"));
  EXPECT_THAT(of(high + high), HasSubstr("duplicate 'd'"));
  EXPECT_THAT(of(high + validator("n", kKey, "HISTORY=\"x\"\n") +
                 validator("n", kOtherKey, "HISTORY=\"x\"\n")),
              HasSubstr("name already used: n"));
}

TEST(StellarQuorum, ReadsPeersAsAKeyOrAsAnArray) {
  EXPECT_THAT(parse_peers("KNOWN_PEERS=[\"a\", \"b:11625\"]").value(), ElementsAre("a", "b:11625"));
  EXPECT_THAT(parse_peers("  [\"a\",\n \"b\"]").value(), ElementsAre("a", "b"));
  EXPECT_TRUE(parse_peers(" \n").value().empty());
  EXPECT_EQ(error_of(parse_peers("X=[\"a\"]")),
            "'X' has no place here: only KNOWN_PEERS, PREFERRED_PEERS");
  EXPECT_EQ(error_of(parse_peers("[\"a b\"]")), "'a b' is no peer: give HOST or HOST:PORT");
  EXPECT_EQ(error_of(parse_peers("KNOWN_PEERS=\"a\"")), "'KNOWN_PEERS' must be an array");
}

}  // namespace
}  // namespace fixpoint::operators::stellar
