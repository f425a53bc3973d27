// SPDX-License-Identifier: Apache-2.0
//
// Small lists searched from front to back: they hold nothing for most keys.
#include "runtime/controller/key_memory.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fixpoint::runtime {

void KeyMemory::doubt(const ObjectRef& object) {
  if (std::ranges::find(doubts, object) != doubts.end()) return;
  if (doubts.size() >= kRememberedObjectsMax) doubts.erase(doubts.begin());
  doubts.push_back(object);
}

void KeyMemory::remember(const ObjectRef& object, const Hash128& desired, std::string returned) {
  forget(object);
  if (stored.size() >= kRememberedObjectsMax) stored.erase(stored.begin());
  stored.push_back({object, desired, std::move(returned)});
}

void KeyMemory::forget(const ObjectRef& object) {
  std::erase_if(stored, [&](const Stored& entry) { return entry.object == object; });
}

bool KeyMemory::fulfilled(const ObjectRef& object, const Hash128& desired,
                          std::string_view returned) const {
  return std::ranges::any_of(stored, [&](const Stored& entry) {
    return entry.returned == returned && entry.desired == desired && entry.object == object;
  });
}

}  // namespace fixpoint::runtime
