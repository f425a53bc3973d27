// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/phase.h"

#include <algorithm>

namespace fixpoint::operators::stellar {

std::string_view to_string(Phase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}

Phase phase_named(std::string_view name) {
  const auto found = std::ranges::find(kPhaseNames, name);
  return found == kPhaseNames.end() ? Phase::Pending
                                    : static_cast<Phase>(found - kPhaseNames.begin());
}

}  // namespace fixpoint::operators::stellar
