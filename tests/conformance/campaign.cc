// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/campaign.h"

#include "tests/conformance/setup.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

#include <unistd.h>

namespace fixpoint::conformance {
namespace {

using std::chrono::milliseconds;

// Sequences whose closing watches are still open, per lane: each takes a second of a real server's
// time but none of its work.
constexpr std::size_t kPendingMax = 60;
// How often the real server is asked again, at most, when it seems to differ from ours. Where it
// picks one of two answers by chance, so many that are all alike come once in a million times.
constexpr int kSecondOpinions = 20;
// Half seconds that a definition may take until it is served.
constexpr int kSetupTries = 60;

const Area& area_for(const std::vector<const Area*>& areas, std::uint64_t roll) {
  std::uint64_t total = 0;
  for (const auto* area : areas) total += static_cast<std::uint64_t>(area->weight);
  roll %= total;
  for (const auto* area : areas) {
    const auto weight = static_cast<std::uint64_t>(area->weight);
    if (roll < weight) return *area;
    roll -= weight;
  }
  return *areas.back();
}

// What the lanes share; `mutex` guards `result`.
struct Shared {
  const CampaignOptions& options;
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  CampaignResult result;
};

class Lane {
 public:
  Lane(Shared& shared, const Local& local)
      : shared_(shared),
        real_(make_http_server(shared.options.real)),
        ours_(make_http_server(local.endpoint())),
        core_(make_core_server(local.fork())) {}

  void run() {
    const auto& options = shared_.options;
    for (;;) {
      const auto index = shared_.next++;
      if (index >= options.sequences || options.stop()) break;
      start(index);
      finish_some(kPendingMax);
    }
    finish_some(0);
  }

 private:
  struct Pending {
    Sequence sequence;
    std::unique_ptr<Session> real;
    std::unique_ptr<Session> ours;
    std::unique_ptr<Recording> core;
  };

  void start(std::uint64_t index) {
    Rng roll{shared_.options.seed * 1'000'003 + index};
    const auto& area = area_for(shared_.options.areas, roll.next());
    auto pending = std::make_unique<Pending>();
    pending->sequence = make_sequence(area, roll.next() % 1'000'000'000'000);
    const auto id = fresh_id();
    pending->real = std::make_unique<Session>(*real_, pending->sequence, id);
    pending->ours = std::make_unique<Session>(*ours_, pending->sequence, id);
    pending->real->run();
    pending->ours->run();
    if (runs_in_process(pending->sequence)) {
      pending->core = std::make_unique<Recording>(record(*core_, pending->sequence, id));
    }
    pending_.push_back(std::move(pending));
  }

  void finish_some(std::size_t left) {
    while (!pending_.empty()) {
      auto& oldest = *pending_.front();
      if (!oldest.real->finished() || !oldest.ours->finished()) {
        if (pending_.size() <= left) return;
        real_->wait(milliseconds(5));
        ours_->wait(milliseconds(1));
        continue;
      }
      judge(oldest);
      pending_.pop_front();
    }
  }

  void judge(Pending& pending) {
    const auto& sequence = pending.sequence;
    const auto real = pending.real->take();
    const auto truth = normalise(real);
    const auto own = normalise(pending.ours->take());
    const auto in_process = pending.core ? normalise(*pending.core) : Normal{};
    Unstable unstable;
    auto difference = first_difference(sequence, truth, own, in_process, unstable);
    std::string excused;
    std::string seen_once;
    if (difference && !is_known(difference->difference)) {
      excused = difference->difference.signature;
      for (int i = 0; i < kSecondOpinions && difference; ++i) {
        add_unstable(truth, second_opinion(sequence, difference->difference), unstable);
        difference = first_difference(sequence, truth, own, in_process, unstable);
      }
      if (difference) excused.clear();
      if (difference && !seen_again(sequence, pending.core != nullptr, unstable)) {
        seen_once = difference->difference.signature;
        difference.reset();
      }
    }
    const std::lock_guard lock{shared_.mutex};
    auto& result = shared_.result;
    ++result.sequences;
    result.requests += sequence.steps.size() + real.watches.size();
    if (pending.core) ++result.core_sequences;
    result.coverage.add(sequence, real);
    if (!excused.empty()) ++result.undecided[excused];
    if (!seen_once.empty()) ++result.seen_once[seen_once];
    if (difference) note(sequence, *std::move(difference));
    if (shared_.options.progress) {
      shared_.options.progress(result.sequences, result.requests, result.findings.size());
    }
  }

