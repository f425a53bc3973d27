// SPDX-License-Identifier: Apache-2.0
#include "cli/up/settings.h"

#include "cli/up.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::cli {
namespace {

using ::testing::StartsWith;

const Command kServe{.name = "up", .summary = "", .description = "", .flags = kUpFlags};

Result<UpSettings> settings_of(std::vector<std::string_view> words) {
  const auto arguments = Arguments::parse(kServe, words);
  if (!arguments) return std::unexpected(arguments.error());
  return up_settings(*arguments);
}

std::string refused(std::vector<std::string_view> words) {
  const auto settings = settings_of(std::move(words));
  return settings ? "taken" : settings.error().message;
}

std::string listens_at(std::string_view value) {
  const auto settings = settings_of({"--listen", value});
  if (!settings) return settings.error().message;
  return settings->listen.address + " " + std::to_string(settings->listen.port);
}

TEST(UpSettings, WithoutFlagsAreTheDeclaredDefaults) {
  const auto settings = settings_of({});

  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->listen.address, "127.0.0.1");
  EXPECT_EQ(settings->listen.port, 6443);
  EXPECT_EQ(settings->cluster.simulation.nodes, 0);
  EXPECT_TRUE(settings->operators.empty());
}

TEST(UpSettings, ListenOnLoopbackInEveryWayToWriteIt) {
  EXPECT_EQ(listens_at("127.0.0.1:0"), "127.0.0.1 0");
  EXPECT_EQ(listens_at("127.9.9.9:65535"), "127.9.9.9 65535");
  EXPECT_EQ(listens_at("127.0.0.1"), "127.0.0.1 6443");
  EXPECT_EQ(listens_at("localhost:7"), "127.0.0.1 7");
  EXPECT_EQ(listens_at("::1"), "::1 6443");
  EXPECT_EQ(listens_at("[::1]"), "::1 6443");
  EXPECT_EQ(listens_at("[::1]:0"), "::1 0");
}

TEST(UpSettings, ListenNowhereElse) {
  for (const auto* value : {"0.0.0.0:0", "10.0.0.1:6443", "[::]:6443", "::2"}) {
    EXPECT_THAT(listens_at(value), StartsWith(std::string{"--listen "} + value +
                                              ": only loopback addresses are served"));
  }
}

TEST(UpSettings, SayWhatIsWrongWithAnAddress) {
  EXPECT_EQ(listens_at("127.0.0.1:65536"),
            "--listen 127.0.0.1:65536: the port is a number from 0 to 65535, e.g. 127.0.0.1:6443");
  for (const auto* port : {"127.0.0.1:", "127.0.0.1:x", "127.0.0.1:-1"}) {
    EXPECT_THAT(listens_at(port), ::testing::HasSubstr("the port is a number")) << port;
  }
  EXPECT_EQ(listens_at("127.0.0.300:0"),
            "--listen 127.0.0.300:0: \"127.0.0.300\" is no IP address, e.g. 127.0.0.1:6443");
  for (const auto* address : {"nowhere:1", ":6443", "[::1", "[::1]7", "127.x:0"}) {
    EXPECT_THAT(listens_at(address), ::testing::HasSubstr("is no IP address")) << address;
  }
}

TEST(UpSettings, SayWhatNodesCanBe) {
  EXPECT_EQ(settings_of({"--nodes", "simulated:3"})->cluster.simulation.nodes, 3);
  EXPECT_EQ(refused({"--nodes=none"}), "taken");
  for (const auto* value : {"x", "simulated", "simulated:", "simulated:-1", "simulated:3x",
                            "simulated:20001", "simulated:99999999999"}) {
    EXPECT_EQ(refused({"--nodes", value}), std::string{"--nodes "} + value +
                                               ": local, none, or simulated:N with at most 20000 "
                                               "nodes");
  }
  EXPECT_EQ(refused({"--ready-after=-1s"}), "--ready-after -1s: a duration like 500ms or 2s");
  EXPECT_EQ(refused({"--ready-after=soon"}), "--ready-after soon: a duration like 500ms or 2s");
}

TEST(UpSettings, NameTheOperatorThatIsNotThere) {
  EXPECT_THAT(refused({"--operators", "nope"}),
              StartsWith("--operators nope: there is no operator 'nope'"));
}

TEST(UpSettings, ReadTheImagesBeforeAnythingIsStarted) {
  EXPECT_EQ(refused({"--image", "web=python3"}), "taken");
  EXPECT_THAT(refused({"--image", "=python3"}), StartsWith("--image: "));
  EXPECT_EQ(refused({"--image", "/no/such/file"}),
            "--image: open /no/such/file: No such file or directory");
}

}  // namespace
}  // namespace fixpoint::cli
