// SPDX-License-Identifier: Apache-2.0
#include "base/footprint.h"

#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace fixpoint {
namespace {

// A page that is touched brings its neighbours in the page cache along, up to two megabytes of
// them.
constexpr std::size_t kLargeBytes = std::size_t{4} << 20U;
// Read-only data of this program.
constexpr char kLarge[kLargeBytes] = {1};
// Filled in by the dynamic linker, and closed after that.
const char* const kRelocated[] = {"one", "two"};
int counted = 0;

// Whether the page at `address` is mapped now; looking does not map it.
bool is_mapped(const void* address) {
  const auto page = reinterpret_cast<std::uintptr_t>(address) /
                    static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t entry = 0;
  const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(::pread(pagemap, &entry, sizeof entry, static_cast<off_t>(page * sizeof entry)),
            static_cast<ssize_t>(sizeof entry));
  ::close(pagemap);
  return (entry >> 63U) != 0;
}

std::size_t sum_of_large() {
  std::size_t sum = 0;
  const volatile char* bytes = kLarge;
  for (std::size_t i = 0; i < kLargeBytes; ++i) sum += static_cast<std::size_t>(bytes[i]);
  return sum;
}

TEST(Footprint, UnmapsPagesThatAreAsInTheFile) {
  const char* const middle = kLarge + kLargeBytes / 2;
  ASSERT_EQ(sum_of_large(), 1U);
  ASSERT_TRUE(is_mapped(middle));

  unmap_program_pages();

  EXPECT_FALSE(is_mapped(middle));
  EXPECT_EQ(sum_of_large(), 1U);
}

TEST(Footprint, KeepsWhatWasChangedAfterItWasMapped) {
  counted = 7;

  unmap_program_pages();

  EXPECT_EQ(counted, 7);
  const char* const volatile* relocated = kRelocated;
  EXPECT_STREQ(relocated[1], "two");
}

}  // namespace
}  // namespace fixpoint
