// SPDX-License-Identifier: Apache-2.0
#include "store/durable.h"

#include "base/rng.h"
#include "store/body_for_tests.h"
#include "store/file_format.h"
#include "store/scratch_dir.h"

#include <atomic>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lmdb.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint::store {

struct ObjectsFileProbe {
  static void doubt(ObjectsFile& file, std::vector<Event> events) {
    file.doubtful_ = std::move(events);
  }
};

namespace {

using ::testing::HasSubstr;

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

TEST(DurableLog, BringsBackEveryObjectAndTheRevision) {
  const ScratchDir dir;
  Hash128 before;
  std::string cluster;
  {
    auto kept = Kept::open(dir.data());
    ASSERT_TRUE(kept) << kept.error().message;
    cluster = kept->recovered.cluster_id;
    for (int i = 0; i < 2000; ++i) kept->put("pods/a/p" + std::to_string(i), body(i));
    for (int i = 0; i < 2000; i += 3) kept->put("pods/a/p" + std::to_string(i), body(-i));
    for (int i = 0; i < 2000; i += 5) kept->erase("pods/a/p" + std::to_string(i));
    kept->put("pods/a/p0", body(7));
    before = kept->store.latest().fingerprint();
  }

  const auto again = Kept::open(dir.data());

  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->store.latest().fingerprint(), before);
  EXPECT_EQ(again->store.revision(), Revision{2000 + 667 + 400 + 1});
  EXPECT_EQ(again->store.oldest(), again->store.revision());
  EXPECT_EQ(again->store.latest().find("pods/a/p3")->created, Revision{4});
  EXPECT_EQ(again->store.latest().find("pods/a/p3")->modified, Revision{2002});
  EXPECT_EQ(again->store.latest().find("pods/a/p0")->created, again->store.revision());
  EXPECT_EQ(again->recovered.cluster_id, cluster);
  EXPECT_EQ(cluster.size(), 36U);
  EXPECT_EQ(again->recovered.generation, 2U);
}

TEST(DurableLog, KeepsNamesAndBodiesOfAnySize) {
  const ScratchDir dir;
  const std::string name = "configmaps/ns/" + std::string(2000, 'n');
  const auto large = json::Value::string(std::string(1'500'000, 'x') + "<&>\u2028\"\\\n");
  {
    auto kept = Kept::open(dir.data());
    ASSERT_TRUE(kept);
    kept->put(name, large);
    kept->put("empty", json::Value::empty_object());
  }

  const auto again = Kept::open(dir.data());

  ASSERT_TRUE(again);
  EXPECT_EQ(again->store.latest().find(name)->body, large);
  EXPECT_EQ(again->store.latest().find("empty")->body, json::Value::empty_object());
}

TEST(DurableLog, ReportsRevisionsInOrderAndOnlyOnceTheyAreOnDisk) {
  const ScratchDir dir;
  std::mutex mutex;
  std::vector<std::uint64_t> reported;
  auto kept = Kept::open(dir.data(), [&](const Progress& progress) {
    EXPECT_FALSE(progress.error);
    const std::lock_guard guard{mutex};
    reported.push_back(progress.durable.value);
  });
  ASSERT_TRUE(kept);

  for (int i = 0; i < 500; ++i) kept->put("k" + std::to_string(i % 10), body(i));
  kept->log->drain();

  EXPECT_EQ(kept->log->durable(), Revision{500});
  EXPECT_EQ(kept->log->backlog(), 0U);
  const std::lock_guard guard{mutex};
  EXPECT_TRUE(std::ranges::is_sorted(reported));
  EXPECT_EQ(reported.back(), 500U);
  EXPECT_LT(reported.size(), 500U) << "every write had a commit of its own";
}

