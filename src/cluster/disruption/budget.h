// SPDX-License-Identifier: Apache-2.0
//
// PodDisruptionBudgets: how many of the pods they select may go now.
//
// The eviction subresource asks the budget and charges it; this counts who is healthy, how many
// there should be, and forgets charges for pods that never went. Another small duty: a pod that was
// marked as the target of a disruption that did not come is told so.
#pragma once

#include "cluster/keyed_controller.h"

#include <map>
#include <string>
#include <vector>

namespace fixpoint::cluster::disruption {

struct BudgetFacts {
  store::RecordRef budget;             // never empty
  std::vector<store::RecordRef> pods;  // those it selects
  // Of the pods' controllers by uid: whose scale counts and how large it is, or why it cannot be
  // told.
  struct Owner {
    std::string uid;
    std::int64_t replicas = 0;
  };
  std::map<std::string, Result<Owner>, std::less<>> owners;
};

Decision decide(const BudgetFacts& facts, Instant now);

// A pod that is the target of a disruption.
Decision decide_target(const store::RecordRef& pod, Instant now);

class BudgetController final : public KeyedController {
 public:
  BudgetController();

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override;
  void map(const store::Event& event, const Reader& reader, KeyQueue& keys) const override;
  void begin_with(const Reader& reader, KeyQueue& keys) const override;
};

}  // namespace fixpoint::cluster::disruption
