// SPDX-License-Identifier: Apache-2.0
//
// OpenAPI of what is served right now: built-in group versions from the tables of kinds, custom
// ones from their CRDs.
#pragma once

#include "apiserver/resource.h"
#include "kube/gvk.h"

#include <string>
#include <vector>

namespace fixpoint::apiserver {

// The v3 document of a group version; empty when nothing is served under it.
std::string openapi_v3(const std::vector<Resource>& resources, const kube::GroupVersion& version);
// Changes when the document does, without making it.
std::string openapi_tag(const std::vector<Resource>& resources, const kube::GroupVersion& version);

}  // namespace fixpoint::apiserver
