// SPDX-License-Identifier: Apache-2.0
//
// The report for programs. Names are camelCase, as everywhere in Kubernetes.
#include "json/draft.h"
#include "verify/report/report.h"

#include <string>

namespace fixpoint::verify {
namespace {

json::Draft number(std::uint64_t value) {
  return json::Draft{static_cast<std::int64_t>(value)};
}

json::Draft strings(const std::vector<std::string>& all) {
  auto list = json::Draft::array();
  for (const auto& text : all) list.push_back(text);
  return list;
}

json::Draft step_object(const TraceStep& step) {
  auto object = json::Draft::object({
      {"actor",       step.actor            },
      {"action",      step.action           },
      {"fingerprint", step.fingerprint.hex()},
      {"from",        step.telling.from     },
      {"asks",        step.telling.asks     },
  });
  if (!step.telling.to.empty()) object["to"] = step.telling.to;
  if (!step.telling.answer.empty()) object["answer"] = step.telling.answer;
  if (!step.telling.changes.empty()) object["changes"] = strings(step.telling.changes);
  return object;
}

json::Draft verdict_object(const Verdict& verdict) {
  auto object = json::Draft::object({
      {"name",    verdict.name              },
      {"kind",    to_string(verdict.kind)   },
      {"outcome", to_string(verdict.outcome)},
  });
  if (!verdict.detail.empty()) object["detail"] = verdict.detail;
  if (!verdict.trace) return object;
  auto& trace = object.object_at("counterexample");
  for (const auto& step : verdict.trace->steps)
    trace.array_at("steps").push_back(step_object(step));
  if (verdict.trace->loop_from) trace["loopFrom"] = number(*verdict.trace->loop_from);
  return object;
}

json::Draft actor_object(const ActorCount& count) {
  return json::Draft::object({
      {"name",        count.actor.name         },
      {"fair",        count.actor.fair         },
      {"transitions", number(count.transitions)},
  });
}

std::string_view conclusion_word(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::Proved: return "proved";
    case Conclusion::Violated: return "violated";
    case Conclusion::Incomplete: return "incomplete";
    case Conclusion::Sampled: return "sampled";
  }
  return "?";
}

void add_numbers(const Exploration& result, json::Draft& object) {
  object["distinct"] = number(result.distinct);
  object["transitions"] = number(result.transitions);
  object["depth"] = number(result.depth);
  if (result.components) object["components"] = number(*result.components);
  object["executedTwice"] = number(result.executed_twice);
  object["visitedBytes"] = number(result.visited_bytes);
  object["graphBytes"] = number(result.graph_bytes);
  object["seconds"] = std::chrono::duration<double>(result.elapsed).count();
  object["complete"] = result.complete();
  if (!result.complete()) object["incomplete"] = result.incomplete;
  if (const auto& walks = result.walks) {
    object["walks"] = json::Draft::object({
        {"done",     number(walks->done)    },
        {"asked",    number(walks->asked)   },
        {"restless", number(walks->restless)},
        {"seed",     number(walks->seed)    },
    });
  }
  if (!result.nondeterminism.empty()) object["nondeterminism"] = result.nondeterminism;
}

}  // namespace

json::Value to_json(const Report& report) {
  auto object = json::Draft::object({
      {"subject",    report.subject                      },
      {"command",    report.command()                    },
      {"conclusion", conclusion_word(report.conclusion())},
      {"workers",    number(report.workers)              },
  });
  if (!report.scenario.empty()) object["scenario"] = report.scenario;
  for (const auto& [name, value] : report.parameters) {
    object.object_at("parameters")[name] = value;
  }
  add_numbers(report.exploration, object);
  auto& actors = object.array_at("actors");
  for (const auto& count : report.exploration.actors) actors.push_back(actor_object(count));
  auto& verdicts = object.array_at("properties");
  for (const auto& verdict : report.exploration.verdicts) {
    verdicts.push_back(verdict_object(verdict));
  }
  for (const auto& section : report.sections) {
    object.array_at("sections")
        .push_back(json::Draft::object({
            {"title",   section.title          },
            {"missing", number(section.missing)},
            {"text",    section.text           },
    }));
  }
  return object.freeze();
}

}  // namespace fixpoint::verify
