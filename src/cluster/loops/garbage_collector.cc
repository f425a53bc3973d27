// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/garbage_collector.h"

#include "apiserver/write/remove.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::cluster {
namespace {

using apiserver::kForegroundFinalizer;
using apiserver::kOrphanFinalizer;
using apiserver::Verb;

enum class OwnerState : std::uint8_t { Solid, Dangling, WaitingForDependents, Unknown };

bool waits_for_dependents(json::View object) {
  return kube::being_deleted(object) && kube::has_finalizer(object, kForegroundFinalizer);
}

using Uids = std::set<std::string, std::less<>>;

OwnerState state_of(Api& api, json::View dependent, const kube::OwnerReference& owner,
                    const Uids& gone) {
  if (gone.contains(owner.uid)) return OwnerState::Dangling;
  auto version = kube::parse_group_version(owner.api_version);
  if (!version) return OwnerState::Unknown;
  const auto resource = api.kinds().find(
      api.latest(), kube::GroupVersionKind{version->group, version->version, owner.kind});
  // A kind nobody serves may come back: deleting on its account would be rash.
  if (!resource) return OwnerState::Unknown;
  const auto ns = resource->namespaced ? kube::namespace_of(dependent) : std::string_view{};
  const auto record = api.latest().find(resource->key(ns, owner.name));
  if (!record || kube::uid_of(record->body) != owner.uid) return OwnerState::Dangling;
  return waits_for_dependents(record->body) ? OwnerState::WaitingForDependents : OwnerState::Solid;
}

void send_delete(Api& api, const apiserver::Resource& resource, json::View object,
                 std::string_view policy) {
  auto request =
      request_for(resource, Verb::Delete, kube::namespace_of(object), kube::name_of(object));
  const auto body = json::Draft::object({
                                            {"kind",              "DeleteOptions"                },
                                            {"apiVersion",        "v1"                           },
                                            {"propagationPolicy", policy                         },
                                            {"preconditions",
                                             json::Draft::object({{"uid", kube::uid_of(object)}})}
  })
                        .freeze();
  request.body = json::to_text(body);
  // Refused means it changed or went: the event of that change brings it back here.
  (void)api.call(request);
}

void drop_finalizer(Api& api, const store::RecordRef& record, std::string_view finalizer) {
  json::Draft object{record->body};
  auto& finalizers = object.object_at("metadata").array_at("finalizers");
  std::erase_if(finalizers.elements(),
                [&](const json::Draft& one) { return one.as_string() == finalizer; });
  if (finalizers.empty()) object.object_at("metadata").erase("finalizers");
  send_update(api, object);
}

void drop_owners(Api& api, const store::RecordRef& record, const Uids& uids) {
  json::Draft object{record->body};
  auto& owners = object.object_at("metadata").array_at("ownerReferences");
  std::erase_if(owners.elements(), [&](const json::Draft& one) {
    const json::Draft* uid = one.find("uid");
    return uid != nullptr && uids.contains(uid->as_string());
  });
  if (owners.empty()) object.object_at("metadata").erase("ownerReferences");
  send_update(api, object);
}

// Lets go of the owners that wait for this object; they end first, and it follows as an orphan.
void unblock_owners(Api& api, const store::RecordRef& record) {
  json::Draft object{record->body};
  for (auto& owner : object.object_at("metadata").array_at("ownerReferences").elements()) {
    json::Draft* blocks = owner.find("blockOwnerDeletion");
    if (blocks != nullptr && blocks->as_bool()) *blocks = false;
  }
  send_update(api, object);
}

bool blocks_some_owner(json::View object) {
  return std::ranges::any_of(kube::owner_references_of(object), [](const auto& owner) {
    return owner.block_owner_deletion.value_or(false);
  });
}

std::string_view policy_for(json::View object) {
  if (kube::has_finalizer(object, kOrphanFinalizer)) return "Orphan";
  if (kube::has_finalizer(object, kForegroundFinalizer)) return "Foreground";
  return "Background";
}

}  // namespace

void GarbageCollector::begin(Api& api) {
  api.latest().scan("", {}, [&](const store::RecordRef& record) {
    consider(record);
    return true;
  });
}

// Objects worth a look: those that have owners, and owners that wait to be let go.
void GarbageCollector::consider(const store::RecordRef& record) {
  const json::View object = record->body;
  const bool waits =
      kube::being_deleted(object) && (kube::has_finalizer(object, kForegroundFinalizer) ||
                                      kube::has_finalizer(object, kOrphanFinalizer));
  if (waits || !object.get("metadata", "ownerReferences").empty()) queue_.add(record->key);
}

namespace {

// Whether this owner is held by the object as it was by that reference.
bool still_holds(json::View object, const kube::OwnerReference& before) {
  return std::ranges::any_of(kube::owner_references_of(object), [&](const auto& now) {
    return now.uid == before.uid &&
           now.block_owner_deletion.value_or(false) == before.block_owner_deletion.value_or(false);
  });
}

}  // namespace

