// SPDX-License-Identifier: Apache-2.0
//
// Goes through a counterexample with this program's own operator as a process of its own, on an API
// server that breaks what the counterexample breaks.
#pragma once

#include "base/error.h"
#include "verify/report/live.h"

#include <string>

namespace fixpoint::cli {

struct LiveOutcome {
  bool same = false;  // the process asked for the same, and the cluster is as the story ends
  std::string text;
};

// `program` is run as "program operator …"; whatever it says goes to `log`.
Result<LiveOutcome> replay_live(const verify::LiveScript& script, const std::string& program,
                                const std::string& log);

}  // namespace fixpoint::cli
