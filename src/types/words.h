// SPDX-License-Identifier: Apache-2.0
//
// What a field may hold, in a few words: the way out that errors name, and the type column of the
// reference page.
#pragma once

#include "types/table.h"

#include <string>

namespace fixpoint::types {

// "an integer from 0 to 9", "one of Delete, Retain", "a list of at most 3 strings".
std::string allowed(const Type& type, const Limits& limits);

// "integer", "string", "[]object", "map of string".
std::string type_name(const Type& type, const Limits& limits);

// 9, not 9.000000; 0.5 as it is.
std::string number_text(double number);

// The limits of each element; none at all when the author gave none.
const Limits& item_limits(const Limits& limits);

}  // namespace fixpoint::types
