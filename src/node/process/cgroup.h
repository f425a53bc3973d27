// SPDX-License-Identifier: Apache-2.0
//
// A limit of a container that the kernel keeps, where this process may make control groups (as
// root). With the first version of the interface memory and cpu are in trees of their own, with the
// second they share a directory: making, joining and removing it twice does no harm.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace fixpoint::node {

class ControlGroup {
 public:
  // Nothing when the machine or our rights do not allow it.
  static std::optional<ControlGroup> of_memory(std::string_view name, std::int64_t bytes_max);
  static std::optional<ControlGroup> of_cpu(std::string_view name, std::int64_t millis_max);

  // The calling process and its children to come.
  bool join() const;
  // Did the kernel end a process of this group because of its limit of memory?
  bool ended_one() const;
  // Once nothing is in it any more.
  void remove() const;

  const std::filesystem::path& path() const { return path_; }

 private:
  ControlGroup(std::filesystem::path path, bool first_version)
      : path_(std::move(path)), first_version_(first_version) {}
  static std::optional<ControlGroup> make(std::string_view controller, std::string_view name);

  std::filesystem::path path_;
  bool first_version_;
};

}  // namespace fixpoint::node
