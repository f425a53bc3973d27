// SPDX-License-Identifier: Apache-2.0
//
// Accepted differences: the few places where our server is knowingly not a real one, each with its
// reason and a sequence that shows it. docs/CONFORMANCE.md tells people; accepted_test.cc notices
// when one is no longer true. The generators keep away from them.
#pragma once

#include "tests/conformance/step.h"

#include <string_view>
#include <vector>

namespace fixpoint::conformance {

struct Accepted {
  std::string_view name;
  std::string_view differs;
  std::string_view because;
  Sequence shown_by;
};

std::vector<Accepted> accepted_differences();

}  // namespace fixpoint::conformance