void GarbageCollector::observe(const store::Event& event) {
  if (event.after) consider(event.after);
  // Whoever it owned, and whoever waited for it to go.
  const json::View object = event.after ? event.after->body : event.before->body;
  if (!event.after || kube::being_deleted(object)) {
    leaving_.emplace_back(kube::uid_of(object));
  }
  if (!event.after) gone_.emplace(kube::uid_of(object));
  if (!event.before) return;
  for (auto& owner : kube::owner_references_of(event.before->body)) {
    if (event.after && still_holds(event.after->body, owner)) continue;
    if (!kube::parse_group_version(owner.api_version)) continue;
    waiting_owners_.push_back(
        {.owner = std::move(owner), .ns = std::string{kube::namespace_of(object)}});
  }
}

bool GarbageCollector::step(Api& api) {
  for (const auto& uid : std::exchange(leaving_, {})) {
    const auto dependents = api.reader().dependents(uid);
    for (const auto& dependent : dependents) queue_.add(dependent->key);
    if (dependents.empty()) gone_.erase(uid);
  }
  for (const auto& waiting : std::exchange(waiting_owners_, {})) {
    auto version = kube::parse_group_version(waiting.owner.api_version);
    const auto resource = api.kinds().find(
        api.latest(), kube::GroupVersionKind{version->group, version->version, waiting.owner.kind});
    if (!resource) continue;
    queue_.add(resource->key(resource->namespaced ? waiting.ns : "", waiting.owner.name));
  }
  const auto key = queue_.take();
  if (!key) {
    gone_.clear();  // whoever they owned was looked at
    return false;
  }
  look_at(api, *key);
  return true;
}

void GarbageCollector::look_at(Api& api, std::string_view key) {
  const auto record = api.latest().find(key);
  if (!record) return;
  const json::View object = record->body;
  if (kube::being_deleted(object)) {
    if (kube::has_finalizer(object, kOrphanFinalizer)) {
      finish_orphan(api, record);
    } else if (kube::has_finalizer(object, kForegroundFinalizer)) {
      finish_foreground(api, record);
    }
    return;
  }
  collect(api, record);
}

void GarbageCollector::collect(Api& api, const store::RecordRef& record) {
  const json::View object = record->body;
  const auto owners = kube::owner_references_of(object);
  if (owners.empty()) return;
  bool solid = false;
  bool waiting = false;
  Uids gone;
  for (const auto& owner : owners) {
    switch (state_of(api, object, owner, gone_)) {
      case OwnerState::Unknown: return;
      case OwnerState::Solid: solid = true; break;
      case OwnerState::Dangling: gone.insert(owner.uid); break;
      case OwnerState::WaitingForDependents:
        waiting = true;
        gone.insert(owner.uid);
        break;
    }
  }
  if (gone.empty()) return;
  if (solid) return drop_owners(api, record, gone);
  const auto resource = resource_of(api, object);
  if (!resource) return;
  const auto dependents = api.reader().dependents(kube::uid_of(object));
  const bool foreground = waiting && !dependents.empty();
  // An owner waits for this object, which would wait for that very owner: a circle.
  const bool circle = foreground && std::ranges::any_of(dependents, [](const auto& dependent) {
                        return waits_for_dependents(dependent->body);
                      });
  if (circle && blocks_some_owner(object)) {
    unblock_owners(api, record);
    for (const auto& owner : dependents) finish_foreground(api, owner);
    return;
  }
  send_delete(api, *resource, object,
              foreground ? std::string_view{"Foreground"} : policy_for(object));
}

void GarbageCollector::finish_foreground(Api& api, const store::RecordRef& owner) {
  if (!waits_for_dependents(owner->body)) return;
  const auto uid = kube::uid_of(owner->body);
  bool blocked = false;
  for (const auto& dependent : api.reader().dependents(uid)) {
    if (!kube::being_deleted(dependent->body)) queue_.add(dependent->key);
    for (const auto& reference : kube::owner_references_of(dependent->body)) {
      blocked = blocked || (reference.uid == uid && reference.block_owner_deletion.value_or(false));
    }
  }
  if (!blocked) drop_finalizer(api, owner, kForegroundFinalizer);
}

void GarbageCollector::finish_orphan(Api& api, const store::RecordRef& owner) {
  const std::string uid{kube::uid_of(owner->body)};
  for (const auto& dependent : api.reader().dependents(uid)) drop_owners(api, dependent, {uid});
  // Only when a live look shows none left: a lost race is tried again by its own event.
  const auto current = api.latest().find(owner->key);
  if (!current) return;
  for (const auto& dependent : api.reader().dependents(uid)) {
    if (kube::owned_by(dependent->body, uid)) return queue_.add(owner->key);
  }
  drop_finalizer(api, current, kOrphanFinalizer);
}

}  // namespace fixpoint::cluster
