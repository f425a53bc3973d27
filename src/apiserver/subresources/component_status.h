// SPDX-License-Identifier: Apache-2.0
//
// ComponentStatus: whether the parts of the control plane answer. Nothing of it is stored; the
// parts of this one live in the same process, so whoever can ask is told that they do.
#pragma once

#include "apiserver/request.h"
#include "apiserver/resource.h"

namespace fixpoint::apiserver {

bool is_component_status(const Resource& resource);
Response get_component(const Request& request);
Response list_components(const Request& request, const Resource& resource);

}  // namespace fixpoint::apiserver
