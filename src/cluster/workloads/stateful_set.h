// SPDX-License-Identifier: Apache-2.0
//
// StatefulSets: pods with a place each, name-0, name-1, …, made in order and ended in reverse,
// every one with claims of its own that outlive it.
//
// Which template a pod is of is a ControllerRevision (controller_revision.h). A rolling update goes
// from the highest place down to the partition and waits for every pod; in ordered sets everything
// waits for a pod that does not become ready, also the way back from a broken template.
#pragma once

#include "cluster/keyed_controller.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::cluster {

struct StatefulSetFacts {
  store::RecordRef set;                     // never empty
  std::vector<store::RecordRef> pods;       // those it controls, and orphans of its namespace
  std::vector<store::RecordRef> revisions;  // the same
  // The claims of its pods' places that are there, by name.
  std::map<std::string, store::RecordRef, std::less<>> claims;
  std::optional<Refusal> refused;
};

Decision decide(const StatefulSetFacts& facts, Instant now);

class StatefulSetController final : public KeyedController {
 public:
  StatefulSetController();

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override;
  void map(const store::Event& event, const Reader& reader, KeyQueue& keys) const override;
};

}  // namespace fixpoint::cluster
