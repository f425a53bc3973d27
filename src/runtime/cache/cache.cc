// SPDX-License-Identifier: Apache-2.0
//
// Who follows what, and in which order they hear of it.
#include "runtime/cache/cache.h"

#include "kube/meta/metadata.h"
#include "runtime/cache/shared_collection.h"

#include <algorithm>
#include <utility>

namespace fixpoint::runtime {

CacheSession::CacheSession(Cache& cache, SessionHandlers handlers)
    : cache_(cache), handlers_(std::move(handlers)), self_(std::make_shared<CacheSession*>(this)) {
  cache_.sessions_.push_back(this);
}

CacheSession::~CacheSession() {
  while (!follows_.empty()) unfollow(follows_.back().id);
  std::erase(cache_.sessions_, this);
}

FollowId CacheSession::follow(const Watch& watch) {
  auto& collection = cache_.shared(watch);
  const auto id = ++last_id_;
  follows_.push_back({id, &collection, watch.optional});
  collection.add(*this, id);
  told_synced_ = false;
  later(&CacheSession::join, id);
  return id;
}

void CacheSession::unfollow(FollowId id) {
  const auto follow = std::ranges::find(follows_, id, &Follow::id);
  if (follow == follows_.end()) return;
  auto* collection = follow->collection;
  follows_.erase(follow);
  if (collection->remove(*this, id)) cache_.let_go(*collection);
  later(&CacheSession::look_whether_synced, 0);
}

bool CacheSession::synced() const {
  return std::ranges::all_of(follows_, [](const Follow& follow) {
    return follow.collection->synced() || (follow.optional && !follow.collection->served());
  });
}

const Contents* CacheSession::find(const kube::GroupVersionKind& kind) const {
  const auto* collection = collection_of(kind);
  return collection == nullptr ? nullptr : &collection->contents();
}

Contents* CacheSession::find_to_change(const kube::GroupVersionKind& kind) {
  auto* collection = collection_of(kind);
  return collection == nullptr ? nullptr : collection->to_change(*this);
}

SharedCollection* CacheSession::collection_of(const kube::GroupVersionKind& kind) const {
  for (const auto& follow : follows_) {
    if (follow.collection->collection().resource.kind != kind) continue;
    const bool there =
        !follow.optional || (follow.collection->served() && follow.collection->synced());
    return there ? follow.collection : nullptr;
  }
  return nullptr;
}

CacheSession::Follow* CacheSession::find_follow(FollowId id) {
  const auto follow = std::ranges::find(follows_, id, &Follow::id);
  return follow == follows_.end() ? nullptr : &*follow;
}

void CacheSession::later(void (CacheSession::*task)(FollowId), FollowId id) {
  cache_.later([task, id, self = std::weak_ptr(self_)] {
    if (const auto session = self.lock()) (**session.*task)(id);
  });
}

// Whoever joins is told of what is there, as if it had just been listed.
void CacheSession::join(FollowId id) {
  auto* follow = find_follow(id);
  if (follow == nullptr) return;
  follow->collection->tell_pending();
  follow = find_follow(id);
  if (follow == nullptr) return;
  follow->joining = false;
  std::vector<json::Value> there;
  const bool all = !follow->collection->follows_namespaces_of_cache();
  for (const auto object : follow->collection->contents().list("")) {
    if (all || !cache_.is_joining(kube::namespace_of(object))) there.emplace_back(object);
  }
  const std::weak_ptr self{self_};
  for (auto& object : there) {
    tell(id, {{}, std::move(object), Origin::InitialList});
    if (self.expired()) return;
  }
  look_whether_synced();
}

void CacheSession::tell(FollowId id, const Change& change) {
  const auto* follow = find_follow(id);
  if (follow != nullptr && !follow->joining && handlers_.changed) handlers_.changed(id, change);
}

void CacheSession::look_whether_synced(FollowId) {
  const bool all_told = std::ranges::none_of(follows_, &Follow::joining);
  if (told_synced_ || follows_.empty() || !all_told || !synced()) return;
  told_synced_ = true;
  if (handlers_.synced) handlers_.synced();
}

Cache::Cache(Setup setup) : setup_(std::move(setup)) {
  FP_CHECK(setup_.client != nullptr && setup_.scheduler != nullptr);
}

Cache::~Cache() {
  FP_CHECK(sessions_.empty());
}

std::unique_ptr<CacheSession> Cache::open(SessionHandlers handlers) {
  return std::unique_ptr<CacheSession>(new CacheSession(*this, std::move(handlers)));
}

SharedCollection& Cache::shared(const Watch& watch) {
  for (const auto& collection : collections_) {
    if (collection->try_to_share(watch)) return *collection;
  }
  const bool everywhere =
      watch.collection.ns.empty() && watch.collection.resource.scope == client::Scope::Namespaced;
  const auto namespaces = everywhere ? setup_.namespaces : std::set<std::string>{};
  collections_.push_back(std::make_shared<SharedCollection>(*this, watch, namespaces));
  return *collections_.back();
}

void Cache::let_go(SharedCollection& collection) {
  const auto at =
      std::ranges::find(collections_, &collection, &std::shared_ptr<SharedCollection>::get);
  FP_CHECK(at != collections_.end());
  retire(std::move(*at));
  collections_.erase(at);
  end_joining();
}

void Cache::retire(std::shared_ptr<void> old) {
  retired_.push_back(std::move(old));
  later([this] { std::exchange(retired_, {}); });
}

void Cache::later(std::function<void()> task) {
  setup_.scheduler->after(Duration::zero(),
                          [task = std::move(task), alive = std::weak_ptr(alive_)] {
                            if (alive.lock()) task();
                          });
}

void Cache::synced_or_gone() {
  end_joining();
  for (auto* session : std::vector{sessions_}) {
    if (std::ranges::find(sessions_, session) != sessions_.end()) session->look_whether_synced();
  }
}

void Cache::rewound(std::string_view what) {
  if (setup_.alarm) setup_.alarm(what);
  for (auto* session : std::vector{sessions_}) {
    const bool there = std::ranges::find(sessions_, session) != sessions_.end();
    if (there && session->handlers_.rewound) session->handlers_.rewound();
  }
}

void Cache::end_joining() {
  for (const auto& ns : std::set{joining_}) {
    const bool settled = std::ranges::all_of(collections_, [&](const auto& collection) {
      return !collection->follows_namespaces_of_cache() || collection->has_settled(ns);
    });
    if (!settled) continue;
    joining_.erase(ns);
    for (const auto& collection : std::vector{collections_}) collection->release(ns);
  }
}

Result<void> Cache::follow_namespaces(std::set<std::string> namespaces) {
  if (namespaces.empty() != setup_.namespaces.empty()) {
    return fail(ErrorKind::Invalid,
                "a running cache cannot change between all namespaces and some of them");
  }
  for (const auto& ns : namespaces) {
    if (!setup_.namespaces.contains(ns)) joining_.insert(ns);
  }
  for (const auto& collection : std::vector{collections_}) {
    if (collection->follows_namespaces_of_cache()) collection->follow_namespaces(namespaces);
  }
  std::erase_if(joining_, [&](const std::string& ns) { return !namespaces.contains(ns); });
  setup_.namespaces = std::move(namespaces);
  end_joining();
  return {};
}

void Cache::look_for_kind_of(json::View definition) {
  // A definition is named plural.group, also where only its metadata are followed.
  const auto name = kube::name_of(definition);
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return;
  for (const auto& collection : collections_) collection->look_again(name.substr(dot + 1));
}

std::vector<FollowStatistics> Cache::statistics() const {
  std::vector<FollowStatistics> all;
  for (const auto& collection : collections_) collection->append_statistics(all);
  return all;
}

}  // namespace fixpoint::runtime
