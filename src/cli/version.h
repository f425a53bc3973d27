// SPDX-License-Identifier: Apache-2.0
//
// The texts of `fixpoint version`.
#pragma once

#include "cli/build_info.h"

#include <string>

namespace fixpoint::cli {

std::string version_line(const BuildInfo& build);
std::string version_json(const BuildInfo& build);

}  // namespace fixpoint::cli
