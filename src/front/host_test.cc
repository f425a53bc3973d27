// SPDX-License-Identifier: Apache-2.0
#include "front/host.h"

#include "base/clock.h"
#include "base/file.h"
#include "store/scratch_directory.h"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fixpoint::front {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class HostFiles : public testing::Test {
 protected:
  fs::path keys() const { return directory_ / "keys.json"; }
  static void write(const fs::path& path, std::string_view text) { std::ofstream(path) << text; }
  static std::string read(const fs::path& path) { return read_file(path).value_or(""); }
  std::string refusal() {
    const auto loaded = load_or_make_keys(directory_, "127.0.0.1", clock_.wall());
    return loaded ? "loaded" : loaded.error().message;
  }

  VirtualClock clock_;
  store::ScratchDirectory scratch_;
  const fs::path directory_ = scratch_.path();
};

TEST_F(HostFiles, KeysThatCannotBeReadAreNotReplaced) {
  fs::create_directory(keys());

  EXPECT_THAT(refusal(), HasSubstr("read " + keys().string() + ": Is a directory"));
  EXPECT_TRUE(fs::is_directory(keys()));
}

TEST_F(HostFiles, KeysThatMakeNoSenseAreNotReplaced) {
  write(keys(), "garbage");

  EXPECT_THAT(refusal(), HasSubstr(keys().string() + " cannot be used: "));
  EXPECT_EQ(read(keys()), "garbage");
}

TEST_F(HostFiles, AnEmptyAdminTokenIsRefused) {
  const auto made = load_or_make_keys(directory_, "127.0.0.1", clock_.wall());
  ASSERT_TRUE(made.has_value());
  std::string text = read(keys());
  text.replace(text.find(made->admin_token), made->admin_token.size(), "");
  write(keys(), text);

  EXPECT_THAT(refusal(), HasSubstr("adminToken is missing or empty"));
}

TEST_F(HostFiles, TheAuthorityStaysAndTheServersCertificateFollowsTheAddress) {
  const auto first = load_or_make_keys(directory_, "127.0.0.1", clock_.wall());
  const auto second = load_or_make_keys(directory_, "::1", clock_.wall());

  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->authority.certificate_pem, first->authority.certificate_pem);
  EXPECT_EQ(second->admin_token, first->admin_token);
  EXPECT_NE(second->server.certificate_pem, first->server.certificate_pem);
}

TEST_F(HostFiles, AnAddressOfColonsIsBracketed) {
  net::Loop loop;
  HostOptions options;
  options.address = "::1";

  const auto host = Host::start(loop, std::move(options));

  ASSERT_TRUE(host.has_value()) << host.error().message;
  EXPECT_TRUE((*host)->url().starts_with("https://[::1]:")) << (*host)->url();
}

TEST_F(HostFiles, APrivateFileIsNewEvenWhereALinkStood) {
  const fs::path target = directory_ / "target";
  write(target, "theirs");
  fs::create_symlink(target, directory_ / "file");
  fs::create_symlink(target, directory_ / "file.new");

  ASSERT_TRUE(write_private_file(directory_ / "file", "ours").has_value());

  EXPECT_EQ(read(target), "theirs");
  EXPECT_EQ(read(directory_ / "file"), "ours");
  EXPECT_FALSE(fs::is_symlink(directory_ / "file"));
  EXPECT_EQ(fs::status(directory_ / "file").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(HostFiles, APipeIsNeitherReplacedNorWaitedFor) {
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(keys().c_str(), 0600), 0);

  const auto written = write_private_file(directory_ / "pipe", "text");

  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().message, HasSubstr("no regular file"));
  EXPECT_TRUE(fs::is_fifo(directory_ / "pipe"));
  EXPECT_THAT(refusal(), HasSubstr("cannot be used"));
}

TEST_F(HostFiles, AFailedWriteLeavesNothingBehind) {
  fs::create_directory(directory_ / "taken");

  EXPECT_FALSE(write_private_file(directory_ / "taken", "text").has_value());

  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()), 1);
}

TEST_F(HostFiles, AFailedWriteNamesTheFileThatWasAskedFor) {
  const auto wanted = directory_ / "missing" / "file";

  EXPECT_EQ(write_private_file(wanted, "text").error().message,
            "write " + wanted.string() + ": No such file or directory");
}

}  // namespace
}  // namespace fixpoint::front
