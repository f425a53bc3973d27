// SPDX-License-Identifier: Apache-2.0
#include "node/logs/log_reader.h"
#include "node/pod/pod_for_tests.h"
#include "node/process/log_writer.h"
#include "store/scratch_directory.h"

#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

using Stream = LogWriter::Stream;

class NodeLog : public testing::Test {
 protected:
  std::filesystem::path file() const { return scratch_.path() / "0.log"; }
  std::string read(const LogQuery& query = {}) const { return read_log(file(), query); }

  store::ScratchDirectory scratch_ =
      *store::ScratchDirectory::make("test", std::filesystem::temp_directory_path());
};

TEST_F(NodeLog, GivesBackWhatWasWrittenLineByLine) {
  LogWriter writer(file());
  writer.write(Stream::Out, "one\ntw", at(1));
  EXPECT_EQ(read(), "one\n");
  writer.write(Stream::Err, "oops\n", at(2));
  writer.write(Stream::Out, "o\n\nend", at(3));
  writer.finish(at(4));

  EXPECT_EQ(read(), "one\noops\ntwo\n\nend");
  EXPECT_EQ(read({.tail_lines = 2}), "\nend");
  EXPECT_EQ(read({.tail_lines = 0}), "");
  EXPECT_EQ(read({.since = at(3)}), "two\n\nend");
  EXPECT_EQ(read({.bytes_max = 5}), "one\no");
  EXPECT_EQ(read({.tail_lines = 4, .timestamps = true}),
            "2026-01-01T00:00:02.000000000Z oops\n2026-01-01T00:00:03.000000000Z two\n"
            "2026-01-01T00:00:03.000000000Z \n2026-01-01T00:00:04.000000000Z end");
}

TEST_F(NodeLog, CutsLongLinesAndPutsThemTogetherAgain) {
  LogWriter writer(file());
  const std::string line(LogWriter::kLineBytesMax * 2 + 5, 'x');
  writer.write(Stream::Out, "a\n" + line + "\nb\n", at(1));

  EXPECT_EQ(read(), "a\n" + line + "\nb\n");
  EXPECT_EQ(read({.tail_lines = 2}), line + "\nb\n");
}

TEST_F(NodeLog, StaysWithinTwoFilesAndIsFollowedAcrossThem) {
  constexpr std::size_t kMax = 2'000;
  LogWriter writer(file(), kMax);
  writer.write(Stream::Out, "first\n", at(1));
  LogFollower follower(file(), {});
  EXPECT_EQ(follower.more(), "first\n");

  std::string all;
  for (int i = 0; i < 100; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    writer.write(Stream::Out, line, at(1));
    all += line;
    if (i % 10 == 9) {
      EXPECT_EQ(follower.more(), all) << i;
      all.clear();
    }
  }

  EXPECT_LE(std::filesystem::file_size(file()), kMax);
  EXPECT_LE(std::filesystem::file_size(rotated_log(file())), kMax);
  EXPECT_TRUE(read().ends_with("line 99\n"));
}

TEST_F(NodeLog, OfAFileThatIsNotThereIsEmpty) {
  EXPECT_EQ(read(), "");
  LogFollower follower(file(), {.bytes_max = 3});
  EXPECT_EQ(follower.more(), "");
  LogWriter(file()).write(Stream::Out, "later\n", at(1));
  EXPECT_EQ(follower.more(), "lat");
  EXPECT_TRUE(follower.full());
}

}  // namespace
}  // namespace fixpoint::node
