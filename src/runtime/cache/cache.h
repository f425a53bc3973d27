// SPDX-License-Identifier: Apache-2.0
//
// Cache: everything a process follows, shared by all who follow it.
//
// However many controllers ask for a kind, there is one list-and-watch for each collection,
// namespace and shape, and one copy of each object. Each controller has a session: it names what it
// wants, hears of changes, reads through it, and puts in the answers to its own writes, which every
// other session hears of as well. Kinds and namespaces come and go while it runs.
// Everything belongs to one thread. Read next: contents.h, what is read; reflector.h, how it is
// kept.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/rng.h"
#include "client/client.h"
#include "runtime/cache/contents.h"
#include "runtime/cache/reflector.h"
#include "runtime/controller/pass.h"
#include "runtime/operator.h"
#include "runtime/scheduler.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

class Cache;
class SharedCollection;

using FollowId = std::uint32_t;

struct SessionHandlers {
  // Never from inside a call of this session. An own write of this very session comes as OwnWrite,
  // those of other sessions as Watch. Whoever joins late is told of what is there as InitialList.
  std::function<void(FollowId, const Change&)> changed;
  // Everything that is followed has been listed; again when that was not so in between, because
  // more is followed now.
  std::function<void()> synced;
  // The server went back in time: what was remembered of versions does not hold any more.
  std::function<void()> rewound = {};
};

// What one controller follows. Destroying it ends that.
class CacheSession final : public CacheView {
 public:
  ~CacheSession() override;
  CacheSession(const CacheSession&) = delete;
  CacheSession& operator=(const CacheSession&) = delete;

  // The watch's collection, shape, indexes and `optional` count; role, map and predicate are the
  // controller's. One kind is to be followed once, or in several namespaces alike.
  FollowId follow(const Watch& watch);
  void unfollow(FollowId id);

  // Every followed kind has been listed completely, or is optional and not served.
  bool synced() const;

  // An optional kind is found once it is served and listed.
  const Contents* find(const kube::GroupVersionKind& kind) const override;
  Contents* find_to_change(const kube::GroupVersionKind& kind) override;

 private:
  friend class Cache;
  friend class SharedCollection;
  struct Follow {
    FollowId id = 0;
    SharedCollection* collection = nullptr;
    bool optional = false;
    bool joining = true;  // not told yet of what is there
  };
  CacheSession(Cache& cache, SessionHandlers handlers);
  SharedCollection* collection_of(const kube::GroupVersionKind& kind) const;
  Follow* find_follow(FollowId id);
  void later(void (CacheSession::*task)(FollowId), FollowId id);
  void join(FollowId id);
  void tell(FollowId id, const Change& change);
  void look_whether_synced(FollowId = 0);

  Cache& cache_;
  SessionHandlers handlers_;
  std::vector<Follow> follows_;
  FollowId last_id_ = 0;
  bool told_synced_ = false;
  std::shared_ptr<CacheSession*> self_;  // for what was scheduled and comes too late
};

// One list-and-watch, for metrics and the debug page.
struct FollowStatistics {
  client::Collection collection;
  Reflector::Phase phase = Reflector::Phase::Idle;
  bool served = true;
  bool synced = false;
  std::size_t sessions = 0;
  std::size_t objects = 0;  // of all its namespaces
  std::size_t bytes = 0;    // of all its namespaces
  std::string resource_version;
  std::uint64_t relists = 0;
  std::uint64_t from_the_past = 0;
  std::uint64_t rewinds = 0;
  ReflectorStatistics reflector;
};

class Cache {
 public:
  struct Setup {
    client::Client* client = nullptr;
    Scheduler* scheduler = nullptr;
    Rng rng{0};
    // Where a watch names no namespace: these. Empty: all.
    std::set<std::string> namespaces = {};
    std::uint32_t page_items = client::kPageItems;
    std::uint32_t relist_page_items = client::kPageItems;
    client::Streaming first_list = client::Streaming::No;
    // Something went wrong and will be tried again; for the log. May be null.
    std::function<void(std::string_view what)> trouble = {};
    // What a person must know: the server went back in time. May be null.
    std::function<void(std::string_view what)> alarm = {};
    // A list is asked for or read, whatever the kind. May be null.
    std::function<void(ListStage stage)> listing = {};
  };
  explicit Cache(Setup setup);
  // After all its sessions.
  ~Cache();
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  std::unique_ptr<CacheSession> open(SessionHandlers handlers);

  // From now on these. The objects of others are reported as gone; those of a new one are reported
  // when all kinds of that namespace are listed, so that nobody sees parents without children.
  // Invalid between some namespaces and all: that needs another process, and other permissions.
  Result<void> follow_namespaces(std::set<std::string> namespaces);
  const std::set<std::string>& namespaces() const { return setup_.namespaces; }

  std::vector<FollowStatistics> statistics() const;

 private:
  friend class CacheSession;
  friend class SharedCollection;
  SharedCollection& shared(const Watch& watch);
  void let_go(SharedCollection& collection);
  // Destroys it when nobody can be inside it any more.
  void retire(std::shared_ptr<void> old);
  void later(std::function<void()> task);
  void synced_or_gone();
  void rewound(std::string_view what);
  void end_joining();
  void look_for_kind_of(json::View definition);
  bool is_joining(std::string_view ns) const { return joining_.contains(std::string{ns}); }
  Rng child_rng() { return Rng{setup_.rng.next()}; }

  Setup setup_;
  std::vector<std::shared_ptr<SharedCollection>> collections_;
  std::vector<CacheSession*> sessions_;
  std::set<std::string> joining_;  // namespaces that are not listed completely yet
  std::vector<std::shared_ptr<void>> retired_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fixpoint::runtime
