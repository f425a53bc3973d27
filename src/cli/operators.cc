// SPDX-License-Identifier: Apache-2.0
#include "cli/operators.h"

namespace fixpoint::cli {

runtime::Registry fixpoint_operators() {
  return {};
}

}  // namespace fixpoint::cli
