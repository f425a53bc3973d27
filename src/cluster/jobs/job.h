// SPDX-License-Identifier: Apache-2.0
//
// Jobs: pods that run to an end, until enough of them succeeded or too many failed.
//
// Every pod carries a finalizer until it is counted, so that no end is missed and none counted
// twice: what ended is written into status.uncountedTerminatedPods, then the finalizer goes, then
// the pod is a number. A pass makes one such step; the change it makes brings the next. The end of
// a Job comes in two steps as well: what is to come (SuccessCriteriaMet, FailureTarget) while its
// last pods go, then Complete or Failed. Nobody counts the pods of a Job that is gone or over: they
// only lose their finalizer.
#pragma once

#include "cluster/jobs/backoff.h"
#include "cluster/keyed_controller.h"

#include <optional>
#include <vector>

namespace fixpoint::cluster::jobs {

struct JobFacts {
  store::RecordRef job;                // never empty
  std::vector<store::RecordRef> pods;  // those it controls, and orphans of its namespace
  std::optional<Refusal> refused;
  Backoff backoff;  // as the last pass left it
};

Decision decide(const JobFacts& facts, Instant now);

// A pod with the finalizer, and the Job that controls it, if there is one.
struct StrayFacts {
  store::RecordRef pod;  // never empty
  store::RecordRef job;
};
Decision decide(const StrayFacts& facts);

// Complete or Failed.
bool is_over(json::View job);

class JobController final : public KeyedController {
 public:
  JobController();

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override;
  void map(const store::Event& event, const Reader& reader, KeyQueue& keys) const override;
  void begin_with(const Reader& reader, KeyQueue& keys) const override;
};

}  // namespace fixpoint::cluster::jobs
