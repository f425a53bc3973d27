// SPDX-License-Identifier: Apache-2.0
//
// What objects use of a ResourceQuota: names, amounts and scopes. Pure functions; admission
// (quota.h) charges with them, the quota controller recounts with them.
//
// A name in a quota belongs to one resource: "count/<resource>.<group>" to that one, compute names
// to pods, storage names to claims, the old object counts to theirs.
#pragma once

#include "apiserver/admission/resource_list.h"
#include "base/clock.h"
#include "kube/meta/gvk.h"
#include "store/store.h"

#include <string>
#include <vector>

namespace fixpoint::apiserver {

// Those names of `amounts` that objects of the resource use, in order.
std::vector<std::string> names_used_by(const kube::GroupResource& resource,
                                       const ResourceList& amounts);

// What one object uses, by every name that there is for it.
ResourceList usage_of(const kube::GroupResource& resource, json::View object, Instant now);

// True when the object is in every scope of the quota.
bool in_scopes(const kube::GroupResource& resource, json::View quota, json::View object);

// True for a pod that spec.activeDeadlineSeconds will end.
bool is_terminating_pod(json::View pod);

// Never charged: reviews, which are not stored, and Events.
bool exempt_from_quota(const kube::GroupResource& resource);

// All that is used now of the names in the quota's spec.hard; names of resources that do not exist
// are left out.
ResourceList usage_of(const store::Snapshot& snapshot, json::View quota, Instant now);

}  // namespace fixpoint::apiserver
