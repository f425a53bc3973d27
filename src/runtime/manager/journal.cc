// SPDX-License-Identifier: Apache-2.0
#include "runtime/manager/journal.h"

#include "base/hash.h"
#include "base/rfc3339.h"
#include "base/utf8.h"
#include "json/draft.h"
#include "json/print.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

std::string in_millis(Duration took) {
  return fmt::format("{:.1f}ms", std::chrono::duration<double, std::milli>(took).count());
}

std::string shown_key(const kube::Key& key) {
  return key.ns.empty() ? key.name : key.ns + "/" + key.name;
}

bool is_error(PassEnd::Result result) {
  return result == PassEnd::Result::Error || result == PassEnd::Result::TerminalError;
}

// What people want to read of: what changed and what does not get on.
bool worth_keeping(const PassEnd& end) {
  return end.writes > 0 || is_error(end.result) || end.outcomes.problem() != nullptr;
}

ControllerSeries::Ended numbers(const ControllerCore::Ended& ended) {
  using Result = ControllerSeries::Result;
  const auto& end = ended.end;
  auto result = Result::Success;
  if (is_error(end.result)) result = Result::Error;
  if (end.result == PassEnd::Result::RequeueAfter) result = Result::RequeueAfter;
  return {.result = result,
          .took = ended.took,
          .terminal = end.result == PassEnd::Result::TerminalError,
          .timed_out = end.timed_out};
}

json::Draft attribute(std::string_view key, std::string_view value) {
  return json::Draft::object({
      {"key",   key                                          },
      {"value", json::Draft::object({{"stringValue", value}})}
  });
}

}  // namespace

std::string_view result_name(PassEnd::Result result) {
  switch (result) {
    case PassEnd::Result::Success: return "success";
    case PassEnd::Result::RequeueAfter: return "requeue_after";
    case PassEnd::Result::Error: return "error";
    case PassEnd::Result::TerminalError: return "terminal_error";
  }
  std::unreachable();
}

Journal::Journal(Setup setup) : setup_(std::move(setup)) {}

void Journal::pass_began(const ControllerCore::Started& started, const kube::Key&) {
  setup_.series.pass_began(started.waited);
}

void Journal::pass_ended(const ControllerCore::Ended& ended) {
  setup_.series.pass_ended(numbers(ended));
  if (setup_.on_end) setup_.on_end(ended);
  if (setup_.traces == Traces::On) write_trace(ended);
  if (!worth_keeping(ended.end)) return;
  keep(ended);
  write_log(ended);
}

void Journal::keep(const ControllerCore::Ended& ended) {
  const auto& end = ended.end;
  Record record{.pass = ended.id,
                .at = setup_.log->clock().wall(),
                .took = ended.took,
                .result = std::string{result_name(end.result)},
                .reason = end.failure.reason,
                .message = std::string{utf8_prefix(end.failure.message, kLogTextMax)},
                .writes = end.writes,
                .calls = end.calls,
                .steps = {}};
  if (!is_error(end.result)) record.reason = record.message = {};
  for (const auto& outcome : end.outcomes.steps) {
    if (record.steps.size() == kJournalStepsMax) break;
    record.steps.push_back({.what = outcome.what,
                            .branch = outcome.branch,
                            .state = outcome.state,
                            .reason = outcome.reason,
                            .message = std::string{utf8_prefix(outcome.message, kLogTextMax)}});
  }
  records_[ended.key] = std::move(record);
  order_.emplace_back(ended.key, ended.id);
  while (records_.size() > kJournalObjectsMax || order_.size() > 2 * kJournalObjectsMax) {
    const auto [key, pass] = std::move(order_.front());
    order_.pop_front();
    const auto found = records_.find(key);
    if (found != records_.end() && found->second.pass == pass) records_.erase(found);
  }
}

