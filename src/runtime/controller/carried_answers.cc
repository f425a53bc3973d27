// SPDX-License-Identifier: Apache-2.0
#include "runtime/controller/carried_answers.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fixpoint::runtime {
const Result<json::Value>* CarriedAnswers::find(const kube::Key& key, const Probe& probe,
                                                MonotonicInstant now) const {
  const auto of_key = carried_.find(key);
  if (of_key == carried_.end()) return nullptr;
  const auto found = std::ranges::find_if(of_key->second, [&](const Answer& known) {
    return same_question(known.probe, probe) && now - known.at <= kAnswerCarriedMax;
  });
  return found == of_key->second.end() ? nullptr : &found->answer;
}

void CarriedAnswers::told(PassId pass, Probe probe, Result<json::Value> answer,
                          MonotonicInstant now) {
  running_[pass].push_back({std::move(probe), std::move(answer), now});
}

void CarriedAnswers::ended(const ControllerCore::Ended& over) {
  auto told = running_.extract(over.id);
  if (!over.end.overtaken || over.end.writes > 0) {
    if (!carried_.empty()) carried_.erase(over.key);
    return;
  }
  if (told.empty()) return;
  auto& carried = carried_[over.key];
  // What is asked again was too old.
  std::erase_if(carried, [&](const Answer& known) {
    return std::ranges::any_of(told.mapped(), [&](const Answer& newer) {
      return same_question(newer.probe, known.probe);
    });
  });
  std::ranges::move(told.mapped(), std::back_inserter(carried));
}

}  // namespace fixpoint::runtime
