// SPDX-License-Identifier: Apache-2.0
//
// Mutations: all the mistakes that are made on purpose in a trial, one at a time: in every step and
// every field of the operator's plans, in what it concludes, in what it listens to, in the rules of
// the runtime and in those of the API server.
#pragma once

#include "apiserver/weakness.h"
#include "runtime/controller/rules.h"
#include "verify/world/scenario.h"
#include "verify/world/twisted.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::verify::world {

struct Mutation {
  std::string group;
  std::string name;
  Twist twist = {};
  runtime::Rules rules = {};
  apiserver::Weakness weakness = apiserver::Weakness::None;
  std::shared_ptr<const runtime::Operator> instead = {};  // a variant of the author's
  std::string first_in = {};  // the scenario that should notice it, where the author knows
  std::string budget = {};    // there, besides the scenario's own
};

// "FinalizerFirst".
std::string to_string(runtime::Rule rule);
Mutation without(runtime::Rule rule);

// The author's own, of groups "case: …".
inline constexpr std::string_view kCases = "case";
std::vector<Mutation> variants_of(const Trial& trial);
// All of them, the author's last. Where mistakes can be made is found out by letting the operator
// run while nothing goes wrong.
std::vector<Mutation> mutations_of(const Trial& trial);

}  // namespace fixpoint::verify::world
