// SPDX-License-Identifier: Apache-2.0
//
// Binding: a scheduler's word on which node a pod goes to, sent to pods/NAME/binding or, in the old
// form, to bindings. Nothing is stored under its own name: it changes the pod, once.
#pragma once

#include "apiserver/write/write.h"

namespace fixpoint::apiserver {

kube::Answer<json::Value> bind(WriteCall& call);

// POST bindings: the pod is the one the body names.
Response create_binding(WriteCall call);

}  // namespace fixpoint::apiserver
