// SPDX-License-Identifier: Apache-2.0
//
// Strategic merge patch for built-in kinds: lists merge by their patch keys, with the $patch,
// $deleteFromPrimitiveList, $setElementOrder and $retainKeys directives.
#pragma once

#include "json/value.h"
#include "kube/errors/status.h"
#include "kube/schema/schema.h"

namespace fixpoint::kube {

Answer<json::Value> strategic_merge(const Schema& schema, const json::Value& target,
                                    json::View patch);

}  // namespace fixpoint::kube
