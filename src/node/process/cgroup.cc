// SPDX-License-Identifier: Apache-2.0
#include "node/process/cgroup.h"

#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kParent = "fixpoint";

bool put(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.flush();
  return static_cast<bool>(out);
}

}  // namespace

std::optional<MemoryGroup> MemoryGroup::make(std::string_view name, std::int64_t bytes_max) {
  const fs::path first = "/sys/fs/cgroup/memory";
  const fs::path second = "/sys/fs/cgroup";
  std::error_code error;
  const bool old = fs::exists(first / "memory.limit_in_bytes", error);
  const fs::path parent = (old ? first : second) / kParent;
  fs::create_directories(parent, error);
  if (error) return std::nullopt;
  // Both may be refused where they are set already; whether the limit holds is seen below.
  if (!old) {
    put(second / "cgroup.subtree_control", "+memory");
    put(parent / "cgroup.subtree_control", "+memory");
  }
  const fs::path path = parent / name;
  fs::create_directory(path, error);
  if (error) return std::nullopt;
  MemoryGroup group(path, old);
  const fs::path limit = path / (old ? "memory.limit_in_bytes" : "memory.max");
  if (!put(limit, std::to_string(bytes_max))) {
    group.remove();
    return std::nullopt;
  }
  // Memory on disk is no memory saved; not every kernel counts it.
  put(path / (old ? "memory.memsw.limit_in_bytes" : "memory.swap.max"),
      old ? std::to_string(bytes_max) : "0");
  return group;
}

bool MemoryGroup::join() const {
  return put(path_ / "cgroup.procs", std::to_string(::getpid()));
}

bool MemoryGroup::ended_one() const {
  std::ifstream in(path_ / (first_version_ ? "memory.oom_control" : "memory.events"));
  std::string word;
  std::int64_t count = 0;
  while (in >> word >> count) {
    if (word == "oom_kill") return count > 0;
  }
  return false;
}

void MemoryGroup::remove() const {
  std::error_code ignored;  // a group that stays is empty and costs nothing
  fs::remove(path_, ignored);
}

}  // namespace fixpoint::node
