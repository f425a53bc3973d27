// SPDX-License-Identifier: Apache-2.0
#include "verify/report/story.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::verify {
namespace {

std::string headline(const Verdict& verdict) {
  const Trace& trace = *verdict.trace;
  const std::size_t stem = trace.loop_from.value_or(trace.steps.size());
  std::string text = fmt::format("{} \"{}\" is violated after {} step{}", to_string(verdict.kind),
                                 verdict.name, stem, stem == 1 ? "" : "s");
  if (trace.loop_from == trace.steps.size()) {
    text += ", and then nothing more need happen";
  } else if (trace.loop_from) {
    const std::size_t loop = trace.steps.size() - stem;
    text += fmt::format(", then a loop of {} for ever", loop);
  }
  if (!verdict.detail.empty()) text += fmt::format(" ({})", verdict.detail);
  return text + "\n";
}

void tell_step(std::size_t number, std::size_t width, const Telling& told, std::string& out) {
  const auto who = told.to.empty() ? told.from : fmt::format("{} -> {}", told.from, told.to);
  out += fmt::format("  {:>3}  {:<{}}  {}\n", number, who, width, told.asks);
  const std::string indent(width + 9, ' ');
  if (!told.answer.empty()) out += fmt::format("{}answer: {}\n", indent, told.answer);
  for (const auto& change : told.changes) out += fmt::format("{}| {}\n", indent, change);
}

std::size_t width_of(const Trace& trace) {
  std::size_t width = 0;
  for (const auto& step : trace.steps) {
    const auto& told = step.telling;
    width = std::max(width, told.from.size() + (told.to.empty() ? 0 : told.to.size() + 4));
  }
  return width;
}

}  // namespace

std::string story(const Verdict& verdict) {
  if (!verdict.trace) return {};
  const Trace& trace = *verdict.trace;
  std::string text = headline(verdict);
  const std::size_t width = width_of(trace);
  const bool introduced = !trace.introduction.empty();
  if (introduced || trace.initial_index != 0 || trace.steps.empty()) {
    text += fmt::format("    0  {}\n", introduced
                                           ? trace.introduction
                                           : fmt::format("initial state {}", trace.initial_index));
  }
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    if (trace.loop_from == i) text += "       for ever:\n";
    tell_step(i + 1, width, trace.steps[i].telling, text);
  }
  if (trace.loop_from == trace.steps.size()) text += "       for ever: nothing\n";
  return text;
}

std::vector<std::string> cast(const Trace& trace) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const auto& step : trace.steps) {
    add(step.telling.from);
    add(step.telling.to);
  }
  return names;
}

}  // namespace fixpoint::verify
