// SPDX-License-Identifier: Apache-2.0
#include "json/parsing/reread.h"

#include "json/parsing/parse.h"

#include <gtest/gtest.h>

namespace fixpoint::json {
namespace {

TEST(Reread, FloatsWithoutAFractionAreIntegersAfterwards) {
  const auto before = *parse(R"({"a":1.0,"b":[1e3,{"c":-0.0}],"d":1.5,"e":1e30})");

  EXPECT_EQ(reread(before), *parse(R"({"a":1,"b":[1000,{"c":0}],"d":1.5,"e":1e30})"));
}

TEST(Reread, NothingIsCopiedWhenNothingChanges) {
  const auto before = *parse(R"({"a":1,"b":[2.5,"1.0"]})");

  const auto after = reread(before);

  EXPECT_TRUE(after.view().same_as(before));
}

}  // namespace
}  // namespace fixpoint::json