TEST(DurableLog, WritesItsFileAheadAndGivesBackTheRestAtTheEnd) {
  const ScratchDir dir;
  const ScratchDir copy;
  std::uintmax_t running = 0;
  Hash128 contents;
  {
    auto kept = Kept::open(dir.data());
    ASSERT_TRUE(kept) << kept.error().message;
    running = std::filesystem::file_size(dir.file());
    for (int i = 0; i < 2000; ++i) {
      kept->put("pods/a/p" + std::to_string(i), body(i));
      if (i % 10 != 9) continue;
      kept->log->drain();
      const auto before = std::exchange(running, std::filesystem::file_size(dir.file()));
      EXPECT_TRUE(running == before || running >= before + 1'000'000) << "it grew by little";
    }
    contents = kept->store.latest().fingerprint();
    std::filesystem::create_directory(copy.data());
    std::filesystem::copy_file(dir.file(), copy.file());
  }

  EXPECT_LT(std::filesystem::file_size(dir.file()), running - 200'000);
  for (const auto& directory : {dir.data(), copy.data()}) {
    const auto again = Kept::open(directory);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->store.latest().fingerprint(), contents);
  }
}

TEST(DurableLog, IsForTheOwnerOnly) {
  const ScratchDir dir;
  const mode_t old_mask = ::umask(0);
  const auto kept = Kept::open(dir.data());
  ::umask(old_mask);

  ASSERT_TRUE(kept);
  EXPECT_EQ(mode_of(dir.data()), 0700U);
  EXPECT_EQ(mode_of(dir.file()), 0600U);
  EXPECT_EQ(mode_of(dir.data() / "lock"), 0600U);
}

TEST(DurableLog, LeavesNoFileOpenInProgramsThatAreStarted) {
  const ScratchDir dir;
  const auto kept = Kept::open(dir.data());
  ASSERT_TRUE(kept);

  int found = 0;
  for (int fd = 0; fd < 256; ++fd) {
    std::error_code none;
    const auto target =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), none).string();
    if (!target.starts_with(dir.path().string())) continue;
    EXPECT_EQ(::fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC) << target;
    ++found;
  }
  EXPECT_GE(found, 2);
}

TEST(DurableLog, ASecondOpenerLearnsWhoHasIt) {
  const ScratchDir dir;
  const auto first = Kept::open(dir.data());
  ASSERT_TRUE(first);

  const auto second = Kept::open(dir.data());

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::Conflict);
  EXPECT_THAT(second.error().message, HasSubstr("process " + std::to_string(::getpid())));
  EXPECT_THAT(second.error().message, HasSubstr("store_test"));
  EXPECT_THAT(second.error().message, HasSubstr("since 20"));
}

TEST(DurableLog, ALockLeftByAKilledProcessDoesNotBlock) {
  const ScratchDir dir;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto kept = Kept::open(dir.data());
    const char ok = kept ? 'y' : 'n';
    if (::write(ready[1], &ok, 1) == 1) ::pause();
    ::_exit(1);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);

  EXPECT_TRUE(Kept::open(dir.data()));
}

TEST(DurableLog, SaysWhatIsWrongWithAPath) {
  const ScratchDir dir;
  std::ofstream(dir.path() / "file") << "x";

  const auto not_directory = Kept::open(dir.path() / "file");
  const auto below_file = Kept::open(dir.path() / "file" / "data");
  const auto no_parent = Kept::open(dir.path() / "missing" / "data");

  ASSERT_FALSE(not_directory || below_file || no_parent);
  EXPECT_THAT(not_directory.error().message, HasSubstr("Not a directory"));
  EXPECT_THAT(below_file.error().message, HasSubstr("Not a directory"));
  EXPECT_THAT(no_parent.error().message, HasSubstr("create its parent directory first"));
  EXPECT_EQ(no_parent.error().kind, ErrorKind::Invalid);
}

