// SPDX-License-Identifier: Apache-2.0
#include "sim/stellar/life.h"

#include "kube/scalars/duration.h"
#include "kube/scalars/url.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fixpoint::sim {
namespace {

// When the network of all stand-ins began; late enough that numbers stay below 2^31 at 20 ledgers a
// second.
constexpr Instant kBeginning{std::chrono::sys_days{std::chrono::year{2025} / 1 / 1}};
// How far a node that starts is behind: an hour of ledgers.
constexpr std::int64_t kBehind = 720;
constexpr std::array kModes{Mode::Sync, Mode::Lag, Mode::Hang, Mode::Late, Mode::Fail, Mode::Die};
constexpr std::array<std::string_view, 6> kWords{"sync", "lag", "hang", "late", "fail", "die"};

std::int64_t seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

}  // namespace

std::string_view to_string(Mode mode) {
  return kWords[static_cast<std::size_t>(mode)];
}

Result<Behaviour> parse_behaviour(std::string_view query) {
  Behaviour out;
  bool named = false;
  for (const auto& [key, value] : kube::query_pairs(query)) {
    if (key == "mode") {
      const auto found = std::ranges::find(kWords, value);
      if (found == kWords.end()) break;
      out.mode = kModes[static_cast<std::size_t>(found - kWords.begin())];
      named = true;
    } else if (key == "delay") {
      const auto delay = kube::parse_duration(value);
      if (!delay || *delay < Duration{}) {
        return fail(ErrorKind::Invalid, fmt::format("delay={}: give a time such as 3s", value));
      }
      out.delay = *delay;
    } else {
      return fail(ErrorKind::Invalid, fmt::format("\"{}\" is neither mode nor delay", key));
    }
  }
  if (!named) {
    return fail(ErrorKind::Invalid, fmt::format("give mode={}", fmt::join(kWords, "|")));
  }
  return out;
}

Moment at(const Life& life, Instant now) {
  Moment moment;
  moment.network_ledger = (now - kBeginning) / life.pace.ledger;
  moment.ledger = moment.network_ledger;
  moment.state = "Synced!";
  const Duration ran = std::max(now - life.started, Duration{});
  if (ran < life.pace.sync) {
    const auto left = static_cast<double>((life.pace.sync - ran).count()) /
                      static_cast<double>(life.pace.sync.count());
    moment.ledger -= static_cast<std::int64_t>(left * kBehind);
    moment.state = ran * 10 < life.pace.sync ? "Joining SCP" : "Catching up";
  }
  if (life.stuck_at) {
    moment.ledger = std::min(moment.ledger, *life.stuck_at);
    moment.state = "Catching up";
  }
  const Instant closed = kBeginning + life.pace.ledger * moment.ledger;
  moment.closed_at = seconds(closed.time_since_epoch());
  moment.age_seconds = std::max<std::int64_t>(seconds(now - closed), 0);
  return moment;
}

}  // namespace fixpoint::sim
