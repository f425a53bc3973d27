// SPDX-License-Identifier: Apache-2.0
//
// What a pod asks for in total, which LimitRange and ResourceQuota both reckon with. The lists are
// kinds/resource_list.h's.
#pragma once

#include "kinds/resource_list.h"

namespace fixpoint::apiserver {

using kinds::add;
using kinds::raise;
using kinds::read_resources;
using kinds::ResourceList;
using kinds::to_draft;
using kinds::to_text;

struct PodResources {
  ResourceList requests;
  ResourceList limits;
};

// The two plug-ins differ: quota adds the overhead of the pod's runtime class and takes huge pages
// from the pod level, limit ranges do neither.
enum class PodTotal { ForQuota, ForLimitRange };

// The greater of what runs together and what each init container needs at its turn; amounts set for
// the whole pod replace the sums.
PodResources pod_total(json::View pod, PodTotal purpose);

// True when the pod itself, not only its containers, says what it asks for.
bool has_pod_level_resources(json::View pod);

}  // namespace fixpoint::apiserver
