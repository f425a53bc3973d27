// SPDX-License-Identifier: Apache-2.0
#include "verify/world/memo.h"

#include "base/error.h"
#include "verify/world/digest.h"

#include <algorithm>
#include <cstdint>

namespace fixpoint::verify::world {
namespace {

void add_record(std::vector<std::uint64_t>& words, const store::RecordRef& record) {
  words.push_back(record ? record->created.value : 0);
  if (!record) return;
  words.push_back(record->modified.value);
  const Hash128 body = digest_of(record->body).exact();
  words.push_back(body.high);
  words.push_back(body.low);
}

// All that these reads are told by this snapshot. A range is read to its end, whether or not
// somebody stopped before.
Hash128 told(const store::ReadLog& reads, const store::Snapshot& snapshot, const Hash128& question,
             std::size_t way, const Hash128& whole) {
  thread_local std::vector<std::uint64_t> words;
  words.assign({question.high, question.low, way});
  if (reads.everything) words.insert(words.end(), {whole.high, whole.low});
  for (const auto& key : reads.keys) add_record(words, snapshot.find(key));
  for (const auto& [prefix, after] : reads.ranges) {
    const std::size_t count_at = words.size();
    words.push_back(0);
    snapshot.scan(prefix, after, [&](const store::RecordRef& record) {
      words.push_back(hash64(record->key));
      add_record(words, record);
      ++words[count_at];
      return true;
    });
  }
  return hash128(
      {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t)});
}

template <class List>
void keep_each_once(List& list) {
  std::ranges::sort(list);
  const auto rest = std::ranges::unique(list);
  list.erase(rest.begin(), rest.end());
}

}  // namespace

Memo& Memo::of_this_thread() {
  thread_local Memo memo;
  return memo;
}

const Memo::Answer& Memo::Entry::put_into(store::Store& store) const {
  for (const Change& change : changes) {
    if (change.erased) {
      store.erase(change.key, change.body);
    } else {
      store.put(change.key, change.body);
    }
  }
  return reply;
}

const Memo::Entry* Memo::find(const Hash128& key) const {
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : &found->second;
}

const Memo::Entry* Memo::find_by_reads(const Hash128& question, const Hash128& whole,
                                       const store::Snapshot& snapshot) const {
  const auto ways = reads_.find(question);
  if (ways == reads_.end()) return nullptr;
  for (std::size_t way = 0; way < ways->second.size(); ++way) {
    const auto* found = find(told(ways->second[way], snapshot, question, way, whole));
    if (found != nullptr) return found;
  }
  return nullptr;
}

Hash128 Memo::note_reads(const Hash128& question, const Hash128& whole,
                         const store::Snapshot& before, store::ReadLog reads) {
  keep_each_once(reads.keys);
  keep_each_once(reads.ranges);
  if (reads_.size() >= kMax) reads_.clear();
  auto& ways = reads_[question];
  const auto known = std::ranges::find(ways, reads);
  const auto way = static_cast<std::size_t>(known - ways.begin());
  if (known == ways.end()) ways.push_back(std::move(reads));
  return told(ways[way], before, question, way, whole);
}

void Memo::remember(const Hash128& key, store::Revision before, const store::Store& store,
                    const Answer& reply) {
  const auto events = store.events_after(before);
  FP_CHECK(events.has_value());
  if (known_.size() >= kMax) known_.clear();
  Entry& entry = known_[key];
  entry = {.reply = reply, .changes = {}};
  for (const auto& event : *events) {
    entry.changes.push_back({.key = event.key(),
                             .body = event.after ? event.after->body : event.last->body,
                             .erased = !event.after});
  }
}

}  // namespace fixpoint::verify::world
