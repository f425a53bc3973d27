// SPDX-License-Identifier: Apache-2.0
//
// Somebody edits the spec twice a second for a minute and more (15 s under a sanitizer), a person
// who tries things or a program that never agrees with itself. The operator cannot keep up with
// each edit, but children and status must follow all the while: in virtual time, with a node that
// answers at once, one that does not answer, and a server that takes its time.
#include "base/thoroughness_for_tests.h"
#include "operators/stellar/stellar_fixture.h"
#include "runtime/controller/controller_fixture.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

using namespace std::chrono_literals;

constexpr int kEdits = kSanitized ? 30 : 140;
constexpr Duration kBetweenEdits = 500ms;
// Edits that may pass before one is heard of: two questions of five seconds, one after the other.
constexpr std::int64_t kLagMax = 24;

class StellarBusyEditor : public StellarFixture {
 public:
  ~StellarBusyEditor() override { controller_.reset(); }

 protected:
  StellarBusyEditor() {
    for (auto& [kind, contents] : world_.contents) contents.keep_own_changes();
  }

  // Lets the operator run beside whoever edits.
  void start_operator() {
    controller_ = std::make_unique<runtime::Controller>(
        runtime::Controller::Setup{.reconciler = &reconciler_,
                                   .outside = &outside_,
                                   .client = &client_,
                                   .cache = &world_,
                                   .scheduler = &scheduler_,
                                   .workers = &workers_,
                                   .identity = "test-1",
                                   .field_manager = "stellar-operator",
                                   .rng = Rng{3}});
    controller_->start();
    controller_->look_at_all();
  }
  void run_for(Duration time) {
    const auto until = scheduler_.now() + time;
    while (scheduler_.now() < until) {
      scheduler_.advance(10ms);
      deliver();
    }
  }
  void deliver() {
    for (auto& [kind, contents] : world_.contents) {
      const auto own = contents.take_own_changes();
      if (!own.empty()) controller_->changed(kind, own);
    }
    if (std::exchange(delivered_, world_.revision()) == world_.revision()) return;
    for (auto& seen : world_.sync()) controller_->changed(seen.kind, std::span{&seen.change, 1});
  }

  std::int64_t generation() {
    const auto alice = node();
    return kube::generation_of(alice);
  }
  std::int64_t observed() {
    const auto alice = node();
    return alice.get("status", "observedGeneration").as_int();
  }
  std::int64_t made_from() { return std::stoll("0" + generation_of(kinds::kStatefulSet, "alice")); }
  // Edits all the time and looks how far behind children and status are; then the last one counts.
  void edit_without_end() {
    bring_up("alice", kValidatorSpec);
    start_operator();
    run_for(1s);
    std::int64_t status_lag = 0;
    std::int64_t child_lag = 0;
    for (int edited = 0; edited < kEdits; ++edited) {
      edit("alice",
           fmt::format(R"({{"spec":{{"validatorConfig":{{"homeDomain":"n{}.example.com"}}}}}})",
                       edited));
      run_for(kBetweenEdits);
      status_lag = std::max(status_lag, generation() - observed());
      child_lag = std::max(child_lag, generation() - made_from());
      ASSERT_LE(observed(), generation());
    }
    EXPECT_LE(status_lag, kLagMax) << "the status does not follow";
    EXPECT_LE(child_lag, kLagMax) << "the children do not follow";
    run_for(30s);
    EXPECT_EQ(observed(), generation());
    EXPECT_EQ(made_from(), generation());
  }

  class Answers final : public runtime::Outside {
   public:
    explicit Answers(const Health& health) : health_(health) {}
    Result<json::Value> probe(const runtime::Probe&) override {
      ++asked;
      return health_.to_json();
    }
    Result<json::Value> perform(const runtime::EffectStep&) override {
      return fail(ErrorKind::Invalid, "nothing is done here");
    }
    int asked = 0;

   private:
    const Health& health_;
  };

  runtime::VirtualScheduler scheduler_;
  runtime::WorldClient client_{world_, scheduler_};
  runtime::InlineWorkers workers_{scheduler_};
  Answers outside_{health};
  std::unique_ptr<runtime::Controller> controller_;
  std::uint64_t delivered_ = 0;
};

TEST_F(StellarBusyEditor, IsFollowedWhenTheNodeAnswers) {
  edit_without_end();
}

TEST_F(StellarBusyEditor, IsFollowedWhenTheNodeDoesNotAnswer) {
  health = Health{};
  health.reason = "NoAnswer";
  health.message = "no answer within the deadline";
  workers_.latency = 5s;

  // Brought up while it still answered: passes by hand ask nobody's clock.
  on_probe_ = [](const runtime::Probe&) -> Result<json::Value> {
    Health good;
    good.verdict = Verdict::Healthy;
    good.reason = "Synced";
    good.ledger = 5000;
    good.age_seconds = 3;
    return good.to_json();
  };
  edit_without_end();

  EXPECT_NE(phase(), "Running");
}

TEST_F(StellarBusyEditor, IsFollowedWhenEveryCallTakesATenthOfASecond) {
  client_.latency = 100ms;
  edit_without_end();
}

// What was answered before a write is not believed after it.
TEST_F(StellarBusyEditor, IsAskedAnewOnceItIsLeftAlone) {
  bring_up("alice", kValidatorSpec);
  start_operator();
  run_for(1s);
  const auto before = outside_.asked;

  run_for(3min);

  EXPECT_GE(outside_.asked - before, 3) << "once a minute";
}

}  // namespace
}  // namespace fixpoint::operators::stellar
