// SPDX-License-Identifier: Apache-2.0
//
// A memory limit that the kernel keeps, where this process may make control groups (as root).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace fixpoint::node {

class MemoryGroup {
 public:
  // Nothing when the machine or our rights do not allow it.
  static std::optional<MemoryGroup> make(std::string_view name, std::int64_t bytes_max);

  // The calling process and its children to come.
  bool join() const;
  // Did the kernel end a process of this group because of the limit?
  bool ended_one() const;
  // Once nothing is in it any more.
  void remove() const;

 private:
  MemoryGroup(std::filesystem::path path, bool first_version)
      : path_(std::move(path)), first_version_(first_version) {}
  std::filesystem::path path_;
  bool first_version_;
};

}  // namespace fixpoint::node
