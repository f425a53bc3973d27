// SPDX-License-Identifier: Apache-2.0
//
// One decision about a DaemonSet, in parts. Nothing here is for others: daemon_set.h is the door.
#pragma once

#include "cluster/daemons/daemon_set.h"
#include "cluster/daemons/placement.h"
#include "cluster/workloads/controller_revision.h"
#include "json/draft.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::daemons {

class DaemonPass {
 public:
  DaemonPass(const DaemonSetFacts& facts, Instant now);
  Decision decide();

 private:
  using Pods = std::vector<store::RecordRef>;

  // daemon_set.cc
  void place(const Pods& pods);
  void manage();
  void sort_out(std::string_view node, Placement::Verdict verdict, const Pods& there,
                std::vector<std::string_view>& wanting, Pods& surplus);
  void keep_one_of_each(const Pods& running, Pods& surplus);
  bool may_replace_failed(std::string_view node);
  void create_on(const std::vector<std::string_view>& nodes);
  void remove(const Pods& pods);
  void truncate(const Pods& sorted, const Pods& pods);
  void write_status();
  bool revision_name_was_taken() const;
  void note_collision();

  // daemon_update.cc
  void roll();
  void roll_within(std::int64_t unavailable_max);
  void roll_with_surge(std::int64_t surge_max, std::int64_t desired);
  // The pod of this revision and the older one on a node.
  struct Pair {
    store::RecordRef young;
    store::RecordRef old;
  };
  // Nothing when there are more: managing comes first.
  std::optional<Pair> pair_on(const Pods& there) const;
  bool surges() const;
  std::int64_t allowance(std::string_view field, std::int64_t desired) const;

  const Pods& pods_on(std::string_view node) const;
  bool available(json::View pod) const;
  bool updated(json::View pod) const;
  std::int64_t min_ready() const;
  void look_again(std::optional<Instant> at);

  const DaemonSetFacts& facts_;
  json::View set_;
  Instant now_;
  Placement placement_;
  json::Draft pauses_;
  Decision decision_;
  CurrentRevision revision_;
  std::map<std::string_view, Placement::Verdict, std::less<>> verdicts_;  // of all nodes
  std::map<std::string, Pods, std::less<>> on_;                           // also of nodes that went
};

}  // namespace fixpoint::cluster::daemons
