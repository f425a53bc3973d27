// SPDX-License-Identifier: Apache-2.0
//
// What runs on this machine, found by its environment: how a test sees the processes of its own
// pods, and that none is left.
#pragma once

#include "base/file.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace fixpoint {

// Processes whose environment holds this text, wherever they come from. One that ends meanwhile
// has none.
inline std::set<int> processes_with(std::string_view mark) {
  std::set<int> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto environment = read_file(entry.path() / "environ").value_or("");
    if (environment.find(mark) != std::string::npos) out.insert(std::stoi(name));
  }
  return out;
}

// Its words, with blanks between them.
inline std::string command_of(int process) {
  auto words = read_file("/proc/" + std::to_string(process) + "/cmdline").value_or("");
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  return words;
}

}  // namespace fixpoint
