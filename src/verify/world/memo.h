// SPDX-License-Identifier: Apache-2.0
//
// Memo: what the server made of a request, so that the same request on the same store is not worked
// out again. Most states differ in what their caches know, not in what is stored; and of what is
// stored a request concerns little.
//
// The core is a function of the request, of the store's revision and of what it reads of the store
// (store/read_log.h). So what came out is remembered together with what was read, and comes out
// again where the same is read. Where the store as a whole is looked at, and by those who look at
// it in another way, the whole of it is the key. A thread has its own.
#pragma once

#include "base/hash.h"
#include "runtime/controller/pass.h"
#include "store/read_log.h"
#include "store/store.h"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fixpoint::verify::world {

class Memo {
 public:
  using Answer = std::optional<runtime::EffectReply>;

  // Calls `compute(store)`, or puts what it made of the store last time into this one. `key` tells
  // everything about the request and the store.
  template <class Compute>
  Answer run(const Hash128& key, store::Store& store, Compute compute) {
    if (const Entry* found = find(key)) return found->put_into(store);
    const auto before = store.revision();
    auto reply = compute(store);
    remember(key, before, store, reply);
    return reply;
  }

  // The same, where `compute` looks at the store only through its snapshots. `question` tells
  // everything about the request, `whole` about the store.
  template <class Compute>
  Answer run_by_reads(const Hash128& question, const Hash128& whole, store::Store& store,
                      Compute compute) {
    if (const Entry* found = find_by_reads(question, whole, store.latest())) {
      return found->put_into(store);
    }
    const store::Store before = store.fork();
    store::ReadLog reads;
    Answer reply;
    {
      const store::Listening listening{reads};
      reply = compute(store);
    }
    remember(note_reads(question, whole, before.latest(), std::move(reads)), before.revision(),
             store, reply);
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
    Answer reply;
    std::vector<Change> changes;  // that it made, in order

    const Answer& put_into(store::Store& store) const;
  };
  struct KeyHash {
    std::size_t operator()(const Hash128& key) const { return key.low; }
  };

  const Entry* find(const Hash128& key) const;
  const Entry* find_by_reads(const Hash128& question, const Hash128& whole,
                             const store::Snapshot& snapshot) const;
  // By what it is found again.
  Hash128 note_reads(const Hash128& question, const Hash128& whole, const store::Snapshot& before,
                     store::ReadLog reads);
  void remember(const Hash128& key, store::Revision before, const store::Store& store,
                const Answer& reply);

  std::unordered_map<Hash128, Entry, KeyHash> known_;
  // What was read to answer a question, each way of reading once: mostly there is one.
  std::unordered_map<Hash128, std::vector<store::ReadLog>, KeyHash> reads_;
};

}  // namespace fixpoint::verify::world
