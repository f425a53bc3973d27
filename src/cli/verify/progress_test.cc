// SPDX-License-Identifier: Apache-2.0
#include "cli/verify/progress.h"

#include <gtest/gtest.h>

namespace fixpoint::cli {
namespace {

using namespace std::chrono_literals;

TEST(VerifyProgress, SaysHowFarItIsAndWhatIsLeft) {
  const verify::Progress progress{.distinct = 3'000'000,
                                  .frontier = 12'345,
                                  .depth = 17,
                                  .bytes = std::uint64_t{512} << 20U,
                                  .elapsed = 30s};

  EXPECT_EQ(progress_text(progress, std::nullopt),
            "3,000,000 states, frontier 12,345, depth 17, 100,000/s, 512 MiB");
  EXPECT_EQ(progress_text(progress, 2min),
            "3,000,000 states, frontier 12,345, depth 17, 100,000/s, 512 MiB, 1m30s left");
  EXPECT_TRUE(progress_text(progress, 10s).ends_with(", 0s left"));
}

}  // namespace
}  // namespace fixpoint::cli
