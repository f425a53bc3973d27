// SPDX-License-Identifier: Apache-2.0
#include "node/process/cgroup.h"

#include "node/process/kernel_file.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kParent = "fixpoint";
// A container's share is counted anew this often, as Kubernetes does it.
constexpr std::int64_t kPeriodMicros = 100'000;

}  // namespace

std::optional<ControlGroup> ControlGroup::make(std::string_view controller, std::string_view name) {
  const fs::path second = "/sys/fs/cgroup";
  const fs::path first = second / controller;
  std::error_code error;
  const bool old = fs::exists(first / "cgroup.procs", error);
  const fs::path parent = (old ? first : second) / kParent;
  fs::create_directories(parent, error);
  if (error) return std::nullopt;
  // Both may be refused where they are set already; whether a limit holds is seen when it is put.
  if (!old) {
    write_kernel_file(second / "cgroup.subtree_control", "+" + std::string{controller});
    write_kernel_file(parent / "cgroup.subtree_control", "+" + std::string{controller});
  }
  const fs::path path = parent / name;
  fs::create_directory(path, error);
  if (error) return std::nullopt;
  return ControlGroup(path, old);
}

std::optional<ControlGroup> ControlGroup::of_memory(std::string_view name, std::int64_t bytes_max) {
  auto group = make("memory", name);
  if (!group) return std::nullopt;
  const bool old = group->first_version_;
  const auto& path = group->path_;
  if (!write_kernel_file(path / (old ? "memory.limit_in_bytes" : "memory.max"),
                         std::to_string(bytes_max))) {
    group->remove();
    return std::nullopt;
  }
  // Memory on disk is no memory saved; not every kernel counts it.
  write_kernel_file(path / (old ? "memory.memsw.limit_in_bytes" : "memory.swap.max"),
                    old ? std::to_string(bytes_max) : "0");
  return group;
}

std::optional<ControlGroup> ControlGroup::of_cpu(std::string_view name, std::int64_t millis_max) {
  auto group = make("cpu", name);
  if (!group) return std::nullopt;
  const auto period = std::to_string(kPeriodMicros);
  // The kernel takes no share below a millisecond.
  const auto quota =
      std::to_string(std::max<std::int64_t>(millis_max * kPeriodMicros / 1000, 1000));
  const auto& path = group->path_;
  const bool kept = group->first_version_
                        ? write_kernel_file(path / "cpu.cfs_period_us", period) &&
                              write_kernel_file(path / "cpu.cfs_quota_us", quota)
                        : write_kernel_file(path / "cpu.max", quota + " " + period);
  if (!kept) {
    group->remove();
    return std::nullopt;
  }
  return group;
}

bool ControlGroup::join() const {
  return write_kernel_file(path_ / "cgroup.procs", std::to_string(::getpid()));
}

bool ControlGroup::ended_one() const {
  std::ifstream in(path_ / (first_version_ ? "memory.oom_control" : "memory.events"));
  std::string word;
  std::int64_t count = 0;
  while (in >> word >> count) {
    if (word == "oom_kill") return count > 0;
  }
  return false;
}

void ControlGroup::remove() const {
  std::error_code ignored;  // a group that stays is empty and costs nothing
  fs::remove(path_, ignored);
}

}  // namespace fixpoint::node
