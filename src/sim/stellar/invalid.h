// SPDX-License-Identifier: Apache-2.0
//
// What a program says of a configuration that it refuses, as an error.
#pragma once

#include "base/error.h"

#include <string>
#include <utility>

namespace fixpoint::sim {

inline std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorKind::Invalid, std::move(message));
}

}  // namespace fixpoint::sim
