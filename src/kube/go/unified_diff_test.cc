// SPDX-License-Identifier: Apache-2.0
#include "kube/go/unified_diff.h"

#include <string>

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

std::string numbered(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST(UnifiedDiff, SaysNothingAboutEqualTexts) {
  EXPECT_EQ(unified_diff("a\nb", "a\nb"), "");
}

TEST(UnifiedDiff, ShowsThreeLinesAroundAChange) {
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nfive\n6\n7\n8\n9"),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, JoinsChangesThatAreCloseAndPartsThoseThatAreNot) {
  const auto before = numbered(0, 20);
  auto near = before;
  near.replace(near.find("line 4"), 6, "LINE 4");
  near.replace(near.find("line 8"), 6, "LINE 8");
  auto far = before;
  far.replace(far.find("line 2"), 6, "LINE 2");
  far.replace(far.find("line 15"), 7, "LINE 15");

  const auto one = unified_diff(before, near);
  const auto two = unified_diff(before, far);

  EXPECT_EQ(one.find("@@ -2,11 +2,11 @@\n"), 0U);
  EXPECT_EQ(one.find("@@ -", 1), std::string::npos);
  EXPECT_EQ(two.find("@@ -1,6 +1,6 @@\n"), 0U);
  EXPECT_NE(two.find("@@ -13,7 +13,7 @@\n"), std::string::npos);
}

TEST(UnifiedDiff, CountsLinesThatCameAndWent) {
  EXPECT_EQ(unified_diff("a\nb", "a\nx\nb"), "@@ -1,2 +1,3 @@\n a\n+x\n b\n");
  EXPECT_EQ(unified_diff("a\nx\nb", "a\nb"), "@@ -1,3 +1,2 @@\n a\n-x\n b\n");
  EXPECT_EQ(unified_diff("a", "b"), "@@ -1 +1 @@\n-a\n+b\n");
}

// In a long text the many lines that say nothing start no block of equal lines.
TEST(UnifiedDiff, AlignsALongTextByItsRareLines) {
  std::string before;
  std::string after;
  for (int i = 0; i < 120; ++i) before += "{\n" + std::to_string(i) + "\n";
  for (int i = 60; i < 180; ++i) after += "{\n" + std::to_string(i) + "\n";

  const auto diff = unified_diff(before, after);

  EXPECT_EQ(diff.find("@@ -1,123 +1,3 @@\n-{\n-0\n"), 0U) << diff.substr(0, 40);
}

}  // namespace
}  // namespace fixpoint::kube
