// SPDX-License-Identifier: Apache-2.0
#include "verify/world/memo.h"

#include "base/error.h"

namespace fixpoint::verify::world {

Memo& Memo::of_this_thread() {
  thread_local Memo memo;
  return memo;
}

void Memo::Entry::put_into(store::Store& store) const {
  for (const Change& change : changes) {
    if (change.erased) {
      store.erase(change.key, change.body);
    } else {
      store.put(change.key, change.body);
    }
  }
}

void Memo::remember(const Hash128& key, store::Revision before, const store::Store& store,
                    const std::optional<runtime::EffectReply>& reply) {
  const auto events = store.events_after(before);
  FP_CHECK(events.has_value());
  if (known_.size() >= kMax) known_.clear();
  Entry& entry = known_[key];
  entry.reply = reply;
  for (const auto& event : *events) {
    entry.changes.push_back({.key = event.key(),
                             .body = event.after ? event.after->body : event.last->body,
                             .erased = !event.after});
  }
}

}  // namespace fixpoint::verify::world
