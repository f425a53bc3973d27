// SPDX-License-Identifier: Apache-2.0
//
// A pod's status: what a write of it leaves out but may not clear stays, an address is in both of
// its places, and what kubelets report is believed where it is possible.
// kinds/validation/pods/pod.h declares its validation.
#pragma once

#include "json/draft.h"
#include "kinds/kind.h"

namespace fixpoint::kinds {

// Part of reading a pod, and so of what its writer owns.
void agree_on_pod_address(json::Draft& pod);
void prepare_pod_status(json::Draft& pod, json::View old_pod, const HookContext& context);

}  // namespace fixpoint::kinds
