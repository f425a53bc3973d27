// SPDX-License-Identifier: Apache-2.0
//
// The rules of a CustomResourceDefinition as it is written: do they compile, are they affordable,
// may they speak of oldSelf where they stand?
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"

namespace fixpoint::cel {

// What one rule, and what all rules of a schema together, may be estimated to cost.
inline constexpr std::uint64_t kRuleEstimateMax = 10'000'000;
inline constexpr std::uint64_t kSchemaEstimateMax = 100'000'000;

// For the hook of kube::validate_crd. `schema_errors` is what is wrong with the schema otherwise:
// rules above or at such a place are not looked at.
kube::FieldErrors check_definition_rules(json::View open_api_v3_schema,
                                         const kube::FieldErrors& schema_errors,
                                         const kube::FieldPath& path);

// kube::validate_crd and its kin with the rules checked too.
kube::FieldErrors validate_crd(json::View crd);
kube::FieldErrors validate_crd_update(json::View crd, json::View old_crd);

}  // namespace fixpoint::cel
