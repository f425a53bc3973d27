// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

TEST(Utf8Prefix, CutsBetweenCharacters) {
  EXPECT_EQ(utf8_prefix("abc", 3), "abc");
  EXPECT_EQ(utf8_prefix("abc", 2), "ab");
  EXPECT_EQ(utf8_prefix("a\xE2\x80\xA6z", 4), "a\xE2\x80\xA6");
  EXPECT_EQ(utf8_prefix("a\xE2\x80\xA6z", 3), "a");
  EXPECT_EQ(utf8_prefix("\xE2\x80\xA6", 2), "");
  EXPECT_EQ(utf8_prefix("\x80\x80\x80", 2), "") << "no text at all, and no end to look for";
}

}  // namespace
}  // namespace fixpoint
