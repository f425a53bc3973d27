// SPDX-License-Identifier: Apache-2.0
//
// The operators that the fixpoint program has on board, in the order in which help lists them.
#pragma once

#include "runtime/registry.h"

namespace fixpoint::cli {

runtime::Registry fixpoint_operators();

}  // namespace fixpoint::cli
