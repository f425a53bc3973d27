// SPDX-License-Identifier: Apache-2.0
//
// Bytes flipped at random places of a data file, and files cut short. Whatever was hit, opening
// either refuses with a message that helps, or finds exactly the contents last written: it never
// crashes and never serves something else.
#include "base/rng.h"
#include "store/page_check.h"
#include "store/scratch_dir.h"

#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::store {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>{file}, {}};
}

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
    bytes = read_all(dir.file());
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
  constexpr int kFlips = 900;
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
