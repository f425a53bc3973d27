// SPDX-License-Identifier: Apache-2.0
//
// Access reviews: what is wrong with a question, and what of it could not be understood.
#pragma once

#include "apiserver/resource.h"
#include "json/value.h"
#include "kube/errors/field_error.h"

#include <string>

namespace fixpoint::apiserver {

// Of a SubjectAccessReview and its local and own forms, with its metadata as the server completed
// it.
kube::FieldErrors check_access_review(const Resource& resource, json::View review);

// The selectors of the question that were left out of account, as status.evaluationError tells.
std::string ignored_selectors(json::View spec);

}  // namespace fixpoint::apiserver