  struct Found {
    std::string server;
    Difference difference;
  };

  // Over HTTP, then in process.
  static std::optional<Found> first_difference(const Sequence& sequence, const Normal& truth,
                                               const Normal& own, const Normal& in_process,
                                               const Unstable& unstable) {
    if (auto found = compare(sequence, truth, own, unstable)) {
      return Found{"ours", *std::move(found)};
    }
    if (in_process.steps.empty()) return std::nullopt;
    if (auto found = compare(sequence, truth, in_process, unstable)) {
      return Found{"core", *std::move(found)};
    }
    return std::nullopt;
  }

  void note(const Sequence& sequence, Found found) {
    auto& finding = shared_.result.findings[found.difference.signature];
    if (finding.count++ > 0) return;
    finding.server = found.server;
    finding.sequence = sequence;
    finding.difference = std::move(found.difference);
  }

  bool is_known(const Difference& difference) {
    const std::lock_guard lock{shared_.mutex};
    return shared_.result.findings.contains(difference.signature);
  }

  // The real server's answers once more: it may not agree with itself.
  Normal second_opinion(Sequence sequence, const Difference& difference) {
    // What an answer shows needs no second of watching.
    if (difference.step < sequence.steps.size()) sequence.watches = {"-"};
    return normalise(record(*real_, sequence, fresh_id()));
  }

  // A watch that closes is a second long. When a machine is busy that may not be long enough for
  // all events, and then the ranks of resourceVersions move too; what is different stays different.
  bool seen_again(const Sequence& sequence, bool core_too, const Unstable& unstable) {
    const auto id = fresh_id();
    const auto truth = normalise(record(*real_, sequence, id));
    const auto own = normalise(record(*ours_, sequence, id));
    const auto in_process = core_too ? normalise(record(*core_, sequence, id)) : Normal{};
    return first_difference(sequence, truth, own, in_process, unstable).has_value();
  }

  Shared& shared_;
  std::unique_ptr<Server> real_;
  std::unique_ptr<Server> ours_;
  std::unique_ptr<Server> core_;
  std::deque<std::unique_ptr<Pending>> pending_;
};

}  // namespace

// Headers and forms are the business of HTTP.
bool runs_in_process(const Sequence& sequence) {
  if (sequence.http_only) return false;
  return std::ranges::all_of(sequence.steps, [](const Step& step) {
    return step.accept.empty() && step.headers.empty() && step.method != "HEAD" &&
           step.method != "OPTIONS";
  });
}

CampaignResult run_campaign(const CampaignOptions& options, const Local& ours) {
  Shared shared{.options = options};
  std::vector<std::thread> lanes;
  for (int i = 0; i < options.lanes; ++i) {
    lanes.emplace_back([&] { Lane(shared, ours).run(); });
  }
  for (auto& lane : lanes) lane.join();
  return std::move(shared.result);
}

Result<void> set_up(Server& server, std::vector<Step> steps) {
  Sequence sequence;
  sequence.steps = std::move(steps);
  sequence.watches = {"-"};
  auto recording = record(server, sequence, fresh_id());
  for (auto& step : recording.steps) {
    // A new definition's storage takes a moment: ask until it is there.
    for (int i = 0; i < kSetupTries && step.answer.code == 429; ++i) {
      server.wait(milliseconds(500));
      step.answer = server.call(step.call);
    }
    // What an earlier run left behind is as good.
    if (step.answer.code < 300 || step.answer.code == 409) continue;
    return fail(ErrorKind::Internal, "setting up " + std::string{server.name()} + ": " +
                                         step.call.method + " " + step.call.path +
                                         " was answered " + step.answer.body);
  }
  return {};
}

Result<void> set_up(const Endpoint& endpoint) {
  return set_up(*make_http_server(endpoint), setup_steps());
}

std::string fresh_id() {
  static std::atomic<std::uint64_t> count{0};
  static const std::string tag = [] {
    auto seed = Rng::from_kernel();
    return seed.name_suffix(5);
  }();
  auto digits = std::to_string(++count);
  return "c" + tag + std::string(7 - std::min<std::size_t>(7, digits.size()), '0') + digits;
}

}  // namespace fixpoint::conformance
