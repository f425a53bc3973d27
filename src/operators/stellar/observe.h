// SPDX-License-Identifier: Apache-2.0
//
// observe(): reads the cluster and asks the node itself how it is. Writes nothing, decides nothing.
#pragma once

#include "base/error.h"
#include "json/value.h"
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

// How things are found without looking at a whole namespace, in which there may be thousands.
inline constexpr std::string_view kInstanceIndex = "instance";  // pods: "namespace/node"
inline constexpr std::string_view kAboutIndex = "about";        // events: the uid they are about
// Nodes that are not on their way out: "namespace/network". Networks that have no name of their own
// are all kUnnamed here: whoever meets one of them looks closer.
inline constexpr std::string_view kNetworkIndex = "network";
inline constexpr std::string_view kUnnamed = "unnamed";
std::string_view name_of_network(json::View spec);

Result<Facts> observe(const Node& node, const runtime::Reader& reader, runtime::Probes& probes);

}  // namespace fixpoint::operators::stellar
