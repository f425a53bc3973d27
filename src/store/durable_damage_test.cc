// SPDX-License-Identifier: Apache-2.0
//
// Bytes flipped at random places of a data file, and files cut short. Whatever was hit, opening
// either refuses with a message that helps, or finds exactly the contents last written: it never
// crashes and never serves something else.
#include "base/file.h"
#include "base/rng.h"
#include "store/file_format.h"
#include "store/page_check.h"
#include "store/scratch_dir.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lmdb.h>

namespace fixpoint::store {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

void write_all(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

json::Value sized(Rng& rng, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += static_cast<char>('a' + rng.below(26));
  return json::Value::string(text);
}

// Many commits, so that there are branches, overflow pages and a free list.
struct Written {
  ScratchDir dir{ScratchDir::memory()};
  Hash128 contents;
  Revision revision;
  std::string bytes;

  Written() {
    Rng rng{7};
    {
      auto kept = Kept::open(dir.data());
      EXPECT_TRUE(kept);
      for (int i = 0; i < 120; ++i) {
        const auto key = "pods/default/pod-" + std::to_string(rng.below(80));
        kept->put(key, sized(rng, rng.below(8) == 0 ? 9000 : 700));
        if (rng.below(4) == 0) kept->erase(key);
        if (i % 4 == 0) kept->log->drain();
      }
      contents = kept->store.latest().fingerprint();
      revision = kept->store.revision();
    }
    bytes = read_file(dir.file()).value();
  }
};

void expect_refused_or_same(const Written& written, const std::string& what, int& refused) {
  const auto kept = Kept::open(written.dir.data());
  if (kept) {
    EXPECT_EQ(kept->store.latest().fingerprint(), written.contents) << what;
    EXPECT_EQ(kept->store.revision(), written.revision) << what;
    return;
  }
  ++refused;
  EXPECT_THAT(kept.error().message, HasSubstr("objects.mdb")) << what;
  EXPECT_THAT(kept.error().message,
              AnyOf(HasSubstr("restore it from a backup"), HasSubstr("another data directory")))
      << what;
}

TEST(DurableDamage, AFlippedByteIsNoticedOrDoesNotMatter) {
  const Written written;
  constexpr int kFlips = 600;
  Rng rng{42};
  int refused = 0;

  for (int i = 0; i < kFlips && !::testing::Test::HasFailure(); ++i) {
    std::string bytes = written.bytes;
    // A third in the meta pages, a third in page headers, a third anywhere.
    auto at = rng.below(bytes.size());
    if (i % 3 == 0) at = rng.below(2) * 4096 + rng.below(160);
    if (i % 3 == 1) at = at / 4096 * 4096 + rng.below(64);
    const auto flip = i % 2 == 0 ? 1U << rng.below(8) : 1 + rng.below(255);
    bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ flip);
    write_all(written.dir.file(), bytes);
    expect_refused_or_same(written, "byte " + std::to_string(at) + " ^ " + std::to_string(flip),
                           refused);
  }

  EXPECT_GT(refused, kFlips / 4);
}

TEST(DurableDamage, AFileCutShortIsNoticedOrDoesNotMatter) {
  const Written written;
  Rng rng{43};
  int refused = 0;

  for (int i = 0; i < 100; ++i) {
    // An empty file is like none: that is not damage that could be told from a new directory.
    const auto size = 1 + rng.below(written.bytes.size() - 1);
    write_all(written.dir.file(), written.bytes.substr(0, size));
    expect_refused_or_same(written, "cut to " + std::to_string(size), refused);
  }

  EXPECT_GT(refused, 80);
}

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Offsets in LMDB's pages; page_check.cc has the whole layout.
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kMetaAt = 16;
constexpr std::size_t kFreeRootAt = kMetaAt + 24 + 40;
constexpr std::size_t kMainRootAt = kFreeRootAt + 48;
constexpr std::size_t kTransactionAt = kMainRootAt + 16;

// Where the meta page lies that counts.
std::size_t newest_meta(const std::string& bytes) {
  const auto first = number_at<std::uint64_t>(bytes, kTransactionAt);
  const auto second = number_at<std::uint64_t>(bytes, kPageBytes + kTransactionAt);
  return first > second ? 0 : kPageBytes;
}

TEST(DurableDamage, ANumberThatWouldBringBackTheCommitBeforeTheLastIsNoticed) {
  const Written written;
  std::string bytes = written.bytes;
  const auto at = newest_meta(bytes) + kTransactionAt;
  const auto number = number_at<std::uint64_t>(bytes, at) - 2;
  std::memcpy(bytes.data() + at, &number, sizeof number);
  write_all(written.dir.file(), bytes);

  const auto kept = Kept::open(written.dir.data());

  ASSERT_FALSE(kept);
  EXPECT_THAT(kept.error().message, HasSubstr("last two commits"));
}

TEST(DurableDamage, AFreeListThatNamesAPageInUseIsNoticed) {
  const Written written;
  std::string bytes = written.bytes;
  const std::size_t meta = newest_meta(bytes);
  const auto main_root = number_at<std::uint64_t>(bytes, meta + kMainRootAt);
  const auto free_leaf = number_at<std::uint64_t>(bytes, meta + kFreeRootAt) * kPageBytes;
  ASSERT_EQ(number_at<std::uint16_t>(bytes, free_leaf + 10), 2U) << "the free list is one leaf";
  const auto entry = free_leaf + number_at<std::uint16_t>(bytes, free_leaf + 16);
  ASSERT_GE(number_at<std::uint64_t>(bytes, entry + 16), 1U) << "of at least one page";
  std::memcpy(bytes.data() + entry + 24, &main_root, sizeof main_root);
  write_all(written.dir.file(), bytes);

  const auto kept = Kept::open(written.dir.data());

  ASSERT_FALSE(kept);
  EXPECT_THAT(kept.error().message, HasSubstr("is in use"));
}

// Deletes an object behind the store's back, leaving everything else as a commit would.
void delete_first_object(const std::filesystem::path& path) {
  MDB_env* env = nullptr;
  MDB_txn* txn = nullptr;
  MDB_dbi table = 0;
  MDB_cursor* cursor = nullptr;
  MDB_val key{};
  MDB_val value{};
  ASSERT_EQ(mdb_env_create(&env), 0);
  ASSERT_EQ(mdb_env_open(env, path.c_str(), MDB_NOSUBDIR | MDB_NOLOCK, 0600), 0);
  ASSERT_EQ(mdb_txn_begin(env, nullptr, 0, &txn), 0);
  ASSERT_EQ(mdb_dbi_open(txn, nullptr, MDB_INTEGERKEY, &table), 0);
  ASSERT_EQ(mdb_cursor_open(txn, table, &cursor), 0);
  ASSERT_EQ(mdb_cursor_get(cursor, &key, &value, MDB_FIRST), 0);
  StateRecord state;
  ASSERT_EQ(value.mv_size, sizeof state);
  std::memcpy(&state, value.mv_data, sizeof state);
  ASSERT_EQ(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), 0);
  ASSERT_EQ(mdb_cursor_del(cursor, 0), 0);
  state.transaction = mdb_txn_id(txn);
  state.checksum = record_checksum(kStateId, {reinterpret_cast<const char*>(&state), sizeof state});
  std::uint64_t id = kStateId;
  key = {.mv_size = sizeof id, .mv_data = &id};
  value = {.mv_size = sizeof state, .mv_data = &state};
  ASSERT_EQ(mdb_put(txn, table, &key, &value, 0), 0);
  mdb_cursor_close(cursor);
  ASSERT_EQ(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
}

TEST(DurableDamage, AnObjectMissingFromAnOtherwiseSoundFileIsNoticed) {
  const Written written;
  delete_first_object(written.dir.file());
  ASSERT_EQ(*check_pages(written.dir.file()), FileState::Sound);

  const auto kept = Kept::open(written.dir.data());

  ASSERT_FALSE(kept);
  EXPECT_THAT(kept.error().message, HasSubstr("objects are missing"));
}

TEST(DurableDamage, NamesTheObjectWhoseTextWasChanged) {
  const Written written;
  std::string bytes = written.bytes;
  ASSERT_EQ(*check_pages(written.dir.file()), FileState::Sound);
  int named = 0;
  for (int i = 0; i < 80; ++i) {
    const std::string name = "pods/default/pod-" + std::to_string(i);
    const auto at = bytes.rfind(name + "\"");
    if (at == std::string::npos) continue;
    std::string damaged = bytes;
    damaged[at + name.size() + 20] ^= 1;
    write_all(written.dir.file(), damaged);

    const auto kept = Kept::open(written.dir.data());

    if (kept) continue;  // an old version on a page no longer in use
    EXPECT_THAT(kept.error().message, HasSubstr("object " + name + " (number"));
    EXPECT_THAT(kept.error().message, HasSubstr("does not match its checksum"));
    ++named;
  }
  EXPECT_GT(named, 5);
}

}  // namespace
}  // namespace fixpoint::store
