// SPDX-License-Identifier: Apache-2.0
//
// What a pod's kubelet would answer: log, exec, attach, portforward and proxy.
//
// No kubelet ever runs here, so what can be told is what a real server tells before it asks one:
// options and containers are checked, a pod without a node has an empty log and nothing to connect
// to, and a node that does not exist is not found.
#pragma once

#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "store/store.h"

namespace fixpoint::apiserver {

bool is_pod_stream(const Resource& resource, std::string_view subresource);
Response pod_stream(const Request& request, const Resource& pods, const store::Store& store);

}  // namespace fixpoint::apiserver
