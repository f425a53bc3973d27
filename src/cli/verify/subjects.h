// SPDX-License-Identifier: Apache-2.0
//
// What this program can verify: its operators and the models that are always there.
#pragma once

#include "verify/subject.h"

#include <vector>

namespace fixpoint::cli {

std::vector<verify::Subject> verify_subjects();

}  // namespace fixpoint::cli
