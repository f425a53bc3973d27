// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/valkey.h"

#include <gtest/gtest.h>

namespace fixpoint::cli::demo {
namespace {

TEST(ValkeyAnswer, OfOneLineIsItsText) {
  EXPECT_EQ(*read_valkey_answer("+OK\r\n"), "OK");
  EXPECT_EQ(*read_valkey_answer(":7\r\n"), "7");
}

TEST(ValkeyAnswer, OfManyBytesMayHoldLines) {
  EXPECT_EQ(*read_valkey_answer("$4\r\na\r\nb\r\n"), "a\r\nb");
  EXPECT_EQ(*read_valkey_answer("$0\r\n\r\n"), "");
  EXPECT_EQ(*read_valkey_answer("$-1\r\n"), "(nil)");
}

TEST(ValkeyAnswer, IsWaitedForUntilItIsComplete) {
  const std::string_view whole = "$4\r\nabcd\r\n";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto answer = read_valkey_answer(whole.substr(0, size));
    ASSERT_FALSE(answer.has_value()) << size;
    EXPECT_EQ(answer.error().kind, ErrorKind::Unavailable) << size;
  }
}

TEST(ValkeyAnswer, ThatIsAnErrorIsOne) {
  EXPECT_EQ(read_valkey_answer("-ERR no\r\n").error().message, "ERR no");
  EXPECT_EQ(read_valkey_answer("$x\r\n").error().kind, ErrorKind::Invalid);
  EXPECT_EQ(read_valkey_answer("?\r\n").error().kind, ErrorKind::Invalid);
}

}  // namespace
}  // namespace fixpoint::cli::demo
