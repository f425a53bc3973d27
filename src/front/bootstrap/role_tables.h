// SPDX-License-Identifier: Apache-2.0
//
// The default roles and bindings of Kubernetes 1.34, as text that one can read.
//
// An object a line; what is indented belongs to the line above, a rule by two blanks, the rest of a
// long line by six. A rule is VERBS, GROUPS ("-" is the core's), RESOURCES and perhaps NAMES, or
// VERBS and paths. `of=x` gathers the rules of the roles that have `to=x`. A binding has its role
// and its subjects.
#pragma once

#include <string_view>

namespace fixpoint::front {

// Of people, of the parts of a cluster, and of what extends it.
extern const std::string_view kRoles;
// Of the controllers, a name a line (with a namespace where the role is in one). Ours are inside
// the server and ask nobody; these are for whoever brings a kube-controller-manager along. Each is
// bound to the service account of its name.
extern const std::string_view kControllerRoles;

}  // namespace fixpoint::front
