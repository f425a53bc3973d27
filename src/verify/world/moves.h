// SPDX-License-Identifier: Apache-2.0
//
// Moves: what became of a process that heard something, so that the same process hearing the same
// is not driven again. Most states of a world differ in what is stored or under way, and few in
// what a process knows: three moves out of four have been made before.
//
// A process is known by its serial number, and two that are alike in all that decides about their
// future are one (`same_as`), whichever way led to them. What is remembered is what would come out:
// World::next_afresh makes a move without looking here, and the explorer compares a sample. A
// thread has its own memory, of a fixed size: what is pushed out is worked out again.
#pragma once

#include "base/hash.h"
#include "base/ref.h"
#include "verify/world/process.h"
#include "verify/world/recall.h"

#include <cstddef>
#include <memory>

namespace fixpoint::verify::world {

struct Move {
  Ref<const Process> process;
  std::shared_ptr<const runtime::ControllerCore::Ended> ended;  // the pass that ended with it
};

// Gives it its digest and its number; from now on it does not change. `from` is what it was copied
// from: of caches that nothing happened to the digest is known. Null: of none.
Ref<const Process> complete(const Ref<Process>& made, const Process* from);

class Moves {
 public:
  // Null when it is not remembered.
  const Move* find(const Hash128& key) const;
  void remember(const Hash128& key, const Move& move);
  // The one that is known already and is just the same, or this one.
  Ref<const Process> same_as(const Ref<const Process>& complete);

  static Moves& of_this_thread();

 private:
  // A process that only this keeps is a few kilobytes, and many share parts.
  Recall<Move> moves_{std::size_t{1} << 16U};
  Recall<Ref<const Process>> processes_{std::size_t{1} << 15U};
};

}  // namespace fixpoint::verify::world
