// SPDX-License-Identifier: Apache-2.0
//
// Which build this is. cmake/BuildInfo.cmake writes the definition when the commit changes; nothing
// else depends on the commit, so a new one recompiles a single small file.
#pragma once

#include <string_view>

namespace fixpoint::cli {

struct BuildInfo {
  std::string_view version;
  std::string_view commit;  // "unknown" outside a git checkout; ends in "-dirty" with local changes
  std::string_view compiler;
  std::string_view build_type;
};

extern const BuildInfo kBuildInfo;

}  // namespace fixpoint::cli
