// SPDX-License-Identifier: Apache-2.0
//
// The models that every fixpoint program has on board, to show that the explorer counts right and
// that it can fail: `fixpoint verify model:2pc --size 7`.
#pragma once

#include "verify/subject.h"

#include <vector>

namespace fixpoint::verify {

std::vector<Subject> models();

}  // namespace fixpoint::verify
