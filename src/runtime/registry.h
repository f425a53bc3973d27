// SPDX-License-Identifier: Apache-2.0
//
// Registry: the operators a program has on board, for `operator` and `manifests`.
//
// An entry is what `--operators` switches on: one or more controllers that belong together, and the
// kinds they bring along. A program of your own hands its registry to cli::run_program.
#pragma once

#include "base/error.h"
#include "runtime/operator.h"
#include "types/kind.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace fixpoint::fsm {
struct Diagram;
}

namespace fixpoint::runtime {

struct GuardSettings;

// One controller, what it sees of the world outside the API (null when it asks nothing there), and
// the numbers and names of its edit-war guard (null: the usual ones).
struct Part {
  std::unique_ptr<Operator> reconciler;
  std::shared_ptr<Outside> outside;
  std::shared_ptr<const GuardSettings> guard;
};

struct OperatorEntry {
  std::string_view name;     // "valkey"
  std::string_view summary;  // one line, in help
  std::vector<Part> (*make)() = nullptr;
  // Those whose CRDs are its to install; kinds it only watches are not among them.
  std::vector<const types::Kind*> (*kinds)() = nullptr;
  // The life of its objects, for `diagram`; null: it has no table.
  fsm::Diagram (*diagram)() = nullptr;
  bool example = false;  // not among the operators that run when none is named
};

using Registry = std::span<const OperatorEntry>;

// Those that "a,b" names, in the registry's order; all but the examples when nothing is named. An
// error says which name is wrong and which there are.
Result<std::vector<const OperatorEntry*>> choose(Registry registry, std::string_view list);

}  // namespace fixpoint::runtime
