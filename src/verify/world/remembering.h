// SPDX-License-Identifier: Apache-2.0
//
// remembering: an operator that is not asked twice. What it checks, decides and concludes follows
// from what it is told, so that the same questions get the answers of the first time; most passes
// of a world see what another has seen.
//
// What observe() learned is known by all that its reader told it, to the last digit; decide(),
// cleanup() and conclude() by that and the outcomes. A thread has its own memory, of a fixed size,
// and while an Afresh is there nothing remembered is used: so the explorer's sample compares.
#pragma once

#include "runtime/operator.h"

#include <memory>

namespace fixpoint::verify::world {

// `plain` outlives what is returned.
std::unique_ptr<const runtime::Operator> remembering(const runtime::Operator& plain);

// On this thread operators are asked again, as if nothing were remembered.
class Afresh {
 public:
  explicit Afresh(bool on);
  ~Afresh();
  Afresh(const Afresh&) = delete;
  Afresh& operator=(const Afresh&) = delete;

 private:
  bool before_;
};

}  // namespace fixpoint::verify::world
