// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <memory>

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

Result<int> parse_digit(char c) {
  if (c < '0' || c > '9') return fail(ErrorKind::Invalid, std::string{"no digit: "} + c);
  return c - '0';
}

Result<int> add(char a, char b) {
  FP_TRY(left, parse_digit(a));
  FP_TRY(right, parse_digit(b));
  return left + right;
}

Result<void> only_even(char c) {
  FP_TRY(digit, parse_digit(c));
  if (digit % 2 != 0) return fail(ErrorKind::Conflict, "odd");
  return {};
}

Result<std::string> checked(char c) {
  FP_TRY_VOID(only_even(c));
  return "even";
}

TEST(Result, TryHandsOnTheValueOrReturnsTheError) {
  EXPECT_EQ(add('3', '4'), 7);
  EXPECT_EQ(add('x', '4').error().message, "no digit: x");
  EXPECT_EQ(add('3', 'y').error().message, "no digit: y");
}

TEST(Result, TryVoidGoesOnOrReturnsTheError) {
  EXPECT_EQ(checked('2'), "even");
  EXPECT_EQ(checked('3').error().kind, ErrorKind::Conflict);
  EXPECT_EQ(checked('z').error().kind, ErrorKind::Invalid);
}

TEST(Result, TryMovesAValueThatCannotBeCopied) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(5); };
  const auto read = [&]() -> Result<int> {
    FP_TRY(owned, make());
    const std::unique_ptr<int> taken = std::move(owned);
    return *taken;
  };

  EXPECT_EQ(read(), 5);
}

TEST(Error, RemembersWhereItArose) {
  const auto error = parse_digit('x').error();

  EXPECT_TRUE(std::string_view{error.where.file_name()}.ends_with("base/error_test.cc"));
  EXPECT_GT(error.where.line(), 0U);
}

TEST(Error, IsRetryableOnlyWhenTimeAloneMayHelp) {
  for (const auto kind : {ErrorKind::Conflict, ErrorKind::Unavailable}) {
    EXPECT_TRUE((Error{kind, ""}.retryable())) << to_string(kind);
  }
  for (const auto kind : {ErrorKind::NotFound, ErrorKind::Invalid, ErrorKind::Gone,
                          ErrorKind::Exhausted, ErrorKind::Internal}) {
    EXPECT_FALSE((Error{kind, ""}.retryable())) << to_string(kind);
  }
}

TEST(Error, FailInPutsTheDoingInFrontAndKeepsTheRest) {
  Error cause{ErrorKind::Unavailable, "no space left"};
  const auto line = cause.where.line();

  const Error told = fail_in("open data.mdb", std::move(cause)).error();

  EXPECT_EQ(told.message, "open data.mdb: no space left");
  EXPECT_EQ(told.kind, ErrorKind::Unavailable);
  EXPECT_EQ(told.where.line(), line);
}

TEST(CheckDeathTest, SaysWhatWasBrokenAndWhere) {
  const int two = 2;
  EXPECT_DEATH(FP_CHECK(two > 3), "base/error_test.cc:[0-9]+: broken invariant in .*: two > 3");
}

}  // namespace
}  // namespace fixpoint
