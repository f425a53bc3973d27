// SPDX-License-Identifier: Apache-2.0
//
// second_time: executes the transitions of one state twice, to see that the model is a function of
// its states. The second time nothing is used that the model remembers, if it can do without.
#pragma once

#include "base/hash.h"
#include "verify/model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::verify {

struct SecondTime {
  std::uint64_t executed = 0;
  // Which action gave two different successors; empty when none did.
  std::string nondeterminism = {};
};

// One state in so many is in the sample; 0: none is.
inline bool in_sample(Hash128 fingerprint, std::uint32_t one_in) {
  return one_in != 0 && fingerprint.low % one_in == 0;
}

// Of an action that is not possible: nothing.
template <Model M, class Next>
std::vector<std::optional<Hash128>> prints_after(const M& model,
                                                 const std::vector<typename M::Action>& actions,
                                                 const Next& next) {
  std::vector<std::optional<Hash128>> prints;
  for (const auto& action : actions) {
    const auto after = next(action);
    prints.push_back(after ? std::optional{model.fingerprint(*after)} : std::nullopt);
  }
  return prints;
}

// Whether a model that gives its successors in one go gives those of its actions.
template <Model M>
bool strides_alike(const M& model, const typename M::State& state,
                   const std::vector<std::optional<Hash128>>& by_action) {
  if constexpr (Strides<M>) {
    std::vector<Hash128> expected;
    for (const auto& print : by_action) {
      if (print) expected.push_back(*print);
    }
    std::vector<Hash128> found;
    model.successors(
        state, [&](const auto&, const auto& after) { found.push_back(model.fingerprint(after)); });
    std::ranges::sort(expected);
    std::ranges::sort(found);
    return found == expected;
  } else {
    return true;
  }
}

// `actions` are the state's, as they were listed the first time.
template <Model M>
SecondTime second_time(const M& model, const typename M::State& state,
                       const std::vector<typename M::Action>& actions) {
  using Action = typename M::Action;
  const auto next = [&](const Action& action) { return model.next(state, action); };
  const auto once = prints_after(model, actions, next);
  std::vector<Action> again;
  model.actions(state, again);
  const auto twice = prints_after(model, again, [&](const Action& action) {
    if constexpr (WorksAfresh<M>) {
      return model.next_afresh(state, action);
    } else {
      return next(action);
    }
  });
  SecondTime result{.executed = once.size()};
  if (!strides_alike(model, state, once)) result.nondeterminism = "its successors";
  const auto [first, second] = std::ranges::mismatch(once, twice);
  if (first == once.end() && second == twice.end()) return result;
  const auto index = static_cast<std::size_t>(first - once.begin());
  result.nondeterminism =
      index < actions.size() ? model.describe(actions[index]) : "the list of actions";
  return result;
}

}  // namespace fixpoint::verify
