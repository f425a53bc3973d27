// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/mask.h"

#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

TEST(Mask, TellsAVersionFromANumberInAQuotedObject) {
  Mask mask{"id"};
  mask.learn_version("420");

  EXPECT_EQ(mask.text("the ResourceVersion in the precondition (420)"),
            "the ResourceVersion in the precondition (<rv 1>)");
  EXPECT_EQ(mask.text(R"({"APIVersion": "v1", "Mode": 420})"),
            R"({"APIVersion": "v1", "Mode": 420})");
  EXPECT_EQ(mask.text(R"("{\"resourceVersion\":\"77\"}")"), R"("{\"resourceVersion\":\"<rv>\"}")");
  EXPECT_EQ(mask.text(R"(a version with "memory":"420Mi" of 420)"),
            R"(a version with "memory":"420Mi" of <rv 1>)");
  EXPECT_EQ(mask.text("of version 420\n@@ -1,420 +1,5 @@\n"),
            "of version <rv 1>\n@@ -1,420 +1,5 @@\n");
}

TEST(Mask, KnowsTheTypeOfSelfByAnyNumber) {
  Mask mask{"c1"};

  EXPECT_EQ(mask.text("'list(selfType41.m.@idx)' and selfType7, not selfTypes or self 7"),
            "'list(selfType<number>.m.@idx)' and selfType<number>, not selfTypes or self 7");
}

}  // namespace
}  // namespace fixpoint::conformance
