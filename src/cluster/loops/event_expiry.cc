// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/event_expiry.h"

#include "kube/meta/metadata.h"

namespace fixpoint::cluster {
namespace {

constexpr std::string_view kEventPrefix = "events/";

}  // namespace

void EventExpiry::begin(Api& api) {
  api.latest().scan(kEventPrefix, {}, [&](const store::RecordRef& record) {
    fresh_.push_back(record);
    return true;
  });
}

void EventExpiry::observe(const store::Event& event) {
  if (event.after && event.key().starts_with(kEventPrefix)) fresh_.push_back(event.after);
}

std::optional<Instant> EventExpiry::wakes() const {
  if (due_.empty()) return std::nullopt;
  return due_.front().at;
}

bool EventExpiry::step(Api& api) {
  for (const auto& record : std::exchange(fresh_, {})) {
    due_.push_back({api.now() + kEventLifetime, record->key, record->modified});
  }
  if (due_.empty() || due_.front().at > api.now()) return false;
  const Due due = std::move(due_.front());
  due_.pop_front();
  const auto record = api.latest().find(due.key);
  // The lease on an Event begins anew with every write, as with etcd's: a later one has its own.
  if (!record || record->modified != due.written) return true;
  const auto resource = resource_of(api, record->body);
  if (!resource) return true;
  // Refused or gone: nothing is left to expire.
  (void)api.call(request_for(*resource, apiserver::Verb::Delete, kube::namespace_of(record->body),
                             kube::name_of(record->body)));
  return true;
}

}  // namespace fixpoint::cluster
