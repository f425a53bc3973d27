// SPDX-License-Identifier: Apache-2.0
//
// The OpenAPI v3 schema that Kubernetes checks a struct with, made from its table.
//
// Everything in it is structural, so every CRD made of such schemas is accepted; a test holds the
// whole of crd() to kube/crd_validate.h and, in the kube ring, to a real server.
#pragma once

#include "json/draft.h"
#include "types/table.h"

namespace fixpoint::types {

json::Draft schema_of(const Table& table);
json::Draft schema_of(const Type& type, const Limits& limits);

// x-kubernetes-validations.
json::Draft rules_of(const std::vector<Rule>& rules);

}  // namespace fixpoint::types
