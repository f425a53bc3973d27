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
}

}  // namespace
}  // namespace fixpoint::conformance
