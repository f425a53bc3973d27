// SPDX-License-Identifier: Apache-2.0
//
// pods/proxy, services/proxy and nodes/proxy: nothing ever listens behind them here, so what can be
// told is what a real server tells before it connects, and that it could not.
#pragma once

#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "store/store.h"

namespace fixpoint::apiserver {

bool is_proxy(const Resource& resource, std::string_view subresource);
// `request.name` is NAME, NAME:PORT or SCHEME:NAME:PORT.
Response proxy(const Request& request, const Resource& resource, const store::Store& store);

}  // namespace fixpoint::apiserver
