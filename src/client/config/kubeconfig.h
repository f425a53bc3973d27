// SPDX-License-Identifier: Apache-2.0
//
// kubeconfig files: several read as one, and one context of them made into a Config.
//
// The first file to name a cluster, user or context wins, whole; so does the first current-context.
// Relative paths are relative to the file they are written in.
#pragma once

#include "base/error.h"
#include "client/config.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::client {

enum class MissingFiles : std::uint8_t { Refuse, Skip };

// An empty context takes the current one.
Result<Config> load_kubeconfig(const std::vector<std::string>& paths, MissingFiles missing,
                               const std::string& context);

}  // namespace fixpoint::client
