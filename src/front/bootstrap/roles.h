// SPDX-License-Identifier: Apache-2.0
//
// The roles and bindings that every new cluster begins with.
#pragma once

#include <string>
#include <vector>

namespace fixpoint::front {

// Each as JSON, in an order in which they can be created.
std::vector<std::string> default_roles();

}  // namespace fixpoint::front
