// SPDX-License-Identifier: Apache-2.0
//
// Devices and their claims (resource.k8s.io), and how a server shares itself out (flowcontrol), as
// subjects.
#pragma once

#include "tests/conformance/areas/subject.h"

#include <vector>

namespace fixpoint::conformance {

const std::vector<Subject>& device_subjects();
Sequence flow_sequence(Gen& gen);

}  // namespace fixpoint::conformance
