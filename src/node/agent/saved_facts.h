// SPDX-License-Identifier: Apache-2.0
//
// What of a container's facts outlives the agent: how often it ran, and how that ended.
#pragma once

#include "base/error.h"
#include "node/pod/facts.h"

#include <filesystem>

namespace fixpoint::node {

Result<void> save_facts(const std::filesystem::path& directory, const ContainerFacts& facts);
// NotFound when nothing was saved.
Result<void> load_facts(const std::filesystem::path& directory, ContainerFacts& facts);

}  // namespace fixpoint::node