TEST(DurableLog, SaysThatADirectoryCannotBeWritten) {
  const ScratchDir dir;
  std::filesystem::create_directory(dir.data());
  ::chmod(dir.path().c_str(), 0755);
  ::chmod(dir.data().c_str(), 0555);
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // root may write anywhere, so become nobody
    if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(1);
    const auto kept = Kept::open(dir.data());
    const std::string message = kept ? "opened" : kept.error().message;
    ::_exit(::write(pipe[1], message.data(), message.size()) > 0 ? 0 : 1);
  }
  ::waitpid(child, nullptr, 0);
  char text[1000] = {};
  ASSERT_GT(::read(pipe[0], text, sizeof text - 1), 0);
  ::close(pipe[0]);
  ::close(pipe[1]);

  EXPECT_THAT(text, HasSubstr("Permission denied"));
  EXPECT_THAT(text, HasSubstr("choose a directory this user can write to"));
}

TEST(DurableLog, RefusesAFileThatIsNotItsOwn) {
  const ScratchDir dir;
  std::filesystem::create_directory(dir.data());
  for (const auto& contents : {std::string("hello"), std::string(100'000, 'x')}) {
    std::ofstream(dir.file(), std::ios::binary) << contents;

    const auto kept = Kept::open(dir.data());

    ASSERT_FALSE(kept);
    EXPECT_THAT(kept.error().message, HasSubstr("objects.mdb is not a Fixpoint data file"));
    EXPECT_EQ(std::filesystem::file_size(dir.file()), contents.size()) << "it was written to";
  }
}

TEST(DurableLog, DoesNotWaitForAPipeInPlaceOfItsFile) {
  const ScratchDir dir;
  std::filesystem::create_directory(dir.data());
  ASSERT_EQ(::mkfifo(dir.file().c_str(), 0600), 0);

  const auto kept = Kept::open(dir.data());

  ASSERT_FALSE(kept);
  EXPECT_THAT(kept.error().message, HasSubstr("objects.mdb is not a Fixpoint data file"));
}

// Another program's LMDB file, with keys made as told.
void write_foreign(const std::filesystem::path& path, unsigned flags, std::string_view value) {
  MDB_env* env = nullptr;
  MDB_txn* txn = nullptr;
  MDB_dbi table = 0;
  std::uint64_t id = 0;
  MDB_val key{.mv_size = sizeof id, .mv_data = &id};
  MDB_val data{.mv_size = value.size(), .mv_data = const_cast<char*>(value.data())};
  ASSERT_EQ(mdb_env_create(&env), 0);
  ASSERT_EQ(mdb_env_open(env, path.c_str(), MDB_NOSUBDIR | MDB_NOLOCK, 0600), 0);
  ASSERT_EQ(mdb_txn_begin(env, nullptr, 0, &txn), 0);
  ASSERT_EQ(mdb_dbi_open(txn, nullptr, flags | MDB_CREATE, &table), 0);
  ASSERT_EQ(mdb_put(txn, table, &key, &data, 0), 0);
  ASSERT_EQ(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
}

TEST(DurableLog, RefusesAnotherProgramsDatabase) {
  for (const unsigned flags : {0U, unsigned{MDB_INTEGERKEY}, unsigned{MDB_DUPSORT}}) {
    const ScratchDir dir;
    std::filesystem::create_directory(dir.data());
    write_foreign(dir.file(), flags, "value");

    const auto kept = Kept::open(dir.data());

    ASSERT_FALSE(kept);
    EXPECT_THAT(kept.error().message, HasSubstr("choose another data directory"));
  }
}

TEST(DurableLog, RefusesAFileOfANewerFormat) {
  const ScratchDir dir;
  std::filesystem::create_directory(dir.data());
  StateRecord state{.format = kFileFormat + 1, .transaction = 1};
  const std::string_view bytes{reinterpret_cast<const char*>(&state), sizeof state};
  state.checksum = record_checksum(kStateId, bytes);
  write_foreign(dir.file(), MDB_INTEGERKEY, bytes);

  const auto kept = Kept::open(dir.data());

  ASSERT_FALSE(kept);
  EXPECT_THAT(kept.error().message, HasSubstr("written by a newer Fixpoint"));
  EXPECT_THAT(kept.error().message, HasSubstr("objects.mdb"));
}

TEST(DurableLog, GrowsItsMapAndSaysWhenItsBoundIsReached) {
  const ScratchDir dir;
  const FileLimits limits{.map_bytes = 1 << 16, .map_bytes_max = 1 << 22};
  const auto large = json::Value::string(std::string(100'000, 'x'));
  std::optional<Error> error;
  auto kept =
      Kept::open(dir.data(), [&](const Progress& progress) { error = progress.error; }, limits);
  ASSERT_TRUE(kept) << kept.error().message;

  int written = 0;
  for (; written < 100 && !error; ++written) {
    kept->put("k" + std::to_string(written), large);
    kept->log->drain();
  }

  ASSERT_TRUE(error);
  EXPECT_GT(written, 20) << "4 MiB hold more than that";
  EXPECT_EQ(error->kind, ErrorKind::Exhausted);
  EXPECT_THAT(error->message, HasSubstr("bound of 4 MiB"));

  ASSERT_TRUE(kept->store.rewind(kept->log->durable()));
  for (int i = 0; i < 10; ++i) kept->erase("k" + std::to_string(i));
  kept->log->drain();
  EXPECT_FALSE(error) << error->message;
  EXPECT_EQ(kept->log->durable(), kept->store.revision());
}

TEST(DurableLog, IgnoresWhatWasAppendedAfterAFailureUntilTheStoreWasRewound) {
  const ScratchDir dir;
  const FileLimits limits{.map_bytes = 1 << 18, .map_bytes_max = 1 << 18};
  const auto large = json::Value::string(std::string(400'000, 'x'));
  int failures = 0;
  {
    auto kept = Kept::open(
        dir.data(), [&](const Progress& progress) { failures += progress.error ? 1 : 0; }, limits);
    ASSERT_TRUE(kept);
    kept->put("a", body(1));
    kept->log->drain();

    kept->put("big", large);
    kept->log->drain();
    kept->put("late", body(2));
    kept->log->drain();

    EXPECT_EQ(failures, 1);
    EXPECT_EQ(kept->log->durable(), Revision{1});
    ASSERT_TRUE(kept->store.rewind(Revision{1}));
    kept->put("b", body(3));
    kept->log->drain();
    EXPECT_EQ(kept->log->durable(), Revision{2});
  }

  const auto again = Kept::open(dir.data());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->store.latest().size(), 2U);
  EXPECT_EQ(again->store.latest().find("b")->body, body(3));
}

TEST(ObjectsFile, TakesBackACommitThatFailedButReachedTheDisk) {
  const ScratchDir dir;
  Store store;
  {
    auto file = ObjectsFile::open(dir.path() / "objects.mdb", {});
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE((*file)->load());
    const std::vector first{store.put("a", body(1)), store.put("b", body(2))};
    ASSERT_TRUE((*file)->commit(first));
    Store lost = store.fork();
    const std::vector doubtful{lost.put("a", body(9)), lost.erase("b", body(2)),
                               lost.put("c", body(9)), lost.put("b", body(9))};
    ASSERT_TRUE((*file)->commit(doubtful));

    ObjectsFileProbe::doubt(**file, doubtful);
    const std::vector next{store.put("d", body(4))};
    ASSERT_TRUE((*file)->commit(next));
  }

  auto again = ObjectsFile::open(dir.path() / "objects.mdb", {});
  ASSERT_TRUE(again);
  const auto recovered = (*again)->load();

  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_EQ(recovered->revision, Revision{3});
  EXPECT_TRUE((Store{recovered->records, recovered->revision}.latest() == store.latest()));
}

}  // namespace
}  // namespace fixpoint::store
