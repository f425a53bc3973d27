// SPDX-License-Identifier: Apache-2.0
//
// LazyHash: a fingerprint that is computed when somebody first asks for it, and then kept.
//
// The server never compares snapshots and so never pays; the verifier asks all the time and pays
// once per change. Threads that ask at the same moment all compute the same two words, so the only
// order that matters is that `high_` is there before `low_` says so.
#pragma once

#include "base/hash.h"

#include <atomic>
#include <cstdint>

namespace fixpoint::store {

class LazyHash {
 public:
  LazyHash() = default;
  LazyHash(const LazyHash&) {}  // copies are made in order to be changed
  LazyHash& operator=(const LazyHash&) = delete;

  template <class Compute>
  Hash128 get(Compute&& compute) const {
    if (const auto low = low_.load(std::memory_order_acquire); low != 0) {
      return {.high = high_.load(std::memory_order_relaxed), .low = low};
    }
    const Hash128 hash = compute();
    high_.store(hash.high, std::memory_order_relaxed);
    low_.store(hash.low, std::memory_order_release);  // a true 0 is merely computed again
    return hash;
  }
  // Only by the one holder of whatever this belongs to.
  void reset() { low_.store(0, std::memory_order_relaxed); }

 private:
  mutable std::atomic<std::uint64_t> high_{0};
  mutable std::atomic<std::uint64_t> low_{0};
};

}  // namespace fixpoint::store
