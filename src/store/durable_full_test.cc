// SPDX-License-Identifier: Apache-2.0
//
// The disk is full: a limit on file size in a child process stands for it, and where the tests run
// as root a small file system is.
#include "store/scratch_dir.h"

#include <fstream>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint::store {
namespace {

using ::testing::HasSubstr;

json::Value large() {
  return json::Value::string(std::string(50'000, 'x'));
}

// Writes until a commit fails, as the server would: what fails is taken back.
struct Filled {
  std::optional<Error> error;
  Revision durable;
};

Filled fill(Kept& kept, const std::optional<Error>& error) {
  for (int i = 0; i < 1000 && !error; ++i) {
    kept.put("k" + std::to_string(i), large());
    kept.log->drain();
  }
  return {.error = error, .durable = kept.log->durable()};
}

void set_file_limit(rlim_t bytes) {
  struct rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(10);
}

// Runs in a child, because the limit is the process's: exits 0 when all is as it should be.
int meet_the_limit(const std::filesystem::path& directory) {
  ::signal(SIGXFSZ, SIG_IGN);
  std::optional<Error> error;
  auto kept = Kept::open(directory, [&](const Progress& progress) { error = progress.error; });
  if (!kept) return 1;
  set_file_limit(1'000'000);
  const Filled filled = fill(*kept, error);
  if (!filled.error || filled.error->kind != ErrorKind::Exhausted) return 2;
  if (!filled.error->message.contains("File too large")) return 3;
  if (filled.durable.value < 5 || filled.durable >= kept->store.revision()) return 4;

  // Still full: the same again, and nothing is lost meanwhile.
  if (!kept->store.rewind(filled.durable)) return 5;
  kept->put("again", large());
  kept->log->drain();
  if (!error || kept->log->durable() != filled.durable) return 6;

  // Room again: the very next write succeeds.
  set_file_limit(RLIM_INFINITY);
  if (!kept->store.rewind(filled.durable)) return 7;
  kept->put("after", json::Value::integer(1));
  kept->log->drain();
  return !error && kept->log->durable() == kept->store.revision() ? 0 : 8;
}

TEST(DurableFull, AFileThatMayNotGrowFailsTheWriteAndRecoversWhenItMay) {
  const ScratchDir dir;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(meet_the_limit(dir.data()));
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);

  const auto kept = Kept::open(dir.data());

  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_TRUE(kept->store.latest().find("k0"));
  EXPECT_TRUE(kept->store.latest().find("after"));
  EXPECT_FALSE(kept->store.latest().find("again"));
  EXPECT_EQ(kept->store.latest().size(), kept->store.revision().value);
}

// A file system of 2 MiB, where this may be made.
class SmallDisk {
 public:
  SmallDisk() { mounted_ = ::mount("none", path().c_str(), "tmpfs", 0, "size=2m") == 0; }
  ~SmallDisk() {
    if (mounted_) ::umount2(path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  const std::filesystem::path& path() const { return dir_.path(); }

 private:
  ScratchDir dir_;
  bool mounted_ = false;
};

TEST(DurableFull, AFullDiskFailsTheWriteAndRecoversWhenThereIsRoom) {
  const SmallDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a file system here";
  const auto directory = disk.path() / "data";
  std::ofstream(disk.path() / "ballast") << std::string(1 << 20, 'x');
  Revision durable;
  Hash128 contents;
  {
    std::optional<Error> error;
    auto kept = Kept::open(directory, [&](const Progress& progress) { error = progress.error; });
    ASSERT_TRUE(kept) << kept.error().message;
    const Filled filled = fill(*kept, error);
    ASSERT_TRUE(filled.error);
    EXPECT_EQ(filled.error->kind, ErrorKind::Exhausted);
    EXPECT_THAT(filled.error->message, HasSubstr("No space left on device"));
    EXPECT_THAT(filled.error->message, HasSubstr("objects.mdb"));

    std::filesystem::remove(disk.path() / "ballast");
    ASSERT_TRUE(kept->store.rewind(filled.durable));
    kept->put("after", large());
    kept->log->drain();
    ASSERT_FALSE(error) << error->message;
    durable = kept->log->durable();
    EXPECT_EQ(durable.value, filled.durable.value + 1);
    contents = kept->store.latest().fingerprint();
  }

  const auto again = Kept::open(directory);

  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->store.revision(), durable);
  EXPECT_EQ(again->store.latest().fingerprint(), contents);
}

TEST(DurableFull, AFullDiskAtTheStartIsSaid) {
  const SmallDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a file system here";
  std::ofstream(disk.path() / "ballast") << std::string(3 << 20, 'x');

  const auto kept = Kept::open(disk.path() / "data");

  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().kind, ErrorKind::Exhausted);
  EXPECT_THAT(kept.error().message, HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace fixpoint::store
