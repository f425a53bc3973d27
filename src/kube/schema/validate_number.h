// SPDX-License-Identifier: Apache-2.0
//
// Bounds of numbers and membership in enumerations, with the conversions Go's library makes.
#pragma once

#include "json/value.h"
#include "kube/schema/schema.h"
#include "kube/schema/validate_problem.h"

#include <vector>

namespace fixpoint::kube {

// A float that counts as an integer: within what JSON can hold exactly, and whole to 1e-9.
bool is_whole(double value);

void check_number(json::View value, const Validation& validation, const SentencePath& path,
                  Outcome& out);

// The value is converted to the type of each listed one before they are compared.
bool in_enum(json::View value, const std::vector<json::Value>& allowed);

bool has_repetition(json::View array);

}  // namespace fixpoint::kube
