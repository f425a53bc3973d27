// SPDX-License-Identifier: Apache-2.0
//
// Roles, bindings and signing requests as subjects.
#pragma once

#include "tests/conformance/areas/subject.h"

namespace fixpoint::conformance {

Sequence access_subject_sequence(Gen& gen);

}  // namespace fixpoint::conformance
