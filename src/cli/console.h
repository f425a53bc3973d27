// SPDX-License-Identifier: Apache-2.0
//
// Writing an answer to stdout as a whole: a full disk or a closed pipe is a failure, said and
// reported by the exit status, not a shorter answer.
#pragma once

#include <string_view>

namespace fixpoint::cli {

// The exit status: kExitDone, or kExitFailed after saying why on stderr.
int answer(std::string_view text);

}  // namespace fixpoint::cli
