// SPDX-License-Identifier: Apache-2.0
//
// conclude(): from facts and outcomes to the status. Pure; what the status said before is asked for
// one thing only, the phase from which the table of phase.h leads on.
#pragma once

#include "kube/errors/field_error.h"
#include "operators/stellar/facts.h"
#include "runtime/outcome.h"
#include "runtime/typed.h"

namespace fixpoint::operators::stellar {

// What this pass found, the first of Finding that holds.
Finding finding_of(const Node& node, const Facts& facts, const runtime::Outcomes& outcomes);

runtime::Verdict<Status> conclude(const Node& node, const Facts& facts,
                                  const runtime::Outcomes& outcomes);

// Of a spec that check() refused.
runtime::Verdict<Status> reject(const kube::FieldErrors& errors);

}  // namespace fixpoint::operators::stellar
