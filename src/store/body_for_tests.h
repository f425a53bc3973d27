// SPDX-License-Identifier: Apache-2.0
//
// For tests: something to store.
#pragma once

#include "json/value.h"

#include <cstdint>

namespace fixpoint::store {

// The smallest body there is, and told from others by its number.
inline json::Value body(std::int64_t n) {
  return json::Value::integer(n);
}

}  // namespace fixpoint::store
