// SPDX-License-Identifier: Apache-2.0
#include "verify/report.h"

#include "verify/story.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace fixpoint::verify {
namespace {

bool failed(Outcome outcome) {
  return outcome == Outcome::Violated || outcome == Outcome::Vacuous;
}

double seconds_of(const Exploration& result) {
  return std::chrono::duration<double>(result.elapsed).count();
}

// The chance that two states share a fingerprint: the birthdays of n in 2^128 days.
std::string collision_chance(std::uint64_t distinct) {
  const auto n = static_cast<double>(distinct);
  return fmt::format("{:.1g}", n * n / std::pow(2.0, 129));
}

void line(std::string& out, std::string_view label, const std::string& text) {
  out += fmt::format("  {:<12} {}\n", label, text);
}

std::string fairness_of(const Exploration& result) {
  std::string fair;
  std::string unfair;
  for (const auto& count : result.actors) {
    auto& list = count.actor.fair ? fair : unfair;
    list += (list.empty() ? "" : ", ") + count.actor.name;
  }
  if (fair.empty()) return "none assumed";
  return "weak, for " + fair + (unfair.empty() ? "" : "; none for " + unfair);
}

void tell_numbers(const Report& report, std::string& out) {
  const Exploration& result = report.exploration;
  const double seconds = seconds_of(result);
  line(out, "states",
       fmt::format("{} distinct, {} transitions, depth {}", grouped(result.distinct),
                   grouped(result.transitions), result.depth));
  if (result.components) line(out, "components", grouped(*result.components));
  line(out, "time",
       fmt::format("{:.1f} s, {} states/s, {} worker{}", seconds,
                   grouped(static_cast<std::uint64_t>(static_cast<double>(result.distinct) /
                                                      std::max(seconds, 1e-6))),
                   report.workers, report.workers == 1 ? "" : "s"));
  line(out, "memory",
       fmt::format("{:.1f} MiB visited, {:.1f} MiB graph",
                   static_cast<double>(result.visited_bytes) / 1048576.0,
                   static_cast<double>(result.graph_bytes) / 1048576.0));
  line(out, "complete", result.complete() ? "yes" : "no: " + result.incomplete);
  line(out, "trust",
       fmt::format("{}; chance of a hash collision {}",
                   result.nondeterminism.empty()
                       ? grouped(result.executed_twice) + " transitions executed twice, alike"
                       : "NOT DETERMINISTIC: " + result.nondeterminism,
                   collision_chance(result.distinct)));
  // Safety is about all runs, fair or not.
  if (result.components) line(out, "fairness", fairness_of(result));
}

void tell_verdicts(const Exploration& result, std::string& out) {
  std::size_t width = 0;
  for (const auto& verdict : result.verdicts) width = std::max(width, verdict.name.size());
  for (const auto& verdict : result.verdicts) {
    out += fmt::format("  {:<9} {:<{}}  {}{}{}\n", to_string(verdict.outcome), verdict.name, width,
                       to_string(verdict.kind), verdict.detail.empty() ? "" : ": ", verdict.detail);
  }
}

std::string_view conclusion_text(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::Proved: return "complete, everything holds";
    case Conclusion::Violated: return "NOT everything holds";
    case Conclusion::Incomplete: return "INCOMPLETE: nothing is proved";
  }
  return "?";
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

Conclusion Report::conclusion() const {
  const bool bad =
      !exploration.nondeterminism.empty() ||
      std::ranges::any_of(exploration.verdicts,
                          [](const Verdict& verdict) { return failed(verdict.outcome); }) ||
      (exploration.complete() &&
       std::ranges::any_of(sections, [](const Section& section) { return section.missing > 0; }));
  if (bad) return Conclusion::Violated;
  return exploration.complete() ? Conclusion::Proved : Conclusion::Incomplete;
}

std::string Report::command() const {
  std::string text = "fixpoint verify " + subject;
  if (!scenario.empty()) text += " --scenario " + scenario;
  for (const auto& [name, value] : parameters) text += fmt::format(" --{} {}", name, value);
  return text;
}

std::string to_text(const Report& report) {
  std::string text = report.command() + "\n";
  tell_numbers(report, text);
  if (!report.exploration.verdicts.empty()) text += "\n";
  tell_verdicts(report.exploration, text);
  for (const auto& section : report.sections) {
    text += fmt::format("\n  {}{}\n{}", section.title,
                        section.missing > 0 ? fmt::format(" ({} missing)", section.missing) : "",
                        section.text);
  }
  for (const auto& verdict : report.exploration.verdicts) {
    if (verdict.trace) text += "\n" + story(verdict);
  }
  return text + fmt::format("\n{}: {}\n", report.subject, conclusion_text(report.conclusion()));
}

}  // namespace fixpoint::verify
