// SPDX-License-Identifier: Apache-2.0
//
// components.schemas (v3) or definitions (v2) from the generated tables.
#pragma once

#include "kinds/openapi/json_text.h"
#include "kinds/openapi/openapi.h"

#include <set>
#include <string>
#include <vector>

namespace fixpoint::kinds {

// The definitions named and everything they reach, by OpenAPI name, in name order.
std::set<std::string> reachable(const std::vector<std::string>& definitions);

// Writes `"name":{…}` for one definition, with the kinds it is the body of.
void write_definition(std::string_view definition, const std::vector<kube::GroupVersionKind>& kinds,
                      OpenApi version, JsonText& to);

// The OpenAPI name of a built-in kind's type; empty when the tables have none.
std::string builtin_definition(const kube::GroupVersionKind& kind);

// "#/components/schemas/…" or "#/definitions/…".
std::string reference_to(std::string_view definition, OpenApi version);

}  // namespace fixpoint::kinds
