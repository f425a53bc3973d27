// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/shared_collection.h"

#include "kube/meta/metadata.h"

#include <algorithm>
#include <utility>

namespace fixpoint::runtime {
namespace {

std::shared_ptr<const json::Shape> shape_of(const Watch& watch) {
  const auto wanted =
      watch.collection.metadata_only ? json::Shape::only({{"metadata"}}) : watch.shape;
  return std::make_shared<const json::Shape>(wanted.without({"metadata", "managedFields"}));
}

client::Collection within(client::Collection collection, std::string ns) {
  collection.ns = std::move(ns);
  return collection;
}

// Functions cannot be compared, only their types; an index that depends on what its function
// carries along needs a name of its own.
bool same(const Index& a, const Index& b) {
  return a.name == b.name && a.values.target_type() == b.values.target_type();
}

std::string_view namespace_of(const Change& change) {
  return kube::namespace_of(change.after.is_null() ? change.before : change.after);
}

bool is_definition(const kube::GroupVersionKind& kind) {
  return kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition";
}

}  // namespace

SharedCollection::SharedCollection(Cache& cache, const Watch& watch,
                                   const std::set<std::string>& namespaces)
    : cache_(cache),
      collection_(watch.collection),
      shape_(shape_of(watch)),
      indexes_(watch.indexes),
      contents_(within(collection_, namespaces.empty() ? collection_.ns : *namespaces.begin()),
                indexes_, shape_),
      by_namespace_(!namespaces.empty()) {
  contents_.keep_own_changes();
  begin(contents_.collection().ns, 0);
  for (const auto& ns : namespaces) {
    if (ns != *namespaces.begin()) begin(ns, contents_.follow(ns));
  }
}

bool SharedCollection::try_to_share(const Watch& watch) {
  const auto& other = watch.collection;
  if (other.resource.kind != collection_.resource.kind || other.ns != collection_.ns ||
      other.selector != collection_.selector || other.metadata_only != collection_.metadata_only ||
      !(*shape_of(watch) == *shape_)) {
    return false;
  }
  const auto find = [&](const Index& index) {
    return std::ranges::find(indexes_, index.name, &Index::name);
  };
  for (const auto& index : watch.indexes) {
    if (const auto at = find(index); at != indexes_.end() && !same(*at, index)) return false;
  }
  for (const auto& index : watch.indexes) {
    if (find(index) != indexes_.end()) continue;
    indexes_.push_back(index);
    contents_.add_index(index);
  }
  return true;
}

bool SharedCollection::remove(const CacheSession& session, FollowId id) {
  std::erase_if(subscribers_,
                [&](const Subscriber& s) { return s.session == &session && s.id == id; });
  // Its writes are somebody else's for all who are left.
  collect_own_changes();
  for (auto* waiting : {&pending_, &held_}) {
    for (auto& news : *waiting) {
      if (news.writer == &session) news.writer = nullptr;
    }
  }
  if (writer_ == &session) writer_ = nullptr;
  if (!subscribers_.empty()) return false;
  for (const auto& part : parts_) part.reflector->stop();
  return true;
}

Contents* SharedCollection::to_change(CacheSession& writer) {
  collect_own_changes();
  writer_ = &writer;
  schedule();
  return &contents_;
}

bool SharedCollection::served() const {
  return std::ranges::all_of(parts_, [](const Part& part) { return part.reflector->served(); });
}

bool SharedCollection::has_settled(std::string_view ns) const {
  const auto part = std::ranges::find(parts_, ns, &Part::ns);
  return part == parts_.end() || contents_.synced(part->feed) || !part->reflector->served();
}

void SharedCollection::begin(std::string ns, FeedId feed) {
  Reflector::Setup setup{.collection = within(collection_, ns),
                         .shape = shape_,
                         .page_items = cache_.setup_.page_items,
                         .relist_page_items = cache_.setup_.relist_page_items,
                         .first_list = cache_.setup_.first_list,
                         .feed = feed};
  ReflectorHandlers handlers{
      .changed = [this](std::span<const Change> changes) { on_changes(changes); },
      .synced = [this] { cache_.synced_or_gone(); },
      .not_served = [this] { cache_.synced_or_gone(); },
      .trouble = cache_.setup_.trouble,
      .rewound = [this](std::string_view what) { cache_.rewound(what); },
      .listing = cache_.setup_.listing};
  auto reflector = std::make_shared<Reflector>(std::move(setup), contents_, *cache_.setup_.client,
                                               *cache_.setup_.scheduler, cache_.child_rng(),
                                               std::move(handlers));
  reflector->start();
  parts_.push_back({std::move(ns), feed, std::move(reflector)});
}

void SharedCollection::end(const Part& part) {
  part.reflector->stop();
  auto changes = contents_.unfollow(part.feed);
  // What nobody was told of cannot go away.
  std::erase_if(held_, [&](const Pending& news) { return namespace_of(news.change) == part.ns; });
  if (!cache_.is_joining(part.ns)) tell_later(std::move(changes));
  cache_.retire(part.reflector);
}

void SharedCollection::follow_namespaces(const std::set<std::string>& namespaces) {
  std::vector<Part> kept;
  for (auto& part : std::exchange(parts_, {})) {
    if (namespaces.contains(part.ns)) {
      kept.push_back(std::move(part));
    } else {
      end(part);
    }
  }
  parts_ = std::move(kept);
  for (const auto& ns : namespaces) {
    const bool known = std::ranges::find(parts_, ns, &Part::ns) != parts_.end();
    if (!known) begin(ns, contents_.follow(ns));
  }
}

void SharedCollection::look_again(std::string_view group) {
  if (collection_.resource.kind.group != group) return;
  for (const auto& part : parts_) part.reflector->look_again();
}

void SharedCollection::collect_own_changes() {
  for (auto& change : contents_.take_own_changes()) {
    pending_.push_back({std::move(change), writer_});
  }
}

void SharedCollection::tell_later(std::vector<Change> changes) {
  collect_own_changes();
  for (auto& change : changes) pending_.push_back({std::move(change), nullptr});
  schedule();
}

void SharedCollection::schedule() {
  if (std::exchange(scheduled_, true)) return;
  cache_.later([this, alive = std::weak_ptr(alive_)] {
    if (!alive.lock()) return;
    scheduled_ = false;
    tell_pending();
  });
}

void SharedCollection::tell_pending() {
  collect_own_changes();
  for (const auto& news : std::exchange(pending_, {})) tell(news);
}

void SharedCollection::on_changes(std::span<const Change> changes) {
  tell_pending();
  for (const auto& change : changes) tell({change, nullptr});
}

void SharedCollection::tell(const Pending& news) {
  if (by_namespace_ && cache_.is_joining(namespace_of(news.change))) {
    held_.push_back(news);
    return;
  }
  if (is_definition(collection_.resource.kind)) cache_.look_for_kind_of(news.change.after);
  // A session that is told may end, or end another.
  for (const auto& subscriber : std::vector{subscribers_}) {
    if (std::ranges::find(subscribers_, subscriber) == subscribers_.end()) continue;
    auto change = news.change;
    const bool own = change.origin == Origin::OwnWrite && subscriber.session == news.writer;
    if (change.origin == Origin::OwnWrite && !own) change.origin = Origin::Watch;
    subscriber.session->tell(subscriber.id, change);
  }
}

void SharedCollection::release(std::string_view ns) {
  std::vector<Pending> released;
  for (auto& news : std::exchange(held_, {})) {
    auto& to = namespace_of(news.change) == ns ? released : held_;
    to.push_back(std::move(news));
  }
  for (const auto& news : released) tell(news);
}

void SharedCollection::append_statistics(std::vector<FollowStatistics>& all) const {
  for (const auto& part : parts_) {
    const auto& told = part.reflector->statistics();
    all.push_back({.collection = part.reflector->collection(),
                   .phase = part.reflector->phase(),
                   .served = part.reflector->served(),
                   .synced = contents_.synced(part.feed),
                   .sessions = subscribers_.size(),
                   .objects = contents_.size(),
                   .bytes = contents_.bytes(),
                   .resource_version = contents_.resource_version(part.feed),
                   .relists = told.lists == 0 ? 0 : told.lists - 1,
                   .from_the_past = contents_.oddities().from_the_past,
                   .rewinds = told.rewinds,
                   .reflector = told});
  }
}

}  // namespace fixpoint::runtime
