// SPDX-License-Identifier: Apache-2.0
//
// Names of API groups that more than one file of this layer speaks of.
#pragma once

#include <string_view>

namespace fixpoint::kinds {

inline constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

}  // namespace fixpoint::kinds
