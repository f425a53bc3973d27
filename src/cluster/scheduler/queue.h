// SPDX-License-Identifier: Apache-2.0
//
// Queue: pods that want a node, and those that have to wait until something changes.
//
// The most important pod is first, then the one that came first. A pod that found no node waits for
// a change that may help it, and after a change as long as its pause lasts; pauses double, so that
// a pod that fits nowhere costs little. A plain value.
#pragma once

#include "base/clock.h"
#include "cluster/deadlines.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace fixpoint::cluster::scheduler {

// What may help a pod that waits.
enum class Change : std::uint8_t {
  Room,        // nodes came, changed or got emptier
  Neighbours,  // pods came
  Volumes,     // volumes or classes came or changed
};

class Queue {
 public:
  // Kubernetes' own pauses.
  static constexpr std::chrono::seconds kFirstPause{1};
  static constexpr std::chrono::seconds kLongestPause{10};

  void add(const std::string& key, std::int64_t priority);
  // The pod has a node, or is gone.
  void remove(const std::string& key);
  std::optional<std::string> take(Instant now);

  struct Interest {
    bool neighbours = false;
    bool volumes = false;
    std::vector<std::string> claims;  // "ns/name": a change of one brings the pod back at once
  };
  // It found no node.
  void wait(const std::string& key, Interest interest, Instant now);
  // It is as good as placed and waits for its claims only.
  void wait_for_claims(const std::string& key, const std::vector<std::string>& claims);

  void stir(Change change);
  void stir_claim(const std::string& claim);
  std::optional<Instant> wakes() const { return pausing_.first(); }

 private:
  struct Pod {
    std::int64_t priority = 0;
    std::uint64_t order = 0;
    int attempts = 0;
    bool waits = false;
    Instant until{};
    Interest interest;
  };
  using Rank = std::tuple<std::int64_t, std::uint64_t, std::string>;

  void begin_waiting(const std::string& key, Pod& pod, Interest interest);
  void end_waiting(const std::string& key);
  void activate(const std::string& key, Pod& pod);
  void forget_claims(const std::string& key, const Pod& pod);
  void release_stirred(Instant now);

  std::map<std::string, Pod> pods_;
  std::set<Rank> active_;
  std::set<std::string> waiting_;
  std::set<std::string> wanting_neighbours_;  // of those that wait, those whom these may help
  std::set<std::string> wanting_volumes_;
  std::map<std::string, std::set<std::string>> by_claim_;
  Deadlines pausing_;
  std::set<Change> stirred_;
  std::uint64_t orders_ = 0;
};

}  // namespace fixpoint::cluster::scheduler
