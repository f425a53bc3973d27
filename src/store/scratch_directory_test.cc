// SPDX-License-Identifier: Apache-2.0
#include "store/scratch_directory.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace fixpoint::store {
namespace {

namespace fs = std::filesystem;

class Scratch : public testing::Test {
 protected:
  // As a process that was killed leaves it.
  fs::path left_behind(const std::string& name, std::chrono::seconds age) {
    const fs::path path = parent_.path() / name;
    fs::create_directories(path / "node" / "pods");
    make_older(path, age);
    return path;
  }
  static void make_older(const fs::path& path, std::chrono::seconds age) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - age);
  }

  ScratchDirectory parent_;
};

TEST_F(Scratch, IsThereForItsOwnerAloneAndGoneAfterwards) {
  fs::path path;
  {
    const auto made = *ScratchDirectory::make("cluster", parent_.path());
    path = made.path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    std::ofstream(path / "file") << "text";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Scratch, RemovesWhatAKilledOneLeftBehind) {
  const auto dead = left_behind("fixpoint-cluster-dead", std::chrono::hours(1));

  const auto made = *ScratchDirectory::make("cluster", parent_.path());

  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(made.path()));
}

TEST_F(Scratch, LeavesAloneWhatIsInUseYoungOrNotItsOwn) {
  const auto used = *ScratchDirectory::make("cluster", parent_.path());
  make_older(used.path(), std::chrono::hours(1));
  const auto young = left_behind("fixpoint-cluster-young", std::chrono::seconds(5));
  const auto other = left_behind("fixpoint-clusters", std::chrono::hours(1));
  const auto target = left_behind("target", std::chrono::hours(1));
  fs::create_directory_symlink(target, parent_.path() / "fixpoint-cluster-link");

  const auto made = *ScratchDirectory::make("cluster", parent_.path());

  EXPECT_TRUE(fs::exists(used.path()));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(other));
  EXPECT_TRUE(fs::exists(target / "node"));
}

TEST_F(Scratch, SaysWhyItCannotBeMade) {
  const auto made = ScratchDirectory::make("cluster", parent_.path() / "missing");

  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().message.find("No such file or directory"), std::string::npos);
}

TEST_F(Scratch, SaysThatTheDirectoryForTemporaryFilesIsNotThere) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", (parent_.path() / "missing").c_str(), 1);

  const auto found = temporary_directory();

  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().message.find("set TMPDIR"), std::string::npos) << found.error().message;
}

}  // namespace
}  // namespace fixpoint::store
