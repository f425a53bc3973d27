// SPDX-License-Identifier: Apache-2.0
//
// How large one object may become: as large as etcd takes it.
#pragma once

#include "apiserver/resource.h"
#include "apiserver/weakness.h"
#include "json/value.h"
#include "kube/errors/status.h"

#include <cstddef>
#include <cstdint>

namespace fixpoint::apiserver {

// etcd's bound on a request, at which a real server fails.
inline constexpr std::size_t kStoredBytesMax = std::size_t{3} << 19U;

// The bound on a message to etcd, at which a real server fails in other words.
inline constexpr std::size_t kSentBytesMax = std::size_t{2} << 20U;

// Whether an object may lose its managedFields when it is too large with them: an apply, which is
// what they are for, must not.
enum class Owners : std::uint8_t { MayGo, Stay };

// What is stored of the wanted object; the 500 of one that is too large.
kube::Answer<json::Value> fit_to_store(const Resource& resource, json::Value wanted, Owners owners,
                                       Weakness weakness);

}  // namespace fixpoint::apiserver
