// SPDX-License-Identifier: Apache-2.0
#include "verify/world/happenings.h"

#include "verify/world/world.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::verify::world {
namespace {

// What one trouble pays for in more than one way, outside of effects.
struct Way {
  Step step;
  Trouble price;
  const char* group;
  const char* name;
};
constexpr Way kWays[]{
    {Step::Crash,  Trouble::Crash, "crashes", "between two passes"},
    {Step::Relist, Trouble::Watch, "watches", "events missed"     },
    {Step::Repeat, Trouble::Watch, "watches", "an event twice"    },
};

}  // namespace

Happenings::Happenings(const Scenario& scenario, const Budget& whole) {
  for (std::size_t at = 0; at < kTroubles; ++at) {
    const auto trouble = static_cast<Trouble>(at);
    troubles_.emplace_back("budget", std::string{world::to_string(trouble)}, whole[trouble] > 0,
                           true);
  }
  for (const Way& way : kWays) steps_.emplace_back(way.group, way.name, whole[way.price] > 0, true);
  for (int lag = 1; lag <= whole.stale; ++lag) {
    lags_.emplace_back("caches", fmt::format("{} behind", lag), true, true);
  }
  for (const Deed& deed : scenario.deeds) {
    deeds_.emplace_back(deed.who, deed.what, !deed.price || whole[*deed.price] > 0,
                        deed.price.has_value());
  }
}

void Happenings::happened(const State& before, const Action& action, const State& after) {
  for (std::size_t at = 0; at < kTroubles; ++at) {
    if (after.left.times[at] < before.left.times[at]) raise(troubles_[at], Came::Happened);
  }
  for (std::size_t at = 0; at < std::size(kWays); ++at) {
    if (action.step == kWays[at].step) raise(steps_[at], Came::Happened);
  }
  if (action.step == Step::Deed) raise(deeds_[action.item], Came::Happened);
  for (const auto& process : after.processes) {
    for (const auto& followed : process->follows) {
      const std::size_t lag = std::min(followed.pending.size(), lags_.size());
      if (lag > 0) raise(lags_[lag - 1], Came::Happened);
    }
  }
}

template <class Each>
void Happenings::each(const Each& visit) const {
  for (const auto* items : {&troubles_, &steps_, &lags_, &deeds_}) {
    for (const Item& item : *items) {
      if (item.allowed) visit(item, item.came.load(std::memory_order_relaxed));
    }
  }
}

std::size_t Happenings::missed() const {
  std::size_t sum = 0;
  each([&](const Item& item, Came came) {
    if (item.needed && came == Came::Never) ++sum;
  });
  return sum;
}

std::string Happenings::to_string() const {
  struct Line {
    std::string group;
    std::string happened = {};
    std::string beyond = {};
    std::string no_occasion = {};
    std::string missed = {};
  };
  std::vector<Line> lines;  // in the order of their first items
  each([&](const Item& item, Came came) {
    auto line = std::ranges::find(lines, item.group, &Line::group);
    if (line == lines.end()) line = lines.insert(lines.end(), Line{.group = item.group});
    auto& list = came == Came::Happened ? line->happened
                 : came == Came::Beyond ? line->beyond
                 : item.needed          ? line->missed
                                        : line->no_occasion;
    list += (list.empty() ? "" : ", ") + item.name;
  });
  std::string text;
  for (const auto& line : lines) {
    text += fmt::format("{:<28} {}", line.group, line.happened);
    if (!line.beyond.empty()) text += fmt::format(" (beyond the budget: {})", line.beyond);
    if (!line.no_occasion.empty()) text += fmt::format(" (no occasion: {})", line.no_occasion);
    if (!line.missed.empty()) text += fmt::format(" MISSED: {}", line.missed);
    text += '\n';
  }
  return text;
}

}  // namespace fixpoint::verify::world
