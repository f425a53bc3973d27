// SPDX-License-Identifier: Apache-2.0
//
// /scale: an autoscaling/v1 Scale seen through any object that has replicas.
#pragma once

#include "apiserver/write/write.h"

namespace fixpoint::apiserver {

// The Scale of an object (in the requested version); 500 when a custom resource lacks the field.
kube::Answer<json::Value> scale_of(const Resource& resource, json::View object);

Response get_scale(const Request& request, const Resource& resource, const store::Store& store);
// PUT and PATCH.
Response write_scale(WriteCall call);

}  // namespace fixpoint::apiserver
