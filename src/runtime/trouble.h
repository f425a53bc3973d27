// SPDX-License-Identifier: Apache-2.0
//
// Trouble: what did not get done, object by object, as a status says it (rule 11).
//
// A branch that fails is skipped and the others go on; whoever reads the status must see which
// object it was about, why, and what was left undone because of it. An operator puts these into its
// status table and fills them from the outcomes of the pass.
#pragma once

#include "runtime/outcome.h"
#include "types/table.h"

#include <cstddef>
#include <string>
#include <vector>

namespace fixpoint::runtime {

// A status is for people: the first so many, and of each message so much.
inline constexpr std::size_t kTroublesMax = 64;
inline constexpr std::size_t kTroubleMessageBytesMax = 1'024;

struct Trouble {
  std::string kind;  // empty for what is no object: an effect
  std::string ns;
  std::string name;
  std::string reason;
  std::string message;

  static types::Table table();
  bool operator==(const Trouble&) const = default;
};

// What failed, is paused, or was left out because of such a one; not what waits.
std::vector<Trouble> troubles(const Outcomes& outcomes);

}  // namespace fixpoint::runtime
