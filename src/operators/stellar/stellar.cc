// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/stellar.h"

#include "fsm/diagram.h"
#include "operators/stellar/check.h"
#include "operators/stellar/conclude.h"
#include "operators/stellar/decide.h"
#include "operators/stellar/health/outside.h"
#include "operators/stellar/metrics.h"
#include "operators/stellar/observe.h"

namespace fixpoint::operators::stellar {

runtime::Declaration Author::declare() {
  return {.name = "stellar",
          .watches = watches(),
          .finalizer = "stellarnode.stellar.org/finalizer",
          // Ledgers move without anybody telling.
          .resync = std::chrono::minutes(10),
          .metrics = object_metrics()};
}

kube::FieldErrors Author::validate(const Spec& spec) const {
  return check(spec);
}

Result<Facts> Author::observe(const Node& node, const runtime::Reader& reader,
                              runtime::Probes& probes) const {
  return stellar::observe(node, reader, probes);
}

runtime::Plan Author::decide(const Node& node, const Facts& facts, Instant now) const {
  return stellar::decide(node, facts, now);
}

runtime::Plan Author::cleanup(const Node& node, const Facts& facts, Instant) const {
  return stellar::cleanup(node, facts);
}

runtime::Verdict<Status> Author::conclude(const Node& node, const Facts& facts,
                                          const runtime::Outcomes& outcomes) const {
  return stellar::conclude(node, facts, outcomes);
}

runtime::Verdict<Status> Author::reject(const kube::FieldErrors& errors) const {
  return stellar::reject(errors);
}

runtime::Samples Author::samples(const Node& node, const Facts& facts) const {
  return stellar::samples(node, facts);
}

runtime::OperatorEntry entry() {
  auto made = runtime::entry_of<Author>(
      "stellar", "Nodes of a Stellar network: validators, Horizon and RPC servers");
  made.make = [] {
    std::vector<runtime::Part> parts;
    parts.push_back({.reconciler = std::make_unique<runtime::Typed<Author>>(),
                     .outside = make_outside(),
                     .guard = {}});
    return parts;
  };
  made.diagram = [] { return fsm::diagram_of(kLife, "The life of a StellarNode"); };
  return made;
}

}  // namespace fixpoint::operators::stellar
