// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/suggest.h"

#include <string>

#include <gtest/gtest.h>

namespace fixpoint::cli {
namespace {

constexpr std::string_view kWords[] = {"up", "verify", "version", "operator", "completion"};

TEST(EditDistance, CountsEachKindOfSlipOnce) {
  EXPECT_EQ(edit_distance("version", "version"), 0U);
  EXPECT_EQ(edit_distance("version", "versio"), 1U);
  EXPECT_EQ(edit_distance("version", "versiion"), 1U);
  EXPECT_EQ(edit_distance("version", "wersion"), 1U);
  EXPECT_EQ(edit_distance("version", "verison"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

TEST(Nearest, FindsTheMisspeltWord) {
  EXPECT_EQ(nearest("verison", kWords), "version");
  EXPECT_EQ(nearest("opreator", kWords), "operator");
  EXPECT_EQ(nearest("upp", kWords), "up");
}

TEST(Nearest, FindsTheWordThatWasBegun) {
  EXPECT_EQ(nearest("comp", kWords), "completion");
  EXPECT_EQ(nearest("op", kWords), "operator");
}

TEST(Nearest, FindsTheWordOfTheSameStem) {
  EXPECT_EQ(nearest("complete", kWords), "completion");
  EXPECT_EQ(nearest("operate", kWords), "operator");
  EXPECT_EQ(nearest("verifying", kWords), "verify");
}

TEST(Nearest, OffersNothingForAWordThatIsLikeNoneOfThem) {
  EXPECT_EQ(nearest("x", kWords), std::nullopt);
  EXPECT_EQ(nearest("", kWords), std::nullopt);
  EXPECT_EQ(nearest("kubernetes", kWords), std::nullopt);
  EXPECT_EQ(nearest(std::string(10'000, 'v'), kWords), std::nullopt);
}

}  // namespace
}  // namespace fixpoint::cli
