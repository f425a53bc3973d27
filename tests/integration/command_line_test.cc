// SPDX-License-Identifier: Apache-2.0
//
// The shipped program as a shell sees it: what goes to which stream, and the exit status.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Ran {
  int status = -1;
  std::string text;
};

// Runs `fixpoint WORDS` with the other stream thrown away.
Ran run(const std::string& words, const std::string& streams = "2>/dev/null") {
  const char* binary = std::getenv("FIXPOINT_BINARY");
  if (binary == nullptr) return {.text = "FIXPOINT_BINARY is not set; run this through ctest"};
  const std::string line = "'" + std::string{binary} + "' " + words + " " + streams;
  std::FILE* pipe = ::popen(line.c_str(), "r");
  Ran ran;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) ran.text += static_cast<char>(c);
  const int ended = ::pclose(pipe);
  ran.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  return ran;
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

TEST(CommandLine, AFullDiskIsNotSilentlyIgnored) {
  EXPECT_EQ(run("version", ">/dev/full").status, 1);
  EXPECT_EQ(run("completion bash", ">/dev/full").status, 1);
}

}  // namespace
}  // namespace fixpoint
