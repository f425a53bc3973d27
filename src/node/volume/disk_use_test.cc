// SPDX-License-Identifier: Apache-2.0
#include "node/volume/disk_use.h"

#include "store/scratch_directory.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBytes = 1024 * 1024;

TEST(DiskUse, CountsFilesAtAnyDepthOnceAndFollowsNoLink) {
  const store::ScratchDirectory scratch;
  const store::ScratchDirectory elsewhere;
  std::ofstream(elsewhere.path() / "far") << std::string(kBytes, 'x');
  fs::create_directories(scratch.path() / "a/b");
  std::ofstream(scratch.path() / "a/b/f") << std::string(kBytes, 'x');
  fs::create_hard_link(scratch.path() / "a/b/f", scratch.path() / "g");
  fs::create_directory_symlink(elsewhere.path(), scratch.path() / "away");

  const auto bytes = disk_use(scratch.path());

  EXPECT_GE(bytes, kBytes);
  EXPECT_LT(bytes, 2 * kBytes);
}

TEST(DiskUse, OfWhatIsNotThereIsNothing) {
  EXPECT_EQ(disk_use("/no/such/directory"), 0U);
}

}  // namespace
}  // namespace fixpoint::node
