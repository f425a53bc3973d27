// SPDX-License-Identifier: Apache-2.0
//
// The scripts are read by shells, so the bash one is also run here, by bash.
#include "cli/command_line/completion.h"

#include "cli/up.h"
#include "store/scratch_directory.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kColours[] = {"red", "green"};
constexpr Positional kPaintPositionals[] = {
    {.name = "COLOUR", .help = "Of it", .values = kColours}
};
const Command kHurriedUp{
    .name = "up", .summary = "Don't wait: go", .description = "", .flags = kUpFlags};
const Command kPaint{
    .name = "paint", .summary = "", .description = "", .positionals = kPaintPositionals};
constexpr std::array kTable{&kHurriedUp, &kPaint};

// What bash offers for the last of `words`, one per line.
std::string offered(const std::string& words) {
  std::string program = bash_completion(kTable);
  program += "\nCOMP_WORDS=(" + words + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n";
  program += "_fixpoint\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  ::setenv("FIXPOINT_TEST_PROGRAM", program.c_str(), 1);
  std::FILE* bash = ::popen("exec bash -euc \"$FIXPOINT_TEST_PROGRAM\" 2>&1", "r");
  std::string out;
  for (int c = std::fgetc(bash); c != EOF; c = std::fgetc(bash)) out += static_cast<char>(c);
  EXPECT_EQ(::pclose(bash), 0) << out;
  return out;
}

TEST(BashCompletion, OffersCommandsFlagsAndValues) {
  EXPECT_EQ(offered("fixpoint u"), "up\n");
  EXPECT_EQ(offered("fixpoint up --e"), "--ephemeral\n");
  EXPECT_EQ(offered("fixpoint up --log-format ''"), "text\njson\n");
  EXPECT_EQ(offered("fixpoint up --data-dir /us"), "/usr\n");
  EXPECT_EQ(offered("fixpoint paint g"), "green\n");
  EXPECT_EQ(offered("fixpoint help pa"), "paint\n");
}

// bash hands over what stands beside an equals sign as words of their own.
TEST(BashCompletion, OffersValuesBehindAnEqualsSign) {
  EXPECT_EQ(offered("fixpoint up --log-format ="), "text\njson\n");
  EXPECT_EQ(offered("fixpoint up --log-format = j"), "json\n");
  EXPECT_EQ(offered("fixpoint up --data-dir = /us"), "/usr\n");
}

TEST(BashCompletion, KeepsAPathWithBlanksInOnePiece) {
  const store::ScratchDirectory scratch = *store::ScratchDirectory::make("completion", "/tmp");
  std::filesystem::create_directory(scratch.path() / "two words");

  EXPECT_EQ(offered("fixpoint up --data-dir " + scratch.path().string() + "/two"),
            scratch.path().string() + "/two words\n");
}

TEST(BashCompletion, OffersNothingForFreeTextAndUnknownCommands) {
  EXPECT_EQ(offered("fixpoint up --listen ''"), "\n");
  EXPECT_EQ(offered("fixpoint nonsense ''"), "\n");
}

TEST(ZshCompletion, DescribesEveryCommandAndFlag) {
  const std::string script = zsh_completion(kTable);

  EXPECT_TRUE(script.starts_with("#compdef fixpoint\n"));
  EXPECT_THAT(script, HasSubstr("'up:Don'\\''t wait\\: go'"));
  EXPECT_THAT(script, HasSubstr("'--log-format=[How log lines look]:FORMAT:(text json)'"));
  EXPECT_THAT(script, HasSubstr("'--ephemeral[Keep the cluster in memory"));
  EXPECT_THAT(script, HasSubstr(":HOST\\:PORT: '"));
  EXPECT_THAT(script, HasSubstr(":DIR:_files -/'"));
  EXPECT_THAT(script, HasSubstr("'1:COLOUR:(red green)'"));
}

TEST(FishCompletion, DescribesEveryCommandAndFlag) {
  const std::string script = fish_completion(kTable);

  EXPECT_THAT(script, HasSubstr("-n __fish_use_subcommand -a up -d 'Don'\\''t wait: go'\n"));
  EXPECT_THAT(script, HasSubstr("'__fish_seen_subcommand_from up' -l ephemeral -d '"));
  EXPECT_THAT(script, HasSubstr("-l log-format -d 'How log lines look' -x -a 'text json'\n"));
  EXPECT_THAT(script, HasSubstr("'__fish_seen_subcommand_from paint' -a 'red green'\n"));
}

}  // namespace
}  // namespace fixpoint::cli
