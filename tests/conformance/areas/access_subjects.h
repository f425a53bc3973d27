// SPDX-License-Identifier: Apache-2.0
//
// Roles, bindings and signing requests as subjects.
#pragma once

#include "tests/conformance/areas/subject.h"

#include <vector>

namespace fixpoint::conformance {

const std::vector<Subject>& access_subjects();

}  // namespace fixpoint::conformance
