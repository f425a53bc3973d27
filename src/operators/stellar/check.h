// SPDX-License-Identifier: Apache-2.0
//
// check(): everything that is wrong with a spec beyond what its table says, all at once, each with
// field, message and how to fix it. Pure. What CEL can say the API server says too; here it is said
// again, because a definition may be older than the operator.
#pragma once

#include "kube/errors/field_error.h"
#include "operators/stellar/types/spec.h"

#include <string>

namespace fixpoint::operators::stellar {

kube::FieldErrors check(const Spec& spec);

// A list: one entry for each error, with the way out.
std::string explain(const kube::FieldErrors& errors);
// The same in one line, for where kubectl cuts a text at its first line break.
std::string in_a_line(const kube::FieldErrors& errors);

}  // namespace fixpoint::operators::stellar
