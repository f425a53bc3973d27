// SPDX-License-Identifier: Apache-2.0
//
// `fixpoint demo` checks the server by itself; here is checked that it does so, and leaves nothing
// behind however it ends.
#include "base/thoroughness_for_tests.h"
#include "tests/integration/running_server.h"
#include "tests/shipped_program.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;

// The demo with its temporary files in `scratch`; `before` is put in front of the command.
Ran run_demo(const std::filesystem::path& scratch, const std::string& before = "",
             const std::string& after = "2>&1") {
  return run_line("TMPDIR='" + scratch.string() + "' " + before + " '" +
                  shipped_program().string() + "' demo " + after);
}

TEST(Demo, TellsOfStellarNodesAndLeavesNothingBehind) {
  if (::geteuid() != 0) GTEST_SKIP() << "pods have paths of their own only as root";
  const ScratchDirectory scratch;

  // Under a sanitizer not to the end: the verifier, which has tests of its own, takes fifty times
  // as long there.
  const Ran ran =
      run_demo(scratch.path(), "", kSanitized ? "2>&1 | sed '/=> alice is gone/q'" : "2>&1");

  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("=> both in sync"));
  EXPECT_THAT(ran.text, HasSubstr("typically 5-10 for most use cases"));
  EXPECT_THAT(ran.text, HasSubstr("none was made twice, and ray is in sync"));
  EXPECT_THAT(ran.text, HasSubstr("exceeded quota: small"));
  EXPECT_THAT(ran.text, HasSubstr("=> alice is gone"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  if (kSanitized) return;
  EXPECT_THAT(ran.text, HasSubstr("every property holds"));
  EXPECT_THAT(ran.text, HasSubstr("Everything held"));
}

TEST(Demo, TellsTheClustersStoryAndLeavesNothingBehind) {
  const ScratchDirectory scratch;

  const Ran ran = run_demo(scratch.path(), "", "cluster 2>&1");

  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("conflict with \"alice\": .spec.replicas"));
  EXPECT_THAT(ran.text, HasSubstr("=> revisions went on"));
  EXPECT_THAT(ran.text, HasSubstr("Everything held"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIXPOINT_UNDER_TSAN 1
#endif
#endif
// ThreadSanitizer's own runtime writes a file at start and dies of the limit that this test sets.
#ifndef FIXPOINT_UNDER_TSAN
TEST(Demo, SaysWhyAndCleansUpWhenTheServerCannotStart) {
  const ScratchDirectory scratch;

  // A file size limit of nothing: the server cannot write its keys.
  const Ran ran = run_demo(scratch.path(), "prlimit --fsize=0");

  EXPECT_EQ(ran.status, 1) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("fixpoint demo: the server ended before it was ready"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}
#endif

TEST(Demo, CleansUpWhenNobodyReadsIt) {
  const ScratchDirectory scratch;

  const Ran ran = run_demo(scratch.path(), "", "cluster >/dev/full");

  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

// Not even the reason can be said then.
TEST(Demo, EndsAndCleansUpWhenItsReaderLeaves) {
  const ScratchDirectory scratch;

  const Ran ran = run_demo(scratch.path(), "", "cluster 2>&1 | head -5");

  EXPECT_THAT(ran.text, HasSubstr("1. "));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

}  // namespace
}  // namespace fixpoint
