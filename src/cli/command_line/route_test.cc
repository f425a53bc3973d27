// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/route.h"

#include "cli/commands.h"
#include "cli/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::cli {
namespace {

using ::testing::HasSubstr;

Route routed(std::vector<std::string_view> words) {
  return route(commands(), words);
}

TEST(Route, ExplainsItselfWhenAskedNothing) {
  for (const Route& answer : {routed({}), routed({"--help"}), routed({"-h"}), routed({"help"})}) {
    EXPECT_EQ(answer.command, nullptr);
    EXPECT_EQ(answer.status, kExitDone);
    EXPECT_THAT(answer.text, HasSubstr("Usage: fixpoint COMMAND"));
    for (const Command* command : commands()) EXPECT_THAT(answer.text, HasSubstr(command->summary));
  }
}

TEST(Route, HandsACommandItsArguments) {
  const Route answer = routed({"version", "--json"});

  ASSERT_EQ(answer.command, &kVersionCommand);
  EXPECT_TRUE(answer.arguments->given("json"));
  EXPECT_EQ(routed({"--version"}).command, &kVersionCommand);
}

TEST(Route, NamesAWrongCommandAndTheNearestRightOne) {
  const Route answer = routed({"verison"});

  EXPECT_EQ(answer.status, kExitMisused);
  EXPECT_EQ(answer.text,
            "fixpoint: unknown command \"verison\"; did you mean \"version\"?\n"
            "Run 'fixpoint --help'.\n");
  EXPECT_THAT(routed({"--hepl"}).text, HasSubstr("unknown flag \"--hepl\"; did you mean --help?"));
  EXPECT_EQ(routed({"-"}).status, kExitMisused);
  EXPECT_EQ(routed({""}).status, kExitMisused);
}

TEST(Route, PointsToTheHelpOfTheCommandThatWasMisused) {
  const Route answer = routed({"version", "--jason"});

  EXPECT_EQ(answer.status, kExitMisused);
  EXPECT_THAT(answer.text, HasSubstr("did you mean --json?\nRun 'fixpoint version --help'."));
}

TEST(Route, HelpOfACommandIsTheSameBothWays) {
  const Route behind = routed({"version", "--help"});
  const Route before = routed({"help", "version"});

  EXPECT_EQ(behind.status, kExitDone);
  EXPECT_EQ(behind.text, before.text);
  EXPECT_THAT(behind.text, HasSubstr("Usage: fixpoint version [flags]"));
  EXPECT_EQ(routed({"help", "verison"}).status, kExitMisused);
}

TEST(CommandTable, EveryExampleOfEveryCommandParses) {
  for (const Command* command : commands()) {
    ASSERT_NE(command->run, nullptr);
    EXPECT_FALSE(command->examples.empty()) << command->name;
    for (const Example& example : command->examples) {
      std::vector<std::string_view> words;
      for (std::string_view rest = example.line; !rest.empty();) {
        const auto space = std::min(rest.find(' '), rest.size());
        words.push_back(rest.substr(0, space));
        rest.remove_prefix(std::min(space + 1, rest.size()));
      }
      EXPECT_EQ(route(commands(), words).command, command) << example.line;
    }
  }
}

TEST(CommandTable, ExclusionsNameFlagsThatExist) {
  for (const Command* command : commands()) {
    for (const Flag& flag : command->flags) {
      if (flag.excludes.empty()) continue;
      EXPECT_NE(command->find_flag(flag.excludes), nullptr) << flag.name;
    }
  }
}

TEST(Version, SaysWhichBuildThisIs) {
  const BuildInfo build{"1.2.3", "abcdef", "g++ 12.2.0", "Release"};

  EXPECT_EQ(version_line(build), "fixpoint 1.2.3 (commit abcdef, g++ 12.2.0, Release)\n");
  EXPECT_EQ(version_json(build),
            "{\"version\":\"1.2.3\",\"commit\":\"abcdef\",\"compiler\":\"g++ 12.2.0\","
            "\"buildType\":\"Release\"}\n");
  EXPECT_FALSE(kBuildInfo.version.empty());
}

}  // namespace
}  // namespace fixpoint::cli
