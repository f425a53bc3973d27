// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/arguments.h"

#include "cli/up.h"

#include <gtest/gtest.h>

namespace fixpoint::cli {
namespace {

constexpr std::string_view kSizes[] = {"small", "large"};
constexpr Positional kMakePositionals[] = {
    {.name = "SIZE", .help = "How big", .values = kSizes },
    {.name = "NAME", .help = "Of what", .required = false}
};
const Command kUp{.name = "up", .summary = "", .description = "", .flags = kUpFlags};
const Command kMake{
    .name = "make", .summary = "", .description = "", .positionals = kMakePositionals};

Result<Arguments> parse(const Command& command, std::vector<std::string_view> words) {
  return Arguments::parse(command, words);
}

std::string refusal(const Command& command, std::vector<std::string_view> words) {
  const auto arguments = parse(command, std::move(words));
  return arguments ? "accepted" : arguments.error().message;
}

TEST(Arguments, TakesAValueAsTheNextWordOrBehindAnEqualsSign) {
  const auto apart = parse(kUp, {"--data-dir", "d", "--log-format", "json"});
  const auto joined = parse(kUp, {"--data-dir=d", "--log-format=json"});

  for (const auto& arguments : {apart, joined}) {
    ASSERT_TRUE(arguments);
    EXPECT_EQ(arguments->value("data-dir"), "d");
    EXPECT_EQ(arguments->value("log-format"), "json");
  }
}

TEST(Arguments, FallBackToTheDeclaredDefault) {
  const auto arguments = parse(kUp, {"--ephemeral"});

  ASSERT_TRUE(arguments);
  EXPECT_TRUE(arguments->given("ephemeral"));
  EXPECT_FALSE(arguments->given("listen"));
  EXPECT_EQ(arguments->value("listen"), "127.0.0.1:6443");
  EXPECT_EQ(arguments->value("kubeconfig"), "");
}

TEST(Arguments, ReadTimesAsGoWritesThem) {
  const auto time_of = [](const std::string& text) {
    const auto word = "--ready-after=" + text;
    return parse(kUp, {word})->duration("ready-after");
  };

  EXPECT_EQ(*time_of("1m30s"), Duration{std::chrono::seconds(90)});
  for (const auto* wrong : {"0s", "-1s", "3", "soon"}) {
    EXPECT_EQ(time_of(wrong).error().message,
              std::string{"--ready-after "} + wrong + ": a time like 500ms or 15s");
  }
}

TEST(Arguments, NameTheUnknownFlagAndTheNearestRightOne) {
  EXPECT_EQ(refusal(kUp, {"--emphemeral"}),
            "unknown flag --emphemeral for \"up\"; did you mean --ephemeral?");
  EXPECT_EQ(refusal(kUp, {"--lisen=1"}), "unknown flag --lisen for \"up\"; did you mean --listen?");
  EXPECT_EQ(refusal(kUp, {"--zzz"}), "unknown flag --zzz for \"up\"");
  EXPECT_EQ(refusal(kUp, {"-x"}), "unknown flag -x; flags are spelt out, like --help");
}

TEST(Arguments, NeverTakeAFlagForTheValueOfAnother) {
  EXPECT_EQ(refusal(kUp, {"--data-dir", "--ephemeral"}),
            "--data-dir needs a value: --data-dir DIR");
  EXPECT_EQ(refusal(kUp, {"--data-dir"}), "--data-dir needs a value: --data-dir DIR");
  EXPECT_EQ(refusal(kUp, {"--data-dir="}), "--data-dir needs a value: --data-dir DIR");

  const auto dashed = parse(kUp, {"--data-dir=-odd-"});
  ASSERT_TRUE(dashed);
  EXPECT_EQ(dashed->value("data-dir"), "-odd-");
}

TEST(Arguments, RefuseAValueForASwitchARepetitionAndAContradiction) {
  EXPECT_EQ(refusal(kUp, {"--ephemeral=yes"}), "--ephemeral takes no value");
  EXPECT_EQ(refusal(kUp, {"--listen", "a", "--listen", "b"}), "--listen is given twice");
  EXPECT_EQ(refusal(kUp, {"--ephemeral", "--data-dir", "d"}),
            "--data-dir and --ephemeral exclude each other");
}

TEST(Arguments, RefuseAValueThatIsNotListedAndSayWhichAre) {
  EXPECT_EQ(refusal(kUp, {"--log-format", "jsn"}),
            "--log-format cannot be \"jsn\"; it is one of text, json. Did you mean json?");
  EXPECT_EQ(refusal(kMake, {"huge"}), "SIZE cannot be \"huge\"; it is one of small, large");
}

TEST(Arguments, TakePositionalsByPlace) {
  const auto both = parse(kMake, {"small", "thing"});
  const auto one = parse(kMake, {"large"});

  ASSERT_TRUE(both && one);
  EXPECT_EQ(both->positional(1), "thing");
  EXPECT_EQ(one->positional(0), "large");
  EXPECT_EQ(one->positional(1), "");
  EXPECT_EQ(refusal(kMake, {}), "\"make\" needs SIZE: small, large");
  EXPECT_EQ(refusal(kMake, {"small", "a", "b"}), "\"make\" does not take the argument \"b\"");
}

TEST(Arguments, TakeEverythingAfterTwoDashesAsPositional) {
  const auto arguments = parse(kMake, {"small", "--", "--help"});

  ASSERT_TRUE(arguments);
  EXPECT_FALSE(arguments->wants_help());
  EXPECT_EQ(arguments->positional(1), "--help");
}

TEST(Arguments, GiveHelpHoweverUnfinishedTheRestIs) {
  const auto arguments = parse(kMake, {"--help"});

  ASSERT_TRUE(arguments);
  EXPECT_TRUE(arguments->wants_help());
  EXPECT_TRUE(parse(kUp, {"--ephemeral", "--data-dir", "d", "-h"})->wants_help());
}

}  // namespace
}  // namespace fixpoint::cli
