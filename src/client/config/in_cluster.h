// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a program that runs in a pod: the service account the kubelet mounts.
#pragma once

#include "base/error.h"
#include "client/config.h"

namespace fixpoint::client {

// The kubelet's environment variables and the account's token are there.
bool inside_cluster(const Surroundings& surroundings);
Result<Config> in_cluster_config(const Surroundings& surroundings);

}  // namespace fixpoint::client
