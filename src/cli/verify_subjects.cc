// SPDX-License-Identifier: Apache-2.0
#include "cli/verify_subjects.h"

#include "verify/models/shelf.h"

namespace fixpoint::cli {

std::vector<verify::Subject> verify_subjects() {
  return verify::models();
}

}  // namespace fixpoint::cli
