// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/event_expiry.h"

#include "kube/metadata.h"

namespace fixpoint::cluster {
namespace {

constexpr std::string_view kEvents = "events/";

}  // namespace

void EventExpiry::begin(Api& api) {
  api.latest().scan(kEvents, {}, [&](const store::RecordRef& record) {
    fresh_.push_back(record);
    return true;
  });
}

void EventExpiry::observe(const store::Event& event) {
  if (event.after && event.key().starts_with(kEvents)) fresh_.push_back(event.after);
}

// The lease on an Event begins anew with every write, as with etcd's.
void EventExpiry::note(const store::RecordRef& record, Instant now) {
  due_.emplace(now + kEventLifetime, record->key);
  latest_[record->key] = now + kEventLifetime;
}

std::optional<Instant> EventExpiry::wakes() const {
  if (due_.empty()) return std::nullopt;
  return due_.begin()->first;
}

bool EventExpiry::step(Api& api) {
  for (const auto& record : std::exchange(fresh_, {})) note(record, api.now());
  if (due_.empty() || due_.begin()->first > api.now()) return false;
  const auto [when, key] = *due_.begin();
  due_.erase(due_.begin());
  // A later write of the same Event has its own, later entry.
  const auto latest = latest_.find(key);
  if (latest == latest_.end() || latest->second != when) return true;
  latest_.erase(latest);
  const auto record = api.latest().find(key);
  const auto resource = record ? resource_of(api, record->body) : std::nullopt;
  if (!resource) return true;
  // Refused or gone: nothing is left to expire.
  (void)api.call(request_for(*resource, apiserver::Verb::Delete, kube::namespace_of(record->body),
                             kube::name_of(record->body)));
  return true;
}

}  // namespace fixpoint::cluster
