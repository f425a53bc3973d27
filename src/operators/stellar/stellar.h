// SPDX-License-Identifier: Apache-2.0
//
// The StellarNode operator, put together from its parts: types/, check, observe, decide, conclude.
// README.md beside this file is the way in.
#pragma once

#include "operators/stellar/facts.h"
#include "runtime/registry.h"
#include "runtime/typed.h"

namespace fixpoint::operators::stellar {

struct Author {
  using Spec = stellar::Spec;
  using Status = stellar::Status;
  using Facts = stellar::Facts;

  static types::Kind kind() { return stellar_node_kind(); }
  static runtime::Declaration declare();

  kube::FieldErrors validate(const Spec& spec) const;
  Result<Facts> observe(const Node& node, const runtime::Reader& reader,
                        runtime::Probes& probes) const;
  runtime::Plan decide(const Node& node, const Facts& facts, Instant now) const;
  runtime::Plan cleanup(const Node& node, const Facts& facts, Instant now) const;
  runtime::Verdict<Status> conclude(const Node& node, const Facts& facts,
                                    const runtime::Outcomes& outcomes) const;
  runtime::Verdict<Status> reject(const kube::FieldErrors& errors) const;
  runtime::Samples samples(const Node& node, const Facts& facts) const;
};

runtime::OperatorEntry entry();

}  // namespace fixpoint::operators::stellar
