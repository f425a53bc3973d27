// SPDX-License-Identifier: Apache-2.0
//
// Ownership across /scale: a Scale is another view of one field of its parent, so who owns
// spec.replicas of the Scale owns the parent's replicas field, and the other way round.
#pragma once

#include "json/value.h"
#include "kube/errors/status.h"
#include "kube/meta/gvk.h"

#include <map>
#include <string>
#include <vector>

namespace fixpoint::kube {

// Where the replicas field lies in each apiVersion of the parent, e.g. "apps/v1" → spec, replicas.
// An empty path: that version has no scale subresource.
using ReplicasPaths = std::map<std::string, std::vector<std::string>>;

// managedFields of the Scale: the parent's entries that own the replicas field.
Answer<json::Value> scale_managed_fields(json::View parent_managed_fields,
                                         const ReplicasPaths& paths);

// managedFields of the parent after a write through /scale that left `scale_managed_fields`:
// owners that lost the field there lose it here, new owners get it, under `version`.
Answer<json::Value> parent_managed_fields(json::View parent_managed_fields,
                                          json::View scale_managed_fields,
                                          const GroupVersion& version, const ReplicasPaths& paths);

}  // namespace fixpoint::kube
