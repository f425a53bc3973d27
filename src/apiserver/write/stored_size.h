// SPDX-License-Identifier: Apache-2.0
//
// How large one object may become: as large as etcd takes it.
#pragma once

#include "apiserver/resource.h"
#include "apiserver/weakness.h"
#include "json/value.h"
#include "kube/errors/status.h"

#include <cstddef>

namespace fixpoint::apiserver {

// etcd's bound on a request, at which a real server fails.
inline constexpr std::size_t kStoredBytesMax = std::size_t{3} << 19U;

// The 500 of an object that is larger.
kube::Answer<void> check_stored_size(const Resource& resource, const json::Value& stored,
                                     Weakness weakness);

}  // namespace fixpoint::apiserver
