// SPDX-License-Identifier: Apache-2.0
//
// What tests ask about drawings.
#pragma once

#include "verify/explore.h"
#include "verify/models/drawn.h"

#include <string>

namespace fixpoint::verify {

inline Verdict verdict_of(const Drawn& model, const ExploreOptions& options = {}) {
  return explore(model, options).verdicts.at(0);
}

// The states of a trace: "0 1 2 | 1 2" with the loop after the bar.
inline std::string way_of(const Verdict& verdict) {
  if (!verdict.trace) return "";
  std::string way = "0";
  for (std::size_t i = 0; i < verdict.trace->steps.size(); ++i) {
    if (verdict.trace->loop_from == i) way += " |";
    const auto& action = verdict.trace->steps[i].action;
    way += action.substr(action.rfind(' '));
  }
  if (verdict.trace->loop_from == verdict.trace->steps.size()) way += " |";
  return way;
}

}  // namespace fixpoint::verify
