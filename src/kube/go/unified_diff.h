// SPDX-License-Identifier: Apache-2.0
//
// A unified diff of two texts, line by line, as Go's difflib makes it: messages of a kube-apiserver
// show one, so which of several equally short diffs it is matters.
#pragma once

#include <string>
#include <string_view>

namespace fixpoint::kube {

// Hunks with three lines around each change, without file names; empty when nothing differs.
std::string unified_diff(std::string_view before, std::string_view after);

}  // namespace fixpoint::kube
