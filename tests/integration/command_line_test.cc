// SPDX-License-Identifier: Apache-2.0
//
// The shipped program as a shell sees it: what goes to which stream, and the exit status.
#include "tests/shipped_program.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Runs `fixpoint WORDS` with the other stream thrown away.
Ran run(const std::string& words, const std::string& streams = "2>/dev/null") {
  return run_line("'" + shipped_program().string() + "' " + words + " " + streams);
}

constexpr auto kOnlyErrors = "2>&1 >/dev/null";

TEST(CommandLine, HelpGoesToStdoutAndSucceeds) {
  const Ran ran = run("--help");

  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.text, HasSubstr("Usage: fixpoint COMMAND"));
}

TEST(CommandLine, VersionIsOneLineOrOneJsonObject) {
  EXPECT_THAT(run("version").text, StartsWith("fixpoint 0."));
  const Ran json = run("version --json");
  EXPECT_EQ(json.status, 0);
  EXPECT_THAT(json.text, StartsWith("{\"version\":\"0."));
}

TEST(CommandLine, MisuseGoesToStderrAndExitsWithTwo) {
  EXPECT_EQ(run("verison").status, 2);
  EXPECT_EQ(run("verison").text, "");
  EXPECT_THAT(run("verison", kOnlyErrors).text, HasSubstr("did you mean \"version\"?"));
  EXPECT_EQ(run("version --jsno").status, 2);
  EXPECT_THAT(run("version --jsno", kOnlyErrors).text, HasSubstr("did you mean --json?"));
}

TEST(CommandLine, ABadValueOfAFlagIsMisuse) {
  for (const auto* words :
       {"up --listen 0.0.0.0:0", "up --nodes many", "up --operators nope", "up --image =x",
        "operator --operators nope", "manifests --operators nope", "node --image =x"}) {
    EXPECT_EQ(run(words).status, 2) << words;
    EXPECT_THAT(run(words, kOnlyErrors).text, HasSubstr(" --help'.\n")) << words;
  }
}

TEST(CommandLine, AFullDiskIsNotSilentlyIgnored) {
  EXPECT_EQ(run("version", ">/dev/full").status, 1);
  EXPECT_EQ(run("completion bash", ">/dev/full").status, 1);
}

}  // namespace
}  // namespace fixpoint
