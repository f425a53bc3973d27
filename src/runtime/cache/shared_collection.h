// SPDX-License-Identifier: Apache-2.0
//
// SharedCollection: one followed collection, its reflectors (one for each namespace) and the
// sessions that hear of its changes.
#pragma once

#include "runtime/cache/cache.h"

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

class SharedCollection {
 public:
  // Follows `namespaces`, or the collection's own when there are none.
  SharedCollection(Cache& cache, const Watch& watch, const std::set<std::string>& namespaces);

  // Whether this serves that watch too; takes its indexes in when it does.
  bool try_to_share(const Watch& watch);

  void add(CacheSession& session, FollowId id) { subscribers_.push_back({&session, id}); }
  // True when nobody is left.
  bool remove(const CacheSession& session, FollowId id);

  // For a session that is about to write.
  Contents* to_change(CacheSession& writer);
  const Contents& contents() const { return contents_; }
  const client::Collection& collection() const { return collection_; }

  bool served() const;
  bool synced() const { return contents_.synced(); }
  bool has_settled(std::string_view ns) const;  // listed, or not served
  bool follows_namespaces_of_cache() const { return by_namespace_; }

  void follow_namespaces(const std::set<std::string>& namespaces);
  void look_again(std::string_view group);
  // Own changes that wait to be told; before anything that comes later.
  void tell_pending();
  // Tells what was held back of this namespace.
  void release(std::string_view ns);

  void append_statistics(std::vector<FollowStatistics>& all) const;

 private:
  struct Part {
    std::string ns;
    FeedId feed = 0;
    std::shared_ptr<Reflector> reflector;
  };
  struct Pending {
    Change change;
    const CacheSession* writer = nullptr;
  };
  struct Subscriber {
    CacheSession* session = nullptr;
    FollowId id = 0;
    bool operator==(const Subscriber&) const = default;
  };

  void begin(std::string ns, FeedId feed);
  void end(const Part& part);
  void collect_own_changes();
  void tell_later(std::vector<Change> changes);
  void schedule();
  void on_changes(std::span<const Change> changes);
  void tell(const Pending& news);

  Cache& cache_;
  client::Collection collection_;
  std::shared_ptr<const json::Shape> shape_;
  std::vector<Index> indexes_;
  Contents contents_;
  bool by_namespace_;
  std::vector<Part> parts_;
  std::vector<Subscriber> subscribers_;

  const CacheSession* writer_ = nullptr;  // of the own changes that contents_ keeps
  std::vector<Pending> pending_;          // nobody was told of them yet
  std::vector<Pending> held_;             // of namespaces that are joining
  bool scheduled_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fixpoint::runtime
