// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

std::string error_of(std::string_view text, Base64 form = Base64::Standard) {
  const auto decoded = base64_decode(text, form);
  return decoded ? "decoded" : decoded.error().message;
}

TEST(Base64, ComesBackUnchanged) {
  for (const std::string_view bytes : {"", "a", "ab", "abc", "\xfb\xff"}) {
    EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
    EXPECT_EQ(base64_decode(base64_encode(bytes, Base64::RawUrl), Base64::RawUrl), bytes);
  }
}

TEST(Base64, SkipsLineBreaks) {
  EXPECT_EQ(base64_decode("YW\nJj\r\n"), "abc");
}

TEST(Base64, BlamesTheByteThatGoBlames) {
  EXPECT_EQ(error_of("abc"), "illegal base64 data at input byte 0");
  EXPECT_EQ(error_of("abcda"), "illegal base64 data at input byte 4");
  EXPECT_EQ(error_of("ab="), "illegal base64 data at input byte 3");
  EXPECT_EQ(error_of("ab=x"), "illegal base64 data at input byte 2");
  EXPECT_EQ(error_of("ab==x"), "illegal base64 data at input byte 4");
  EXPECT_EQ(error_of("ab*d"), "illegal base64 data at input byte 2");
  EXPECT_EQ(error_of("a===").substr(0, 7), "illegal");
  EXPECT_EQ(error_of("a", Base64::RawUrl), "illegal base64 data at input byte 0");
}

}  // namespace
}  // namespace fixpoint
