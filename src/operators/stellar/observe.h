// SPDX-License-Identifier: Apache-2.0
//
// observe(): reads the cluster and asks the node itself how it is. Writes nothing, decides nothing.
#pragma once

#include "base/error.h"
#include "operators/stellar/facts.h"
#include "runtime/operator.h"
#include "runtime/reader.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::operators::stellar {

// What children a node may have, in the order in which they are removed.
std::span<const ChildKind* const> child_kinds();
// The Secrets that pods of a node of this name read.
std::vector<std::string> secrets_of(const Spec& spec, std::string_view node);
// Everything observe() reads, for the declaration.
std::vector<runtime::Watch> watches();

Result<Facts> observe(const Node& node, const runtime::Reader& reader, runtime::Probes& probes);

}  // namespace fixpoint::operators::stellar
