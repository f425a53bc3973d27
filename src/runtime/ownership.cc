// SPDX-License-Identifier: Apache-2.0
//
// Whom an object belongs to. Read without copying: the cache asks this of every object it stores.
#include "runtime/ownership.h"

namespace fixpoint::runtime {

std::string_view owner_uid_of(json::View object) {
  const auto metadata = object.get("metadata");
  for (const auto reference : metadata.get("ownerReferences").elements()) {
    if (reference.get("controller").as_bool()) return reference.get("uid").as_string();
  }
  return metadata.get("labels", kOwnerLabel).as_string();
}

}  // namespace fixpoint::runtime
