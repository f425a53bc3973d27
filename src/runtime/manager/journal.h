// SPDX-License-Identifier: Apache-2.0
//
// Journal: what the passes of one controller did lately, for the debug page, the log and traces.
//
// A pass that did nothing leaves no trace but its numbers. Of each object the newest pass that did
// something, or failed, is kept with its plan and the outcome of each step, in words: no contents
// of objects, since those may be secret.
#pragma once

#include "base/clock.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "runtime/controller/controller.h"
#include "runtime/manager/log.h"
#include "runtime/metrics/controller_metrics.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

// Objects whose last pass is kept, the newest: more than anybody reads, at 0.6 KB each.
inline constexpr std::size_t kJournalObjectsMax = 256;
inline constexpr std::size_t kJournalStepsMax = 50;

enum class Traces : std::uint8_t { Off, On };

class Journal final : public ControllerListener {
 public:
  struct Setup {
    std::string controller;
    std::string identity;
    const Log* log = nullptr;
    ControllerSeries series;
    Traces traces = Traces::Off;
    std::function<void(const ControllerCore::Ended&)> on_end;  // of each pass
  };
  explicit Journal(Setup setup);

  void pass_began(const ControllerCore::Started& started, const kube::Key& key) override;
  void pass_ended(const ControllerCore::Ended& ended) override;

  // {"namespace","name","pass","at","took","result","steps":[…]}, newest first.
  json::Value to_json() const;
  ControllerSeries& series() { return setup_.series; }

 private:
  struct Step {
    std::string what;
    std::string branch;
    StepState state = StepState::Skipped;
    std::string reason;
    std::string message;
  };
  struct Record {
    std::uint64_t pass = 0;
    Instant at{};
    Duration took{};
    std::string result;
    std::string reason;
    std::string message;
    std::size_t writes = 0;
    std::size_t calls = 0;
    std::vector<Step> steps;
  };
  void keep(const ControllerCore::Ended& ended);
  void write_log(const ControllerCore::Ended& ended) const;
  void write_trace(const ControllerCore::Ended& ended) const;

  Setup setup_;
  std::map<kube::Key, Record> records_;
  std::deque<std::pair<kube::Key, std::uint64_t>> order_;  // oldest first; stale ones are skipped
};

// "success", "requeue_after", "error", "terminal_error".
std::string_view result_name(PassEnd::Result result);

}  // namespace fixpoint::runtime
