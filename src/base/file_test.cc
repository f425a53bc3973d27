// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace fixpoint {
namespace {

class Files : public testing::Test {
 protected:
  Files() : path_(testing::TempDir() + "file-test-" + std::to_string(::getpid())) {}
  ~Files() override {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& holding(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
    return path_;
  }

  std::filesystem::path path_;
};

TEST_F(Files, AreReadWholeWithWhateverIsInThem) {
  std::string bytes(100'000, 'x');
  bytes[7] = '\0';
  EXPECT_EQ(read_file(holding(bytes)).value(), bytes);
  EXPECT_EQ(read_file(holding("")).value(), "");
}

TEST_F(Files, AreBounded) {
  EXPECT_EQ(read_file(holding("12345"), 5).value(), "12345");
  const auto refused = read_file(holding("123456"), 5);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::Exhausted);
  EXPECT_EQ(refused.error().message, path_.string() + " is larger than 5 bytes");
}

TEST_F(Files, ThatAreMissingOrNoFilesAreErrorsThatNameThem) {
  const auto missing = read_file(path_);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(missing.error().message, "open " + path_.string() + ": No such file or directory");
  const auto directory = read_file(testing::TempDir());
  ASSERT_FALSE(directory.has_value());
  EXPECT_EQ(directory.error().kind, ErrorKind::Unavailable);
}

}  // namespace
}  // namespace fixpoint
