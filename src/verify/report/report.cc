// SPDX-License-Identifier: Apache-2.0
#include "verify/report/report.h"

#include "verify/report/story.h"

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

void tell_verdicts(const Exploration& result, std::string& out) {
  std::size_t width = 0;
  for (const auto& verdict : result.verdicts) width = std::max(width, verdict.name.size());
  for (const auto& verdict : result.verdicts) {
    out += fmt::format("  {:<9} {:<{}}  {}{}{}\n", to_string(verdict.outcome), verdict.name, width,
                       to_string(verdict.kind), verdict.detail.empty() ? "" : ": ", verdict.detail);
  }
}

std::string time_of(const Report& report) {
  const double seconds = seconds_of(report.exploration);
  const double rate = static_cast<double>(report.exploration.distinct) / std::max(seconds, 1e-6);
  return fmt::format("{:.1f} s, {} states/s, {} worker{}", seconds,
                     grouped(static_cast<std::uint64_t>(rate)), report.workers,
                     report.workers == 1 ? "" : "s");
}

std::string walks_of(const Walks& walks) {
  std::string text = grouped(walks.done);
  if (walks.done < walks.asked) text += " of " + grouped(walks.asked);
  if (walks.restless > 0) {
    text +=
        fmt::format("; {} came to no rest and say nothing about liveness", grouped(walks.restless));
  }
  return text;
}

std::string trust_in(const Exploration& result) {
  return fmt::format("{}; chance of a hash collision {}",
                     result.nondeterminism.empty()
                         ? grouped(result.executed_twice) + " transitions executed twice, alike"
                         : "NOT DETERMINISTIC: " + result.nondeterminism,
                     collision_chance(result.distinct));
}

}  // namespace

std::vector<Figure> figures_of(const Report& report) {
  const Exploration& result = report.exploration;
  std::vector<Figure> figures{
      {"states", fmt::format("{} distinct, {} transitions, depth {}", grouped(result.distinct),
       grouped(result.transitions), result.depth)}
  };
  if (result.walks) figures.push_back({"walks", walks_of(*result.walks)});
  if (result.components) figures.push_back({"components", grouped(*result.components)});
  figures.push_back({"time", time_of(report)});
  figures.push_back({"memory", fmt::format("{:.1f} MiB visited, {:.1f} MiB graph",
                                           static_cast<double>(result.visited_bytes) / 1048576.0,
                                           static_cast<double>(result.graph_bytes) / 1048576.0)});
  figures.push_back({"complete", result.complete() ? "yes" : "no: " + result.incomplete});
  figures.push_back({"trust", trust_in(result)});
  // Safety is about all runs, fair or not.
  if (result.components) figures.push_back({"fairness", fairness_of(result)});
  return figures;
}

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
  if (exploration.walks) return Conclusion::Sampled;
  return exploration.complete() ? Conclusion::Proved : Conclusion::Incomplete;
}

std::string_view Report::verdict() const {
  switch (conclusion()) {
    case Conclusion::Proved: return "complete, everything holds";
    case Conclusion::Violated:
      return false_on_purpose ? "not everything holds, as it must be" : "NOT everything holds";
    case Conclusion::Incomplete: return "INCOMPLETE: nothing is proved";
    case Conclusion::Sampled: return "a sample: nothing was violated, nothing is proved";
  }
  return "?";
}

std::string Report::command() const {
  std::string text = fmt::format("{} verify {}", program, subject);
  if (!scenario.empty()) text += " --scenario " + scenario;
  for (const auto& [name, value] : parameters) text += fmt::format(" --{} {}", name, value);
  if (const auto& walks = exploration.walks) {
    text += fmt::format(" --walks {} --seed {}", walks->asked, walks->seed);
  }
  return text;
}

std::string to_text(const Report& report) {
  std::string text = report.command() + "\n";
  for (const auto& figure : figures_of(report)) {
    text += fmt::format("  {:<12} {}\n", figure.label, figure.text);
  }
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
  return text + fmt::format("\n{}: {}\n", report.subject, report.verdict());
}

}  // namespace fixpoint::verify
