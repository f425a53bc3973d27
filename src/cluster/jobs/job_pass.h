// SPDX-License-Identifier: Apache-2.0
//
// One decision about a Job, in parts. Nothing here is for others: job.h is the door.
#pragma once

#include "cluster/jobs/indexes.h"
#include "cluster/jobs/job.h"
#include "json/draft.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::jobs {

// Takes the finalizer off a pod.
Effect untrack(json::View pod);

// job_pods.cc: a pod for the Job; for an index, with what its predecessor there failed.
json::Value new_pod(json::View job, std::optional<std::int64_t> index, json::View predecessor);
// How often pods of this index failed before this one.
std::int64_t failures_before(json::View pod);
std::int64_t counted_failures_before(json::View pod);

class JobPass {
 public:
  JobPass(const JobFacts& facts, Instant now);
  Decision decide();

 private:
  // A condition that ends the Job.
  struct End {
    std::string type;
    std::string reason;
    std::string message;
  };
  using Pods = std::vector<store::RecordRef>;

  // job.cc
  void take_pods();
  void count();
  std::optional<End> end_so_far() const;
  std::optional<End> end_by_failure();
  std::optional<End> end_by_indexes();
  void find_predecessors();
  void end_pods();
  void go_on();
  void note_suspension();

  // job_pods.cc
  void manage();
  void remove(const Pods& pods);
  void create(std::int64_t count);
  std::vector<std::int64_t> indexes_to_fill(std::int64_t count);
  Pods surplus(std::int64_t at_least) const;

  // job_tracking.cc
  void track();
  void count_untracked();
  bool may_be_untracked(json::View pod, bool failed) const;
  void note_end_of(json::View pod, bool failed);
  void write_indexes();
  void write_end();
  void write_status();

  bool indexed() const;
  bool suspended() const { return job_.get("spec", "suspend").as_bool(); }
  bool per_index() const { return !job_.get("spec", "backoffLimitPerIndex").is_null(); }
  std::int64_t completions() const { return job_.get("spec", "completions").as_int(); }
  bool valid_index(json::View pod) const;
  bool tracked(json::View pod) const;
  bool creation_was_refused() const;
  void look_again(Instant at);
  // True when the conditions changed. A condition that never was is not made to be false.
  bool set_condition(std::string_view status, const End& condition);
  json::Draft* condition(std::string_view type);

  const JobFacts& facts_;
  json::View job_;
  Instant now_;
  Decision decision_;
  json::Draft status_;

  Pods pods_;
  Pods active_;
  std::int64_t active_count_ = 0;  // after what this pass does
  std::int64_t ready_ = 0;         // the same
  std::int64_t terminating_ = 0;   // the same
  std::int64_t succeeded_ = 0;
  std::int64_t failed_ = 0;
  std::set<std::string, std::less<>> uncounted_succeeded_;
  std::set<std::string, std::less<>> uncounted_failed_;
  Backoff backoff_;

  Indexes completed_before_;
  Indexes completed_;
  std::optional<Indexes> failed_indexes_;
  // Of each index without a pod the last one that failed: its replacement inherits its failures.
  std::map<std::int64_t, store::RecordRef> predecessors_;

  std::optional<End> end_;
  Pods to_untrack_;
  bool more_to_untrack_ = false;
};

}  // namespace fixpoint::cluster::jobs
