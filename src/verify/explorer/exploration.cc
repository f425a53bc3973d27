// SPDX-License-Identifier: Apache-2.0
#include "verify/explorer/exploration.h"

namespace fixpoint::verify {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::Holds: return "holds";
    case Outcome::Violated: return "violated";
    case Outcome::Vacuous: return "vacuous";
    case Outcome::Unknown: return "unknown";
  }
  return "?";
}

}  // namespace fixpoint::verify
