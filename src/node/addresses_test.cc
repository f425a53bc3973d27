// SPDX-License-Identifier: Apache-2.0
#include "node/addresses.h"

#include "store/scratch_directory.h"

#include <fstream>
#include <set>

#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

class NodeAddresses : public testing::Test {
 protected:
  Addresses open(int taken = 0, std::uint64_t first = 0) {
    auto out = Addresses::open(file(), [taken](int block) { return block != taken; }, first);
    FP_CHECK(out.has_value());
    return *std::move(out);
  }
  std::filesystem::path file() const { return scratch_.path() / "addresses.json"; }

  store::ScratchDirectory scratch_ =
      *store::ScratchDirectory::make("test", std::filesystem::temp_directory_path());
};

TEST_F(NodeAddresses, AreThePodsOwnAndKeptAcrossRestarts) {
  {
    auto addresses = open();
    EXPECT_EQ(addresses.take("a").value(), "127.1.0.1");
    EXPECT_EQ(addresses.take("b").value(), "127.1.0.2");
    EXPECT_EQ(addresses.take("a").value(), "127.1.0.1");
  }
  auto addresses = open();
  EXPECT_EQ(*addresses.find("b"), "127.1.0.2");
}

TEST_F(NodeAddresses, AreNotGivenAgainSoon) {
  auto addresses = open();
  const auto first = addresses.take("a").value();
  ASSERT_TRUE(addresses.release("a").has_value());
  EXPECT_NE(addresses.take("b").value(), first);

  auto restarted = open();
  EXPECT_NE(restarted.take("c").value(), first);
}

TEST_F(NodeAddresses, BeginAnywhereInABlockThatMayHaveBeenAnothers) {
  {
    auto addresses = open(0, Addresses::kHosts + 299);
    EXPECT_EQ(addresses.take("a").value(), "127.1.1.44");
  }
  EXPECT_EQ(open(0, 7).take("b").value(), "127.1.1.45");  // it has a past
  EXPECT_EQ(open(1, 7).take("c").value(), "127.2.0.8");   // not in this block
}

TEST_F(NodeAddresses, ComeFromAnotherBlockWhenAnotherNodeHasThisOne) {
  EXPECT_EQ(open(1).block(), 2);

  BlockClaims one;
  BlockClaims other;
  ASSERT_TRUE(one.take(250));
  EXPECT_TRUE(one.take(250));
  EXPECT_FALSE(other.take(250));
}

TEST_F(NodeAddresses, RefuseADamagedFile) {
  std::ofstream(file()) << "{";

  EXPECT_FALSE(Addresses::open(file(), [](int) { return true; }, 0).has_value());
}

}  // namespace
}  // namespace fixpoint::node
