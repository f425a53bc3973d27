// SPDX-License-Identifier: Apache-2.0
//
// Limits as the kernel has them, where the machine lets us make control groups.
#include "node/process/cgroup.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

std::string own_name() {
  return "cgroup-test-" + std::to_string(::getpid());
}

std::string kept(const ControlGroup& group, const char* first, const char* second) {
  const bool old = std::filesystem::exists(group.path() / first);
  std::ifstream in(group.path() / (old ? first : second));
  std::string line;
  std::getline(in, line);
  return line;
}

TEST(ControlGroup, ALimitOfCpuIsAShareOfEachTenthOfASecond) {
  const auto group = ControlGroup::of_cpu(own_name(), 250);
  if (!group) GTEST_SKIP() << "this machine or user makes no control groups";
  const auto quota = kept(*group, "cpu.cfs_quota_us", "cpu.max");
  group->remove();

  EXPECT_TRUE(quota.starts_with("25000")) << quota;
  EXPECT_FALSE(std::filesystem::exists(group->path()));
}

TEST(ControlGroup, TheSmallestShareIsAMillisecond) {
  const auto group = ControlGroup::of_cpu(own_name(), 1);
  if (!group) GTEST_SKIP() << "this machine or user makes no control groups";
  const auto quota = kept(*group, "cpu.cfs_quota_us", "cpu.max");
  group->remove();

  EXPECT_TRUE(quota == "1000" || quota.starts_with("1000 ")) << quota;
}

TEST(ControlGroup, ALimitOfMemoryIsInBytes) {
  const auto group = ControlGroup::of_memory(own_name(), 64 << 20);
  if (!group) GTEST_SKIP() << "this machine or user makes no control groups";
  const auto limit = kept(*group, "memory.limit_in_bytes", "memory.max");
  group->remove();

  EXPECT_EQ(limit, "67108864");
}

}  // namespace
}  // namespace fixpoint::node
