// SPDX-License-Identifier: Apache-2.0
#include "node/process/usage.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

TEST(ProcessUse, IsReadFromALineWhateverTheProgramIsCalled) {
  const auto line = ProcessLine::parse(
      "42 (a) b (c) S 7 42 42 0 -1 4194560 100 200 0 0 11 12 13 14 20 0 1 0 9999 1000000 250 "
      "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0");

  EXPECT_EQ(line, (ProcessLine{.parent = 7, .cpu_ticks = 50, .resident_pages = 250}));
  EXPECT_EQ(ProcessLine::parse(""), std::nullopt);
  EXPECT_EQ(ProcessLine::parse("42 (sh) S 7 42"), std::nullopt);
  EXPECT_EQ(ProcessLine::parse("42 (sh) S x 4 4 0 -1 4 1 2 0 0 1 1 1 1 20 0 1 0 9 1 2"),
            std::nullopt);
}

TEST(ProcessUse, OfAContainerIsThatOfAllBelowItsSupervisor) {
  ProcessTable table;
  table.add(10, {.parent = 1, .cpu_ticks = 1000, .resident_pages = 1000});  // the supervisor
  table.add(11, {.parent = 10, .cpu_ticks = 1, .resident_pages = 2});
  table.add(12, {.parent = 11, .cpu_ticks = 10, .resident_pages = 20});
  table.add(13, {.parent = 10, .cpu_ticks = 100, .resident_pages = 200});
  table.add(20, {.parent = 1, .cpu_ticks = 5000, .resident_pages = 5000});

  const auto use = table.below(10);

  const auto ticks = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  EXPECT_EQ(use.cpu, std::chrono::nanoseconds(111ULL * 1'000'000'000 / ticks));
  EXPECT_EQ(use.memory_bytes, 222U * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(table.below(12), Use{});
  EXPECT_EQ(table.below(99), Use{});
}

TEST(ProcessUse, OfThisMachineIsThere) {
  EXPECT_GT(ProcessTable::read().below(1).memory_bytes, 0U);
  ASSERT_TRUE(use_of_machine().has_value());
  EXPECT_GT(use_of_machine()->memory_bytes, 0U);
}

TEST(ProcessUse, OfAMachineIsTimeThatIsNotIdleAndMemoryThatIsNotAvailable) {
  const std::string stat = "cpu  100 10 20 5000 600 3 4 1 50 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
  const std::string memory = "MemTotal:   1000 kB\nMemFree: 100 kB\nMemAvailable:  400 kB\n";

  const auto use = machine_use(stat, memory);

  ASSERT_TRUE(use.has_value());
  const auto ticks = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  EXPECT_EQ(use->cpu, std::chrono::nanoseconds(138ULL * 1'000'000'000 / ticks));
  EXPECT_EQ(use->memory_bytes, 600U * 1024);
  EXPECT_EQ(machine_use("cpu 1 2", memory), std::nullopt);
  EXPECT_EQ(machine_use(stat, "MemTotal: 10 kB\n"), std::nullopt);
}

}  // namespace
}  // namespace fixpoint::node
