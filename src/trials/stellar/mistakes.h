// SPDX-License-Identifier: Apache-2.0
//
// The operator with one mistake at a time: first what the seed of this project names as the root
// cause of each case, then others of its kind. What ships is not touched: a mistake changes what
// the shipped functions are told, or what they answer.
#pragma once

#include "kube/errors/field_error.h"
#include "operators/stellar/stellar.h"
#include "verify/world/scenario.h"

#include <functional>
#include <vector>

namespace fixpoint::trials::stellar {

// Where a mistake is made; null: there all is as it ships.
struct Mistake {
  using Facts = operators::stellar::Facts;
  using Node = operators::stellar::Node;
  using Status = operators::stellar::Status;
  using Verdict = runtime::Verdict<Status>;

  std::function<void(kube::FieldErrors&)> check{};
  // False: the facts are not known yet, as long as that is so.
  std::function<bool(Facts&, const Node&, const runtime::Reader&)> facts{};
  std::function<void(Node&)> node{};  // as decide() sees it
  std::function<void(runtime::Plan&, const Node&, const Facts&)> plan{};
  std::function<void(runtime::Plan&, const Node&, const Facts&)> cleanup{};
  std::function<void(runtime::Outcomes&)> outcomes{};  // as conclude() sees them
  std::function<void(Verdict&, const Facts&)> conclusion{};
  std::function<void(Verdict&)> rejection{};
};

std::shared_ptr<const runtime::Operator> with(Mistake mistake);
// The budget is what it takes to see it, if not that of the world it belongs to.
verify::world::Variant variant(std::string belongs_to, std::string name, Mistake mistake,
                               std::string budget = {});

// Mistakes in one place.
Mistake planning(std::function<void(runtime::Plan&, const Mistake::Node&, const Mistake::Facts&)>);
Mistake removing(std::function<void(runtime::Plan&, const Mistake::Node&, const Mistake::Facts&)>);
Mistake seeing(std::function<void(Mistake::Facts&, const Mistake::Node&)>);
Mistake saying(std::function<void(Mistake::Verdict&, const Mistake::Facts&)>);
// What conclude() is told of every step that this is true of: it succeeded.
Mistake believing(std::function<bool(const runtime::Outcome&)> wrongly);

// All of them, each with the case that must notice it.
std::vector<verify::world::Variant> mistakes();

// By what they are about, one list each.
std::vector<verify::world::Variant> mistakes_in_making();    // cases 1, 2, 10, 11; neighbours
std::vector<verify::world::Variant> mistakes_in_removing();  // cases 3, 4, 7, 8
std::vector<verify::world::Variant> mistakes_in_saying();    // cases 5, 6, 9, 12

}  // namespace fixpoint::trials::stellar
