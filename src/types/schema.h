// SPDX-License-Identifier: Apache-2.0
//
// The OpenAPI v3 schema that Kubernetes checks a struct with, made from its table.
//
// Everything in it is structural, so every CRD made of such schemas is accepted; a test holds the
// whole of crd() to kube/crd/validate.h and, in the kube ring, to a real server.
#pragma once

#include "json/draft.h"
#include "types/table.h"

#include <string_view>

namespace fixpoint::types {

json::Draft schema_of(const Table& table);
json::Draft schema_of(const Type& type, const Limits& limits);

// x-kubernetes-validations.
json::Draft rules_of(const std::vector<Rule>& rules);

// What a keyword such as enum holds: a JSON list of strings.
json::Draft text_list(const auto& names) {
  auto list = json::Draft::array();
  for (const auto& name : names) list.push_back(std::string_view{name});
  return list;
}

}  // namespace fixpoint::types
