// SPDX-License-Identifier: Apache-2.0
//
// KeyMemory: what this process remembers about one key from pass to pass. Never what to do: losing
// it costs a read, a write that changes nothing or a repeated event, not correctness. Nearly always
// empty, and then it takes no room.
#pragma once

#include "base/hash.h"
#include "runtime/plan.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::runtime {

// Objects of one key in doubt or stored differently than written; beyond it the oldest are
// forgotten.
inline constexpr std::size_t kRememberedObjectsMax = 256;

// So many transient failures in a row, a bit more than a second of backoff, are not worth a word in
// the status: a conflict or a lost connection is no new phase (rule 10).
inline constexpr std::uint32_t kTransientsUnsaid = 8;

struct KeyMemory {
  // Objects whose last write has an unknown fate, or was refused because they had changed: the next
  // pass reads them live before it trusts the cache.
  std::vector<ObjectRef> doubts;

  // The server stored something else than was written ("0.5" became "500m", a field was dropped).
  // While the object still is what our write returned, the wish is fulfilled: a child while it says
  // the same where we say something (its echo), anything else while it has the same version.
  struct Stored {
    ObjectRef object;
    Hash128 desired;
    std::string returned;  // echo or version

    bool operator==(const Stored&) const = default;
  };
  std::vector<Stored> stored;

  // Hashes of the events of the last pass: they are said again only when they were not meanwhile.
  std::vector<std::uint64_t> said;

  // Passes in a row that changed something.
  std::uint32_t progress = 0;

  // Passes in a row that a transient failure ended.
  std::uint32_t transients = 0;

  bool operator==(const KeyMemory&) const = default;
  bool empty() const { return *this == KeyMemory{}; }

  void doubt(const ObjectRef& object);
  void remember(const ObjectRef& object, const Hash128& desired, std::string returned);
  void forget(const ObjectRef& object);
  bool fulfilled(const ObjectRef& object, const Hash128& desired, std::string_view returned) const;
};

}  // namespace fixpoint::runtime
