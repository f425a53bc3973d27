// SPDX-License-Identifier: Apache-2.0
//
// What a pod may keep on the node's disk, and whether it keeps more: then it is evicted, in a
// kubelet's words. Pure: somebody else measures (volume/disk_use.h).
#pragma once

#include "json/value.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace fixpoint::node {

struct StorageUse {
  std::map<std::string, std::uint64_t, std::less<>> volumes;     // its emptyDirs, by name
  std::map<std::string, std::uint64_t, std::less<>> containers;  // own files and logs
};

// Whether anything of it is limited, so that measuring makes sense.
bool has_storage_limits(json::View pod);
// Why it has to go; nothing while it keeps within its limits.
std::optional<std::string> over_storage_limit(json::View pod, const StorageUse& use);

}  // namespace fixpoint::node
