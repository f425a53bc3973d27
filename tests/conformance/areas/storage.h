// SPDX-License-Identifier: Apache-2.0
//
// Volumes, claims, classes and drivers as subjects.
#pragma once

#include "tests/conformance/areas/subject.h"

#include <vector>

namespace fixpoint::conformance {

const std::vector<Subject>& storage_subjects();

}  // namespace fixpoint::conformance
