// SPDX-License-Identifier: Apache-2.0
//
// CarriedAnswers: what a pass was told that an edit overtook before it had done anything.
//
// The pass that follows asks the same questions about the same world. Who takes five seconds to
// answer would never be heard of an object that is edited twice a second, and nothing be done for
// it; so what was just answered is not asked again. Never past a write: what it changed would be
// seen as it was before.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "runtime/controller/controller_core.h"
#include "runtime/reader.h"

#include <chrono>
#include <map>
#include <vector>

namespace fixpoint::runtime {

// An answer that is older is asked for again, whatever became of the passes since.
inline constexpr Duration kAnswerCarriedMax = std::chrono::seconds(10);

class CarriedAnswers {
 public:
  using PassId = ControllerCore::PassId;

  // What an overtaken pass of this key was told; null: ask.
  const Result<json::Value>* find(const kube::Key& key, const Probe& probe,
                                  MonotonicInstant now) const;
  void told(PassId pass, Probe probe, Result<json::Value> answer, MonotonicInstant now);
  void ended(const ControllerCore::Ended& over);

 private:
  struct Answer {
    Probe probe;
    Result<json::Value> answer;
    MonotonicInstant at;
  };
  std::map<PassId, std::vector<Answer>> running_;
  std::map<kube::Key, std::vector<Answer>> carried_;  // until the next pass of the key ends
};

}  // namespace fixpoint::runtime
