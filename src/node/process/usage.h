// SPDX-License-Identifier: Apache-2.0
//
// What processes use, by the kernel's own count: ProcessTable is one walk through /proc, good for
// any number of containers.
//
// A container is everything below its supervisor, whatever became of it: processes that lost their
// parent are handed to the supervisor or to the first process of the container.
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace fixpoint::node {

struct Use {
  Duration cpu{};  // since they began
  std::uint64_t memory_bytes = 0;

  bool operator==(const Use&) const = default;
};

// A line of /proc/PID/stat; of times, with those of children that ended and were waited for.
struct ProcessLine {
  int parent = 0;
  std::uint64_t cpu_ticks = 0;
  std::uint64_t resident_pages = 0;

  bool operator==(const ProcessLine&) const = default;
  static std::optional<ProcessLine> parse(std::string_view line);
};

class ProcessTable {
 public:
  // Of this machine, now. Processes that end during the walk are left out.
  static ProcessTable read();

  void add(int pid, const ProcessLine& line);
  // Of all that descend from it, without itself.
  Use below(int pid) const;

 private:
  struct Entry {
    ProcessLine line;
    std::vector<int> children;
  };
  std::map<int, Entry> processes_;
};

// Of the machine as a whole; nothing where /proc does not say.
std::optional<Use> use_of_machine();
// Of "cpu …" in /proc/stat and of /proc/meminfo.
std::optional<Use> machine_use(std::string_view stat, std::string_view meminfo);

}  // namespace fixpoint::node
