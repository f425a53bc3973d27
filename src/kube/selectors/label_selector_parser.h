// SPDX-License-Identifier: Apache-2.0
//
// The text form of label selectors, for label_selector.cc alone.
#pragma once

#include "base/error.h"
#include "kube/selectors/label_selector.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

// In the order of the text.
Result<std::vector<LabelRequirement>> parse_label_requirements(std::string_view text);
// The requirement, or all that is wrong with it as one text in a real server's words.
Result<LabelRequirement> checked_requirement(LabelRequirement requirement);
// What > and < compare.
std::optional<std::int64_t> label_integer(std::string_view text);

}  // namespace fixpoint::kube
