// SPDX-License-Identifier: Apache-2.0
//
// The counts in a status, as Go writes and reads them: a count of zero is not there.
#pragma once

#include "json/draft.h"

#include <cstdint>
#include <string_view>

namespace fixpoint::cluster {

inline void set_count(json::Draft& status, std::string_view field, std::int64_t count) {
  if (count == 0) {
    status.erase(field);
  } else {
    status[field] = count;
  }
}

inline std::int64_t count_of(const json::Draft& status, std::string_view field) {
  const json::Draft* given = status.find(field);
  return given == nullptr ? 0 : given->as_int();
}

}  // namespace fixpoint::cluster
