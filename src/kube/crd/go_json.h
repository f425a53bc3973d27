// SPDX-License-Identifier: Apache-2.0
//
// Parts of a CRD as Kubernetes prints them in some errors: Go's internal structs in JSON, with Go's
// field names, in Go's order, absent things as null.
#pragma once

#include "json/value.h"

#include <string>

namespace fixpoint::kube {

// {"ID":"","Schema":"","Ref":null,…}
std::string go_json_schema(json::View schema);
// {"Rule":"self.a > 1","Message":"",…}
std::string go_json_rule(json::View rule);
// {"Schema":null,"JSONSchemas":[…]}
std::string go_json_items(json::View items);

// Fields that are the same in every version move to the top of the spec before validation, and then
// read null here.
struct MovedUp {
  bool schema = false;
  bool subresources = false;
  bool columns = false;
  bool selectable_fields = false;
};
// [{"Name":"v1","Served":true,…}]
std::string go_json_versions(json::View versions, const MovedUp& moved);

}  // namespace fixpoint::kube
