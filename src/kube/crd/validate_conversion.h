// SPDX-License-Identifier: Apache-2.0
//
// spec.conversion: None, or a webhook whose address is well formed.
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"

#include <string>

namespace fixpoint::kube {

// Paths are those of Kubernetes' internal form, which has no `webhook` level.
struct ConversionRules {
  bool recognized_review_version = true;
  bool valid_ca_bundle = true;
};
FieldErrors validate_conversion(json::View conversion, ConversionRules rules,
                                const FieldPath& path);
// Why certificates (base64 of PEM) are not such that a client could trust by them; empty if they
// are, or if there are none.
std::string ca_bundle_problem(json::View bundle);
// True for no versions at all: there is nothing to recognize yet.
bool has_recognized_review_version(json::View versions);

}  // namespace fixpoint::kube
