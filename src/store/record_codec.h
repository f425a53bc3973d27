// SPDX-License-Identifier: Apache-2.0
//
// Objects to the bytes of the objects file and back. Nothing here is for users of store.
#pragma once

#include "base/error.h"
#include "store/store.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::store {

// Lays a record out in `buffer`, in place of what it held.
void encode(const Record& record, std::string& buffer);

// One stored record, its bytes still in LMDB's map.
struct Stored {
  std::uint64_t id;
  std::string_view bytes;
};

// Checks and parses them all, on several threads when there are many. Fails on the first that is
// wrong, naming the object.
Result<std::vector<RecordRef>> decode_all(const std::vector<Stored>& stored);

}  // namespace fixpoint::store
