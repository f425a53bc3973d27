// SPDX-License-Identifier: Apache-2.0
#include "base/pem.h"

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

TEST(Pem, FindsBlocksAmongOtherText) {
  std::string_view text =
      "words\n-----BEGIN A-----\nYWI=\n-----END A-----\nmore\n"
      "-----BEGIN B C-----\r\nYQ==\r\n-----END B C-----";

  const auto first = next_pem_block(text);
  const auto second = next_pem_block(text);

  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->type, "A");
  EXPECT_EQ(first->bytes, "ab");
  EXPECT_EQ(second->type, "B C");
  EXPECT_EQ(second->bytes, "a");
  EXPECT_FALSE(next_pem_block(text).has_value());
}

TEST(Pem, SkipsHeadersAndSaysThatThereWereSome) {
  std::string_view text = "-----BEGIN A-----\nProc-Type: 4\n\nYWI=\n-----END A-----\n";

  const auto block = next_pem_block(text);

  ASSERT_TRUE(block);
  EXPECT_TRUE(block->has_headers);
  EXPECT_EQ(block->bytes, "ab");
}

TEST(Pem, SkipsBlocksThatAreNone) {
  for (std::string_view text :
       {"-----BEGIN A-----\n!!!\n-----END A-----\n", "-----BEGIN A-----\nYWI=\n-----END B-----\n",
        "x-----BEGIN A-----\nYWI=\n-----END A-----\n", "-----BEGIN A-----\nYWI=\n",
        "-----BEGIN A\nYWI=\n-----END A-----\n", ""}) {
    EXPECT_FALSE(next_pem_block(text).has_value()) << text;
  }
}

TEST(Pem, ABeginningWithoutAnEndIsText) {
  std::string_view text = "-----BEGIN A-----\n-----BEGIN B-----\nYWI=\n-----END B-----\n";

  const auto block = next_pem_block(text);

  ASSERT_TRUE(block);
  EXPECT_EQ(block->type, "B");
}

TEST(Pem, ABlockMayBeEmpty) {
  std::string_view text = "-----BEGIN A-----\n-----END A-----\n";

  const auto block = next_pem_block(text);

  ASSERT_TRUE(block);
  EXPECT_EQ(block->bytes, "");
}

}  // namespace
}  // namespace fixpoint
