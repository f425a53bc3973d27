// SPDX-License-Identifier: Apache-2.0
//
// Lists of strings, from a tree and into one.
#pragma once

#include "json/draft.h"
#include "json/value.h"

#include <span>
#include <string>
#include <vector>

namespace fixpoint::json {

// What is no string reads as empty; no list at all as none.
std::vector<std::string> strings_of(View list);
Draft list_of(std::span<const std::string> values);

}  // namespace fixpoint::json
