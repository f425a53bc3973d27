// SPDX-License-Identifier: Apache-2.0
//
// Where this user's clusters and nodes are kept when nobody says where.
#pragma once

#include <filesystem>

namespace fixpoint::cli {

// $XDG_STATE_HOME/fixpoint, else ~/.local/state/fixpoint.
std::filesystem::path state_directory();

}  // namespace fixpoint::cli
