// SPDX-License-Identifier: Apache-2.0
#include "verify/models/two_phase.h"

#include "base/error.h"

#include <fmt/format.h>

namespace fixpoint::verify {
namespace {

constexpr std::string_view kManagerStates[]{"working", "prepared", "committed", "aborted"};
constexpr std::string_view kTransactionManager = "transaction manager";

std::string manager_name(unsigned who) {
  return fmt::format("manager {}", who + 1);
}

}  // namespace

TwoPhase::TwoPhase(unsigned size) : size_(size) {
  FP_CHECK(size >= 1 && size <= kSizeMax);
}

std::vector<Actor> TwoPhase::actors() const {
  std::vector<Actor> all{
      {.name = std::string{kTransactionManager}, .fair = true}
  };
  for (unsigned who = 0; who < size_; ++who) all.push_back({manager_name(who), true});
  return all;
}

std::string TwoPhase::describe(Action action) const {
  switch (action.kind) {
    case Kind::ManagerCommits: return "decides to commit";
    case Kind::ManagerAborts: return "decides to abort";
    case Kind::ManagerHearsPrepared:
      return "hears that " + manager_name(action.who) + " is prepared";
    case Kind::Prepares: return "prepares";
    case Kind::ChoosesToAbort: return "chooses to abort";
    case Kind::HearsCommit: return "hears that it is to commit";
    case Kind::HearsAbort: return "hears that it is to abort";
  }
  return "?";
}

Telling TwoPhase::tell(State before, Action action, State after) const {
  Telling told{.from = actors()[actor(action)].name, .asks = describe(action)};
  switch (action.kind) {
    case Kind::ManagerCommits:
    case Kind::ManagerAborts: told.to = "everybody"; break;
    case Kind::Prepares: told.to = kTransactionManager; break;
    default: break;
  }
  for (unsigned who = 0; who < size_; ++who) {
    const auto was = manager(before, who);
    const auto is = manager(after, who);
    if (was != is) {
      told.changes.push_back(
          fmt::format("{}: {} -> {}", manager_name(who), kManagerStates[was], kManagerStates[is]));
    }
  }
  return told;
}

Properties<TwoPhase> TwoPhase::properties() const {
  Properties<TwoPhase> all;
  all.never("some-commit-some-abort", [*this](State state) {
    bool committed = false;
    bool aborted = false;
    for (unsigned who = 0; who < size_; ++who) {
      committed |= manager(state, who) == Committed;
      aborted |= manager(state, who) == Aborted;
    }
    return committed && aborted;
  });
  all.sometimes("all-commit", [*this](State state) {
    for (unsigned who = 0; who < size_; ++who) {
      if (manager(state, who) != Committed) return false;
    }
    return true;
  });
  all.sometimes("all-abort", [*this](State state) {
    for (unsigned who = 0; who < size_; ++who) {
      if (manager(state, who) != Aborted) return false;
    }
    return true;
  });
  return all;
}

}  // namespace fixpoint::verify
