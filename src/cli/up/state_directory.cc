// SPDX-License-Identifier: Apache-2.0
#include "cli/up/state_directory.h"

#include <cstdlib>

namespace fixpoint::cli {

std::filesystem::path state_directory() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0') {
    return std::filesystem::path(state) / "fixpoint";
  }
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home == nullptr ? "." : home) / ".local" / "state" / "fixpoint";
}

}  // namespace fixpoint::cli
