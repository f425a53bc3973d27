// SPDX-License-Identifier: Apache-2.0
//
// Memo: what the server made of a request, so that the same request on the same store is not worked
// out again. Most states differ in what their caches know, not in what is stored.
//
// The core is a function of store and request; `key` is a hash of both, to the last digit, so that
// what is remembered is what would come out. A thread has its own.
#pragma once

#include "base/hash.h"
#include "runtime/controller/pass.h"
#include "store/store.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fixpoint::verify::world {

class Memo {
 public:
  // Calls `compute(store)`, or puts what it made of the store last time into this one.
  template <class Compute>
  std::optional<runtime::EffectReply> run(const Hash128& key, store::Store& store,
                                          Compute compute) {
    if (const auto found = known_.find(key); found != known_.end()) {
      found->second.put_into(store);
      return found->second.reply;
    }
    const auto before = store.revision();
    auto reply = compute(store);
    remember(key, before, store, reply);
    return reply;
  }

  static Memo& of_this_thread();

 private:
  // Beyond it the memory starts over, which costs time only.
  static constexpr std::size_t kMax = 50'000;

  struct Change {
    std::string key;
    json::Value body;
    bool erased = false;
  };
  struct Entry {
    std::optional<runtime::EffectReply> reply;
    std::vector<Change> changes;  // that it made, in order

    void put_into(store::Store& store) const;
  };
  struct KeyHash {
    std::size_t operator()(const Hash128& key) const { return key.low; }
  };

  void remember(const Hash128& key, store::Revision before, const store::Store& store,
                const std::optional<runtime::EffectReply>& reply);

  std::unordered_map<Hash128, Entry, KeyHash> known_;
};

}  // namespace fixpoint::verify::world
