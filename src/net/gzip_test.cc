// SPDX-License-Identifier: Apache-2.0
#include "net/gzip.h"

#include <gtest/gtest.h>

namespace fixpoint::net {
namespace {

TEST(Gzip, GoesThereAndBack) {
  for (const std::string& text : {std::string(), std::string("a"), std::string(100'000, 'x')}) {
    const auto packed = gzip(text);
    ASSERT_TRUE(packed.has_value());
    EXPECT_EQ(gunzip(*packed, text.size()), text);
  }
}

TEST(Gzip, RefusesToInflatePastTheBound) {
  const auto packed = gzip(std::string(1'000'000, 'x'));
  ASSERT_LT(packed->size(), 10'000U);

  EXPECT_EQ(gunzip(*packed, 999'999).error().kind, ErrorKind::Exhausted);
  EXPECT_EQ(gunzip(*packed, 0).error().kind, ErrorKind::Exhausted);
  EXPECT_TRUE(gunzip(*packed, 1'000'000).has_value());
}

TEST(Gzip, RefusesWhatIsNotOneWholeGzipText) {
  const auto packed = *gzip("hello hello hello");
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_EQ(gunzip(packed.substr(0, size), 100).error().kind, ErrorKind::Invalid) << size;
  }
  EXPECT_EQ(gunzip("plain text", 100).error().kind, ErrorKind::Invalid);
  EXPECT_EQ(gunzip(packed + "x", 100).error().kind, ErrorKind::Invalid);
  auto broken = packed;
  broken[broken.size() - 5] = static_cast<char>(broken[broken.size() - 5] ^ 1);  // the checksum
  EXPECT_EQ(gunzip(broken, 100).error().kind, ErrorKind::Invalid);
}

}  // namespace
}  // namespace fixpoint::net
