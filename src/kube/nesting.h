// SPDX-License-Identifier: Apache-2.0
//
// How deep a value is nested. Whoever walks values recursively asks first.
#pragma once

#include "json/value.h"

#include <cstddef>

namespace fixpoint::kube {

// Objects and lists in one another, more than `levels` of them. Looks no deeper than that.
bool deeper_than(json::View value, std::size_t levels);

}  // namespace fixpoint::kube
