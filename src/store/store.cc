// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include "store/history.h"
#include "store/read_log.h"
#include "store/tree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::store {

namespace {

Ref<Record> make_record(std::string key, Revision revision, json::Value body) {
  auto record = make_ref<Record>();
  record->key = std::move(key);
  record->created = revision;
  record->modified = revision;
  record->body = std::move(body);
  return record;
}

bool key_less(const RecordRef& a, const RecordRef& b) {
  return a->key < b->key;
}
bool same_key(const RecordRef& a, const RecordRef& b) {
  return a->key == b->key;
}

}  // namespace

// Key and body are hashed together: sums of separate hashes would not notice two objects that
// exchanged their bodies.
Hash128 Record::fingerprint() const {
  return hash_.get([this] {
    const Hash128 of_key = hash128(key);
    const Hash128 of_body = body.hash();
    const std::array words{of_key.high, of_key.low, of_body.high, of_body.low};
    const auto bytes = std::bit_cast<std::array<char, sizeof words>>(words);
    return hash128({bytes.data(), bytes.size()});
  });
}

namespace {

thread_local ReadLog* read_log = nullptr;

}  // namespace

Listening::Listening(ReadLog& log) {
  FP_CHECK(read_log == nullptr);
  read_log = &log;
}

Listening::~Listening() {
  read_log = nullptr;
}

Snapshot::Snapshot() = default;
Snapshot::Snapshot(const Snapshot&) = default;
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot& Snapshot::operator=(Snapshot other) noexcept {
  std::swap(tree_, other.tree_);
  std::swap(revision_, other.revision_);
  return *this;
}
Snapshot::~Snapshot() = default;

std::size_t Snapshot::size() const {
  if (read_log != nullptr) read_log->everything = true;
  return tree_ ? tree_->size() : 0;
}

RecordRef Snapshot::find(std::string_view key) const {
  if (read_log != nullptr) read_log->keys.emplace_back(key);
  const RecordRef* found = tree_ ? tree_->find(key) : nullptr;
  return found != nullptr ? *found : RecordRef{};
}

void Snapshot::scan(std::string_view prefix, std::string_view after,
                    const std::function<bool(const RecordRef&)>& visit) const {
  if (read_log != nullptr) read_log->ranges.emplace_back(prefix, after);
  // A share of our own: the visitor may change the store whose latest() this is.
  const Ref<const Tree> tree = tree_;
  if (!tree) return;
  const bool resume = !after.empty() && after >= prefix;
  const Bound from = resume ? Bound{after, Bound::Side::After} : Bound{prefix, Bound::Side::At};
  tree->scan(from, [&](const RecordRef& record) {
    return record->key.starts_with(prefix) && visit(record);
  });
}

std::size_t Snapshot::count(std::string_view prefix) const {
  if (read_log != nullptr) read_log->ranges.emplace_back(prefix, "");
  if (!tree_) return 0;
  return tree_->rank({prefix, Bound::Side::AfterPrefix}) - tree_->rank({prefix, Bound::Side::At});
}

Hash128 Snapshot::fingerprint() const {
  if (read_log != nullptr) read_log->everything = true;
  return tree_ ? tree_->fingerprint() : Hash128{};
}

Store::Store(HistoryLimits limits) : Store({}, Revision{0}, limits) {}

Store::Store(std::vector<RecordRef> records, Revision revision, HistoryLimits limits)
    : history_(make_ref<History>(revision)), limits_(limits) {
  if (!std::ranges::is_sorted(records, key_less)) std::ranges::sort(records, key_less);
  FP_CHECK(std::ranges::adjacent_find(records, same_key) == records.end());
  latest_.tree_ = tree_build(records);
  latest_.revision_ = revision;
}

Store::Store(const Store&) = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store other) noexcept {
  latest_ = std::move(other.latest_);
  std::swap(history_, other.history_);
  std::swap(limits_, other.limits_);
  std::swap(keep_after_, other.keep_after_);
  return *this;
}
Store::~Store() = default;

// Forks share the history until one of them is written to.
History& Store::own_history() {
  if (!history_->unique()) history_ = make_ref<History>(*history_);
  return *history_;
}

void Store::commit(const Event& event) {
  latest_.revision_ = event.revision;
  own_history().append(event, latest_.tree_, limits_, keep_after_);
}

Event Store::put(std::string key, json::Value body) {
  Event event{.revision = next_revision(), .before = {}, .after = {}, .last = {}};
  auto record = make_record(std::move(key), event.revision, std::move(body));
  event.before = tree_put(latest_.tree_, record);
  event.after = record;
  commit(event);
  return event;
}

Event Store::erase(std::string_view key, json::Value last_body) {
  Event event{.revision = next_revision(), .before = {}, .after = {}, .last = {}};
  event.before = tree_erase(latest_.tree_, key);
  FP_CHECK(event.before);  // who erases has read the object first
  auto last = make_record(event.before->key, event.revision, std::move(last_body));
  last->created = event.before->created;
  event.last = last;
  commit(event);
  return event;
}

const Snapshot& Store::latest() const {
  return latest_;
}

Revision Store::oldest() const {
  if (read_log != nullptr) read_log->everything = true;
  return history_->oldest();
}

Result<void> Store::check_kept(Revision wanted) const {
  if (wanted > revision()) {
    return fail(ErrorKind::Unavailable,
                fmt::format("revision {} is in the future: the latest is {}", wanted.value,
                            revision().value));
  }
  if (wanted < oldest()) {
    return fail(ErrorKind::Gone, fmt::format("revision {} is no longer kept: the oldest is {}",
                                             wanted.value, oldest().value));
  }
  return {};
}

Result<Snapshot> Store::at(Revision wanted) const {
  FP_TRY_VOID(check_kept(wanted));
  Snapshot past;
  past.tree_ = history_->tree_at(wanted, latest_.tree_);
  past.revision_ = wanted;
  return past;
}

Result<std::vector<Event>> Store::events_after(Revision after) const {
  FP_TRY_VOID(check_kept(after));
  return history_->events_after(after);
}

void Store::compact(Revision up_to) {
  own_history().compact(std::min(up_to, keep_after_));
}

Result<void> Store::rewind(Revision to) {
  FP_TRY(past, at(to));
  own_history().rewind(to);
  latest_ = std::move(past);
  return {};
}

}  // namespace fixpoint::store
