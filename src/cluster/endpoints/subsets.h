// SPDX-License-Identifier: Apache-2.0
//
// The old Endpoints object of a service: addresses that share their ports, ready ones and others.
#pragma once

#include "cluster/endpoints/backends.h"

#include <optional>
#include <vector>

namespace fixpoint::cluster::endpoints {

// More addresses do not go into one object; then it says so.
inline constexpr std::size_t kAddressesMax = 1000;
inline constexpr std::string_view kEndpoints = "endpoints/";

// The object as it should be, made from the one there is (null for none); nothing when it is so.
std::optional<json::Value> wanted_endpoints(json::View service,
                                            const std::vector<Backend>& backends,
                                            json::View present);

}  // namespace fixpoint::cluster::endpoints
