// SPDX-License-Identifier: Apache-2.0
//
// The pods that earlier agents left on disk.
#pragma once

#include "json/value.h"

#include <filesystem>
#include <map>
#include <string>

namespace fixpoint::node {

// By uid; null where the pod's own file is missing or damaged.
std::map<std::string, json::Value> pods_on_disk(const std::filesystem::path& directory);

}  // namespace fixpoint::node
