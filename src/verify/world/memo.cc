// SPDX-License-Identifier: Apache-2.0
#include "verify/world/memo.h"

#include "base/error.h"

namespace fixpoint::verify::world {

Memo& Memo::of_this_thread() {
  thread_local Memo memo;
  return memo;
}

void Memo::Entry::put_into(store::Store& store) const {
  if (key.empty()) return;
  if (erased) {
    store.erase(key, body);
  } else {
    store.put(key, body);
  }
}

void Memo::remember(const Hash128& key, store::Revision before, const store::Store& store,
                    const std::optional<runtime::EffectReply>& reply) {
  const auto events = store.events_after(before);
  FP_CHECK(events.has_value());
  if (events->size() > 1) return;
  if (known_.size() >= kMax) known_.clear();
  Entry& entry = known_[key];
  entry.reply = reply;
  if (events->empty()) return;
  const auto& event = events->front();
  entry.key = event.key();
  entry.erased = !event.after;
  entry.body = event.after ? event.after->body : event.last->body;
}

}  // namespace fixpoint::verify::world