void Journal::write_log(const ControllerCore::Ended& ended) const {
  const auto object = shown_key(ended.key);
  const auto pass = fmt::format("{}", ended.id);
  const auto took = in_millis(ended.took);
  for (const auto& outcome : ended.end.outcomes.steps) {
    const bool bad = outcome.state == StepState::Failed || outcome.state == StepState::Paused;
    if (!bad && outcome.state != StepState::Done) continue;
    setup_.log->say(bad ? LogLevel::Warning : LogLevel::Info, outcome.what,
                    {
                        {"state",      to_string(outcome.state)},
                        {"controller", setup_.controller       },
                        {"object",     object                  },
                        {"pass",       pass                    },
                        {"reason",     outcome.reason          },
                        {"message",    outcome.message         }
    });
  }
  if (!is_error(ended.end.result)) return;
  setup_.log->warn("the pass failed", {
                                          {"controller", setup_.controller            },
                                          {"object",     object                       },
                                          {"pass",       pass                         },
                                          {"took",       took                         },
                                          {"result",     result_name(ended.end.result)},
                                          {"reason",     ended.end.failure.reason     },
                                          {"message",    ended.end.failure.message    }
  });
}

// One span a pass, shaped as OpenTelemetry's JSON encoding has it.
void Journal::write_trace(const ControllerCore::Ended& ended) const {
  const auto now = setup_.log->clock().wall().time_since_epoch();
  const auto id = hash128(fmt::format("{}|{}|{}", setup_.identity, setup_.controller, ended.id));
  const bool bad = is_error(ended.end.result);
  auto attributes = json::Draft::array({
      attribute("controller", setup_.controller),
      attribute("k8s.namespace.name", ended.key.ns),
      attribute("object.name", ended.key.name),
      attribute("pass", fmt::format("{}", ended.id)),
      attribute("result", result_name(ended.end.result)),
      attribute("writes", fmt::format("{}", ended.end.writes)),
      attribute("calls", fmt::format("{}", ended.end.calls)),
  });
  const auto span =
      json::Draft::object(
          {
              {"name", "reconcile"},
              {"traceId", id.hex()},
              {"spanId", id.hex().substr(0, 16)},
              {"kind", 1},
              {"startTimeUnixNano", fmt::format("{}", (now - ended.took).count())},
              {"endTimeUnixNano", fmt::format("{}", now.count())},
              {"attributes", std::move(attributes)},
              {"status", json::Draft::object(
                             {{"code", bad ? 2 : 1}, {"message", ended.end.failure.message}})}
  })
          .freeze();
  setup_.log->raw(json::to_text(span, json::Escape::Plain) + "\n");
}

json::Value Journal::to_json() const {
  std::vector<std::pair<const kube::Key*, const Record*>> newest;
  for (const auto& [key, record] : records_) newest.emplace_back(&key, &record);
  std::ranges::sort(newest, std::greater{}, [](const auto& r) { return r.second->pass; });
  auto list = json::Draft::array();
  for (const auto& [key, record] : newest) {
    auto steps = json::Draft::array();
    for (const auto& step : record->steps) {
      steps.push_back(json::Draft::object({
          {"branch",  step.branch          },
          {"step",    step.what            },
          {"state",   to_string(step.state)},
          {"reason",  step.reason          },
          {"message", step.message         }
      }));
    }
    list.push_back(json::Draft::object({
        {"namespace", key->ns                                  },
        {"name",      key->name                                },
        {"pass",      static_cast<std::int64_t>(record->pass)  },
        {"at",        format_micros(record->at)                },
        {"took",      in_millis(record->took)                  },
        {"result",    record->result                           },
        {"reason",    record->reason                           },
        {"message",   record->message                          },
        {"writes",    static_cast<std::int64_t>(record->writes)},
        {"calls",     static_cast<std::int64_t>(record->calls) },
        {"steps",     std::move(steps)                         }
    }));
  }
  return list.freeze();
}

}  // namespace fixpoint::runtime
