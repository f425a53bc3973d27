// SPDX-License-Identifier: Apache-2.0
#include "verify/mutant.h"

#include "json/draft.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::verify {
namespace {

std::string row_of(const std::string& name, const MutantScore& score) {
  return fmt::format("{:<28} {:>6} {:>7} {:>5} {:>10} {:>5}\n", name, score.total(), score.killed,
                     score.same, score.explained, score.open);
}

std::string fate_of(const Mutant& mutant) {
  if (mutant.killed()) {
    return fmt::format("killed in {} steps by {}: {}", mutant.steps, mutant.scenario,
                       mutant.property);
  }
  if (mutant.same) return "makes no difference here: the same states are reached";
  if (!mutant.explained.empty()) return "survives: " + mutant.explained;
  return fmt::format("SURVIVED {} states{}", mutant.states,
                     mutant.complete ? "" : ", not all of them");
}

}  // namespace

double MutantScore::percent() const {
  const std::size_t different = total() - same;
  if (different == 0) return 0;
  return 100.0 * static_cast<double>(killed) / static_cast<double>(different);
}

double MutantScore::percent_of_wrong() const {
  if (killed + open == 0) return 0;
  return 100.0 * static_cast<double>(killed) / static_cast<double>(killed + open);
}

MutantScore score_of(const std::vector<Mutant>& mutants) {
  MutantScore score;
  for (const auto& mutant : mutants) {
    if (mutant.killed()) {
      ++score.killed;
    } else if (mutant.same) {
      ++score.same;
    } else if (!mutant.explained.empty()) {
      ++score.explained;
    } else {
      ++score.open;
      if (!mutant.complete) ++score.unfinished;
    }
  }
  return score;
}

std::string to_text(const Mutant& mutant) {
  return fmt::format("{:<58} {}\n", mutant.group + ": " + mutant.name, fate_of(mutant));
}

std::string summary_of(const std::vector<Mutant>& mutants) {
  std::vector<std::string> groups;
  for (const auto& mutant : mutants) {
    if (std::ranges::find(groups, mutant.group) == groups.end()) groups.push_back(mutant.group);
  }
  std::string text = fmt::format("{:<28} {:>6} {:>7} {:>5} {:>10} {:>5}\n", "", "total", "killed",
                                 "same", "explained", "open");
  for (const auto& group : groups) {
    std::vector<Mutant> of_group;
    std::ranges::copy_if(mutants, std::back_inserter(of_group),
                         [&](const Mutant& mutant) { return mutant.group == group; });
    text += row_of(group, score_of(of_group));
  }
  const auto score = score_of(mutants);
  text += row_of("all", score);
  text += fmt::format(
      "\nkilled {} of {} that reach other states: {:.1f} %\n"
      "{} of those are as good as the original; killed {} of the {} others: {:.1f} %\n",
      score.killed, score.total() - score.same, score.percent(), score.explained, score.killed,
      score.killed + score.open, score.percent_of_wrong());
  if (score.unfinished > 0) {
    text +=
        fmt::format("INCOMPLETE: there was no time to look everywhere for {}\n", score.unfinished);
  }
  for (const auto& mutant : mutants) {
    if (!mutant.killed() && !mutant.same) text += to_text(mutant);
  }
  return text;
}

json::Value to_json(const std::vector<Mutant>& mutants) {
  auto list = json::Draft::array();
  for (const auto& mutant : mutants) {
    list.push_back(json::Draft::object({
        {"group",     mutant.group                            },
        {"name",      mutant.name                             },
        {"killed",    mutant.killed()                         },
        {"same",      mutant.same                             },
        {"scenario",  mutant.scenario                         },
        {"property",  mutant.property                         },
        {"steps",     static_cast<std::int64_t>(mutant.steps) },
        {"states",    static_cast<std::int64_t>(mutant.states)},
        {"complete",  mutant.complete                         },
        {"explained", mutant.explained                        }
    }));
  }
  return list.freeze();
}

}  // namespace fixpoint::verify
