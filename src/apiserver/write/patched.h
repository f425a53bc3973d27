// SPDX-License-Identifier: Apache-2.0
//
// The object that a JSON, merge or strategic patch makes of the current one, decoded and defaulted;
// every refusal in the words of a real server.
#pragma once

#include "apiserver/write/write.h"
#include "json/value.h"
#include "kube/errors/status.h"

namespace fixpoint::apiserver {

// Unknown and duplicate fields, of the patch and of its result, become warnings or the refusal.
kube::Answer<json::Value> patched_object(WriteCall& call, const json::Value& live);

// A custom resource keeps an apiVersion; which one is a matter of validation. Built-in ones were
// asked when decoded.
kube::Answer<void> check_patched_type(const WriteCall& call, json::View patched);

}  // namespace fixpoint::apiserver
