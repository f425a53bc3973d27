// SPDX-License-Identifier: Apache-2.0
//
// Validation of CustomResourceDefinitions, in Kubernetes' words and at Kubernetes' paths.
//
// What is equal in all versions is reported once, at the top of the spec, where Kubernetes'
// internal form has it: spec.validation.openAPIV3Schema…,
// spec.additionalPrinterColumns[0].JSONPath. Rules are checked for their shape here; whether they
// compile is asked of a RuleCheck. Read next: validate_schema.h, which looks into one schema.
#pragma once

#include "json/value.h"
#include "kube/crd/validate_schema.h"
#include "kube/errors/field_error.h"

namespace fixpoint::kube {

FieldErrors validate_crd(json::View crd, RuleCheck rule_check);
// Existing mistakes that an older server let through are tolerated where Kubernetes tolerates them.
FieldErrors validate_crd_update(json::View crd, json::View old_crd, RuleCheck rule_check);
FieldErrors validate_crd_status_update(json::View crd, json::View old_crd);

}  // namespace fixpoint::kube
