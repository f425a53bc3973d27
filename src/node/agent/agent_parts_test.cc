// SPDX-License-Identifier: Apache-2.0
//
// The parts of the agent that are plain functions.
#include "base/rfc3339.h"
#include "json/parsing/parse.h"
#include "node/agent/compose.h"
#include "node/agent/registration.h"
#include "node/agent/saved_facts.h"
#include "node/agent/token_renewal.h"
#include "node/pod/pod_for_tests.h"
#include "node/process/run_spec.h"
#include "store/scratch_directory.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

TEST(AgentParts, PathsOfVolumesAreRewrittenWhereTheyAreWholePaths) {
  const std::vector<BindMount> mounts{
      {.source = "/node/v", .target = "/data"}
  };

  EXPECT_EQ(with_machine_paths("/data", mounts), "/node/v");
  EXPECT_EQ(with_machine_paths("--dir=/data/x", mounts), "--dir=/node/v/x");
  EXPECT_EQ(with_machine_paths("cat /data/a > '/data/b'", mounts), "cat /node/v/a > '/node/v/b'");
  EXPECT_EQ(with_machine_paths("/database /var/data", mounts), "/database /var/data");
}

TEST(AgentParts, PathsThatWereRewrittenAreNotTakenForTheContainersOwn) {
  const std::vector<BindMount> mounts{
      {.source = "/tmp/node/run",  .target = "/run/x"     },
      {.source = "/tmp/node/tmp",  .target = "/tmp"       },
      {.source = "/tmp/node/deep", .target = "/run/x/deep"}
  };

  EXPECT_EQ(with_machine_paths("/run/x/f", mounts), "/tmp/node/run/f");
  EXPECT_EQ(with_machine_paths("/tmp/f:/run/x/deep/f", mounts), "/tmp/node/tmp/f:/tmp/node/deep/f");
}

TEST(AgentParts, ANodeIsRegisteredAsAKubeletWould) {
  NodeOptions options;
  options.name = "n";
  options.labels["zone"] = "z";

  const auto node = node_object(
      options, {.cpus = 4, .memory_bytes = 8192, .disk_bytes = 4096, .architecture = "amd64"},
      at(0));

  EXPECT_EQ(node.get("metadata", "labels", "kubernetes.io/hostname").as_string(), "n");
  EXPECT_EQ(node.get("metadata", "labels", "zone").as_string(), "z");
  EXPECT_EQ(node.get("status", "capacity", "cpu").as_string(), "4");
  EXPECT_EQ(node.get("status", "allocatable", "memory").as_string(), "8Ki");
  const json::View ready = node.get("status", "conditions")[3];
  EXPECT_EQ(ready.get("type").as_string(), "Ready");
  EXPECT_EQ(ready.get("reason").as_string(), "KubeletReady");
}

TEST(AgentParts, ATokenIsRenewedInTheLifeThatItHasAndNotThatWasAskedFor) {
  const auto hour = std::chrono::hours(1);
  const auto now = parse_rfc3339("2026-01-01T00:00:00Z").value();
  const auto renewal = [&](const char* expires, Duration asked) {
    const auto status =
        json::parse(std::string{R"({"expirationTimestamp":")"} + expires + R"("})").value();
    return renewal_of_token(status, asked, now);
  };

  EXPECT_EQ(renewal("2026-01-01T01:00:00Z", hour), std::chrono::minutes(48));
  EXPECT_EQ(renewal("2026-01-01T00:10:00Z", hour), std::chrono::minutes(8));
  EXPECT_EQ(renewal("2026-02-01T00:00:00Z", 31 * 24 * hour), kTokenAgeMax);
  EXPECT_EQ(renewal("2025-12-31T23:59:59Z", hour), std::chrono::seconds(10));
  EXPECT_EQ(renewal("some day", hour), std::chrono::minutes(48));
}

TEST(AgentParts, FactsOutliveTheAgent) {
  auto scratch = *store::ScratchDirectory::make("test", std::filesystem::temp_directory_path());
  ContainerFacts facts;
  facts.state = State::Running;
  facts.id = "fixpoint://1";
  facts.restarts = 3;
  facts.backoff = {.current = std::chrono::seconds(40), .updated = at(7)};
  facts.previous = Exit{.code = 2, .reason = "Error", .started = at(1), .finished = at(2)};
  ASSERT_TRUE(save_facts(scratch.path() / "c", facts).has_value());

  ContainerFacts loaded;
  ASSERT_TRUE(load_facts(scratch.path() / "c", loaded).has_value());

  EXPECT_EQ(loaded.state, facts.state);
  EXPECT_EQ(loaded.id, facts.id);
  EXPECT_EQ(loaded.restarts, 3);
  EXPECT_EQ(loaded.backoff, facts.backoff);
  EXPECT_EQ(loaded.previous, facts.previous);
  EXPECT_FALSE(load_facts(scratch.path() / "other", loaded).has_value());
}

TEST(AgentParts, ARunIsWhatWasWrittenDown) {
  RunSpec spec;
  spec.id = "fixpoint://1";
  spec.isolation = Isolation::Root;
  spec.words = {"sh", "-c", "echo \"x\"\n"};
  spec.environment = {"A=b=c"};
  spec.mounts = {
      {.source = "/a", .target = "/b", .read_only = true}
  };
  spec.user = 999;
  spec.groups = {1, 2};
  spec.memory_bytes_max = 1 << 20;
  spec.cpu_millis_max = 250;
  spec.orphan_time = std::chrono::milliseconds(1500);

  const auto read = RunSpec::parse(spec.to_text());

  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->to_text(), spec.to_text());
  EXPECT_EQ(read->words, spec.words);
  EXPECT_EQ(read->user, 999U);
  EXPECT_FALSE(RunSpec::parse("{}").has_value());
}

TEST(AgentParts, AProcessIsKnownByItsBirth) {
  EXPECT_TRUE(birth_of(::getpid()).has_value());
  EXPECT_EQ(birth_of(::getpid()), birth_of(::getpid()));
  EXPECT_FALSE(birth_of(-5).has_value());
}

}  // namespace
}  // namespace fixpoint::node
