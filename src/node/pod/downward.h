// SPDX-License-Identifier: Apache-2.0
//
// The downward API: what a pod may learn about itself, as text for variables and files.
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "node/pod/sources.h"

#include <string>

namespace fixpoint::node {

// `selector` is a fieldRef; the error is what Kubernetes shows.
Result<std::string> field_value(json::View selector, json::View pod, const Place& place);
// `selector` is a resourceFieldRef; without a containerName it is about `container`.
Result<std::string> resource_value(json::View selector, json::View pod, json::View container,
                                   const Place& place);

}  // namespace fixpoint::node
