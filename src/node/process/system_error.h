// SPDX-License-Identifier: Apache-2.0
//
// What a system call that failed left in errno, as an Error.
#pragma once

#include "base/error.h"

#include <string_view>

namespace fixpoint::node {

// Says what errno says about `doing`, as in "fork: Cannot allocate memory". Unavailable: the same
// call may succeed later. Call it before anything else can set errno.
std::unexpected<Error> trouble(std::string_view doing);

}  // namespace fixpoint::node
