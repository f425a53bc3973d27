// SPDX-License-Identifier: Apache-2.0
//
// Happenings: what a budget or a scenario allows besides the faults of effects (coverage.h), and
// whether it came about: crashes between passes, events missed or heard twice, caches that lag or
// begin in the past, leases lost, deeds of people and of the cluster. What never happened was not
// verified, so a hole is a failure here too. What the cluster does by itself, and is paid with
// nothing, may have no occasion.
#pragma once

#include "verify/world/budget.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace fixpoint::verify::world {

struct Action;
struct Scenario;
struct State;

class Happenings {
 public:
  Happenings(const Scenario& scenario, const Budget& whole);
  Happenings(const Happenings&) = delete;
  Happenings& operator=(const Happenings&) = delete;

  // The step was taken.
  void happened(const State& before, const Action& action, const State& after);
  // The deed could be done, but what it is paid with is spent.
  void beyond(std::size_t deed) { raise(deeds_[deed], Came::Beyond); }

  std::size_t missed() const;
  // As a table for people: a line for each kind of thing.
  std::string to_string() const;

 private:
  // In order: what is known never becomes less.
  enum class Came : std::uint8_t { Never, Beyond, Happened };
  struct Item {
    Item(std::string of, std::string called, bool may, bool must)
        : group(std::move(of)), name(std::move(called)), allowed(may), needed(must) {}
    std::string group;
    std::string name;
    bool allowed;  // otherwise nobody speaks of it
    bool needed;   // and misses it
    std::atomic<Came> came = Came::Never;
  };

  // Written seldom: asked in every step of every worker.
  static void raise(Item& item, Came came) {
    if (item.came.load(std::memory_order_relaxed) < came) {
      item.came.store(came, std::memory_order_relaxed);
    }
  }
  template <class Each>
  void each(const Each& visit) const;

  std::deque<Item> troubles_;  // by Trouble
  std::deque<Item> steps_;     // kSteps, see the source
  std::deque<Item> lags_;      // by how many events, beginning with one
  std::deque<Item> deeds_;
};

}  // namespace fixpoint::verify::world
