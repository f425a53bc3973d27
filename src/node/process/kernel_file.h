// SPDX-License-Identifier: Apache-2.0
//
// Files that are the kernel's: below /proc and /sys, where writing is asking for something.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace fixpoint::node {

// The whole text in one write: the kernel takes each write as a request of its own. False when it
// refused.
inline bool write_kernel_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.flush();
  return static_cast<bool>(out);
}

}  // namespace fixpoint::node
