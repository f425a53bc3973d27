// SPDX-License-Identifier: Apache-2.0
//
// The last word of a command: its answer on stdout, or on stderr why there is none.
//
// An answer is written as a whole: a full disk or a closed pipe is a failure, said and reported by
// the exit status, not a shorter answer.
#pragma once

#include "base/error.h"

#include <string_view>

namespace fixpoint::cli {

// The exit status: kExitDone, or kExitFailed after saying why on stderr.
int answer(std::string_view text);

// Says on stderr what kept `command` from its work. The exit status: kExitFailed.
int failed(std::string_view command, const Error& error);

// Says on stderr what is wrong with what `command` was given, and where to read about it. The exit
// status: kExitMisused.
int misused(std::string_view command, const Error& error);

}  // namespace fixpoint::cli
