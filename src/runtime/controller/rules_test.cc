// SPDX-License-Identifier: Apache-2.0
//
// The twelve rules: for each switch of rules.h one scenario in which the rule holds, and which goes
// wrong when the rule is off. A rule that nobody misses would not be one.
#include "runtime/controller/rules.h"

#include "runtime/controller/controller_core.h"
#include "runtime/controller/pass_fixture.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;

// A world of its own, outside of gtest's bookkeeping: a scenario runs twice.
class Scenario : public PassFixture {
 public:
  explicit Scenario(Rules rules) {
    settings_.rules = rules;
    world_.create_boat("a");
    world_.sync();
  }
  void TestBody() override {}

  bool sent(std::string_view verb_and_kind) const {
    return std::ranges::count(verbs(), verb_and_kind) > 0;
  }
  std::string state(std::string_view branch, const PassEnd& end) const {
    const Outcome* outcome = end.outcomes.find(branch, 0);
    return outcome == nullptr ? "" : std::string{to_string(outcome->state)};
  }

  // Rule 1: at the moment the first child is created the finalizer is on.
  bool finalizer_first() {
    operator_.declared.finalizer = "fixpoint.dev/boats";
    bool was_on = false;
    on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
      if (call.verb == client::Verb::Create) {
        was_on = !world_.text(kBoats, "a", "metadata", "finalizers").empty();
      }
      return std::nullopt;
    };
    run();
    return was_on;
  }

  // Rule 1: a child that is slow to go keeps the finalizer on, whatever the cache says.
  bool finalizer_until_gone() {
    operator_.declared.finalizer = "fixpoint.dev/boats";
    settle_or_stop();
    world_.patch(kMaps, "a-map", R"({"metadata":{"finalizers":["example.com/slow"]}})");
    world_.remove(kBoats, "a");
    for (int pass = 0; pass < 3; ++pass) {
      world_.sync();
      run();
    }
    const bool waited = world_.count(kBoats) == 1 && world_.count(kMaps) == 1;
    world_.patch(kMaps, "a-map", R"({"metadata":{"finalizers":null}})");
    for (int pass = 0; pass < 3; ++pass) {
      world_.sync();
      run();
    }
    return waited && world_.count(kBoats) == 0 && world_.count(kMaps) == 0;
  }

  // Rule 2: nothing is made any more for an object that is being deleted.
  bool deletion_wins() {
    operator_.declared.finalizer = "fixpoint.dev/boats";
    settle_or_stop();
    world_.remove(kMaps, "a-map");
    world_.remove(kBoats, "a");
    world_.sync();
    calls_.clear();
    run();
    return !sent("create configmaps");
  }

  // Rule 2: two passes of one key never run at once.
  bool one_pass_per_key() {
    ControllerCore core({.settings = settings_,
                         .queue = {.one_pass_per_key = settings_.rules.on(Rule::OnePassPerKey)},
                         .source = {},
                         .rng = Rng{1}});
    const Times now{world_.clock.wall(), world_.clock.monotonic()};
    core.add({"ns", "a"}, kFreshPriority, now.monotonic);
    core.start(world_, now);
    core.add({"ns", "a"}, kFreshPriority, now.monotonic);
    core.start(world_, now);
    return core.running() == 1;
  }

  // Rule 2: without the lease nothing is written.
  bool fenced_by_lease() {
    struct Lost final : Fence {
      bool held() const override { return false; }
    } lost_lease;
    settings_.fence = &lost_lease;
    const auto before = world_.revision();
    const PassEnd end = run();
    return world_.revision() == before && end.failure.reason == "LeaseLost";
  }

  // Rule 3: everything that is wrong is said at once, and nothing else happens.
  bool invalid_creates_nothing() {
    operator_.on_check = [](json::View) {
      return kube::FieldErrors{
          kube::required(kube::FieldPath("spec").child("crew"), "needs a crew"),
          kube::forbidden(kube::FieldPath("spec").child("color"), "not red")};
    };
    const PassEnd end = run();
    const std::string message = world_.text(kBoats, "a", "status", "conditions");
    return world_.count(kMaps) == 0 && operator_.observed == 0 &&
           message.find("needs a crew") != std::string::npos &&
           message.find("not red") != std::string::npos &&
           world_.text(kBoats, "a", "status", "phase") != "Ready" &&
           end.result == PassEnd::Result::TerminalError && !end.requeue_after && !end.backoff;
  }

  // Rule 4: what was decided about one generation is not said about another.
  bool bound_to_snapshot() {
    on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
      if (call.subresource == "status") world_.patch(kBoats, "a", R"({"spec":{"color":"blue"}})");
      return std::nullopt;
    };
    const PassEnd end = run();
    return world_.text(kBoats, "a", "status").empty() && end.backoff;
  }

  // Rule 5: somebody else's object of the same name is left as it is.
  bool no_adoption() {
    world_.create_map("a-map", R"("data":{"theirs":"yes"})");  // the cache does not know it
    const PassEnd end = run();
    return world_.text(kMaps, "a-map", "data") == R"({"theirs":"yes"})" &&
           world_.text(kMaps, "a-map", "metadata", "ownerReferences").empty() &&
           state("main", end) == "Failed" &&
           end.outcomes.steps[0].error_class == ErrorClass::Permanent &&
           end.requeue_after == kPermanentAgain;
  }

  void decide_to_delete_map() {
    const std::string uid = world_.text(kMaps, "old", "metadata", "uid");
    operator_.on_decide = [uid](const TestOperator::Seen&) {
      Plan plan;
      plan.remove(
          {
              kMapKind, {"ns", "old"}
      },
          kube::Uid{uid});
      return plan;
    };
  }

  // Rule 6: the object that is deleted is the one that was observed.
  bool delete_by_uid() {
    world_.create_map("old");
    world_.sync();
    decide_to_delete_map();
    on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
      if (call.verb == client::Verb::Delete) {
        world_.remove(kMaps, "old");
        world_.create_map("old", R"("data":{"new":"yes"})");
      }
      return std::nullopt;
    };
    const PassEnd end = run();
    return world_.text(kMaps, "old", "data", "new") == "yes" && state("main", end) == "Done";
  }

  // Rule 6: what is on its way out already is not deleted on the word of the cache.
  bool live_before_delete() {
    world_.create_map("old", R"("data":{})");
    world_.patch(kMaps, "old", R"({"metadata":{"finalizers":["example.com/slow"]}})");
    world_.sync();
    decide_to_delete_map();
    world_.remove(kMaps, "old");
    const PassEnd end = run();
    return !sent("delete configmaps") && state("main", end) == "Waiting";
  }

  // Rule 6: an old deletion stamp is no reason to destroy what its successor has.
  bool live_before_cleanup() {
    operator_.declared.finalizer = "fixpoint.dev/boats";
    int destroyed = 0;
    operator_.on_cleanup = [](const TestOperator::Seen&) {
      Plan plan;
      plan.effect("destroy", json::Value::null());
      return plan;
    };
    on_effect_ = [&](const EffectStep&) {
      ++destroyed;
      return Result<json::Value>{json::Value::null()};
    };
    settle_or_stop();
    world_.remove(kBoats, "a");
    world_.sync();
    world_.patch(kBoats, "a", R"({"metadata":{"finalizers":null}})");
    world_.create_boat("a");
    run();  // the cache still shows the one that was deleted
    return destroyed == 0;
  }

  // Rule 7: a pass sees what the one before it wrote, though the watch lags.
  bool read_own_writes() {
    run();
    calls_.clear();
    const PassEnd end = run();
    return end.writes == 0 && calls_.empty();
  }

  // Rule 7: an answer older than what was seen is no answer.
  bool never_back_in_time() {
    world_.create_map("lagging", R"("data":{"v":"1"})");
    const json::Value past = world_.get(kMaps, "lagging");
    world_.patch(kMaps, "lagging", R"({"data":{"v":"2"}})");
    world_.sync();
    on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
      if (call.verb != client::Verb::Get) return std::nullopt;
      return answered(past);
    };
    std::string believed;
    operator_.on_observe = [](const Reader& reader, Probes&) {
      return reader.live({
          kMapKind, {"ns", "lagging"}
      });
    };
    operator_.on_decide = [&](const TestOperator::Seen& seen) {
      believed = seen.extra.get("data", "v").as_string();
      return Plan{};
    };
    return run().backoff && believed.empty();
  }

  // Rule 8: the status says what is, not what it said before.
  bool status_from_facts() {
    settle_or_stop();
    world_.patch(kBoats, "a", R"({"status":{"phase":"Sunk"}})", "status");
    world_.sync();
    run();
    return world_.text(kBoats, "a", "status", "phase") == "Ready";
  }

  // Rule 8: at the fixpoint nothing is written.
  bool quiet_fixpoint() {
    for (int pass = 0; pass < 3; ++pass) {
      world_.sync();
      run();
    }
    return run().writes == 0;
  }

  // Rule 9: a plan without end is refused, and says so.
  bool bounded_steps() {
    operator_.on_decide = [](const TestOperator::Seen&) {
      Plan plan;
      for (std::size_t i = 0; i <= kPlanStepsMax; ++i) {
        plan.apply(TestOperator::map("m" + std::to_string(i), json::Draft::object()));
      }
      return plan;
    };
    const PassEnd end = run();
    return world_.count(kMaps) == 0 && end.failure.reason == "PlanRefused";
  }

  // Rule 10: what a retry cannot cure is not retried.
  bool error_classes() {
    on_call_ = [](const client::Call& call) -> std::optional<client::Reply> {
      if (call.verb != client::Verb::Create) return std::nullopt;
      return std::unexpected(refused(422, "Invalid", "data: Invalid value"));
    };
    const PassEnd end = run();
    return end.result == PassEnd::Result::TerminalError && !end.backoff && !end.requeue_after;
  }

  // Rule 11: the others go on, dependants say because of whom they do not.
  bool isolated_branches() {
    operator_.on_decide = [](const TestOperator::Seen&) {
      Plan plan;
      plan.branch("bad").steps.emplace_back(
          ApplyStep{TestOperator::map("bad", json::Draft::object())});
      plan.branch("dependant", {"bad"})
          .steps.emplace_back(ApplyStep{TestOperator::map("dependant", json::Draft::object())});
      plan.branch("free").steps.emplace_back(
          ApplyStep{TestOperator::map("free", json::Draft::object())});
      return plan;
    };
    bool broken = true;
    on_call_ = [&](const client::Call& call) -> std::optional<client::Reply> {
      const bool bad = call.body.get("metadata", "name").as_string() == "bad";
      if (!bad || !broken) return std::nullopt;
      return std::unexpected(refused(500, "InternalError", "webhook down"));
    };
    const PassEnd end = run();
    const Outcome* dependant = end.outcomes.find("dependant", 0);
    const bool said = dependant != nullptr && dependant->state == StepState::Skipped &&
                      dependant->reason == "DependencyFailed" &&
                      dependant->message.find("\"bad\"") != std::string::npos &&
                      dependant->message.find("webhook down") != std::string::npos;
    const bool went_on = state("free", end) == "Done" && state("bad", end) == "Failed";
    broken = false;
    world_.sync();
    return said && went_on && run().outcomes.all_succeeded() && world_.count(kMaps) == 3;
  }

  // Rule 12: what the guard holds is not written.
  bool edit_war_guard() {
    struct Pausing final : WriteGuard {
      WriteVerdict may_write(const WriteAttempt&, Instant) override {
        WriteVerdict verdict;
        verdict.kind = WriteVerdict::Kind::Paused;
        verdict.reason = "ThrashingDetected";
        return verdict;
      }
      void wrote(const WriteAttempt&, const client::Reply&, Instant) override {}
      void marked(const WriteAttempt&, json::View, Instant) override {}
      void removed(const ObjectRef&, Instant) override {}
    } guard;
    settings_.guard = &guard;
    const PassEnd end = run();
    return world_.count(kMaps) == 0 && state("main", end) == "Paused";
  }

 private:
  void settle_or_stop() {
    for (int pass = 0; pass < 3; ++pass) {
      world_.sync();
      run();
    }
  }
};

struct Row {
  Rule rule;
  const char* name;
  bool (Scenario::*holds)();
};

constexpr Row kRows[] = {
    {Rule::FinalizerFirst,        "Rule1TheFinalizerIsOnBeforeTheFirstChild", &Scenario::finalizer_first   },
    {Rule::FinalizerUntilGone,    "Rule1TheFinalizerStaysUntilAllIsSeenGone",
     &Scenario::finalizer_until_gone                                                                       },
    {Rule::DeletionWins,          "Rule2DeletionWins",                        &Scenario::deletion_wins     },
    {Rule::OnePassPerKey,         "Rule2OnePassPerKey",                       &Scenario::one_pass_per_key  },
    {Rule::FencedByLease,         "Rule2NothingIsWrittenWithoutTheLease",     &Scenario::fenced_by_lease   },
    {Rule::InvalidCreatesNothing, "Rule3AnInvalidSpecCreatesNothing",
     &Scenario::invalid_creates_nothing                                                                    },
    {Rule::BoundToSnapshot,       "Rule4WritesAreBoundToTheSnapshot",         &Scenario::bound_to_snapshot },
    {Rule::NoAdoption,            "Rule5ForeignNamesakesAreLeftAlone",        &Scenario::no_adoption       },
    {Rule::DeleteByUid,           "Rule6DeletesCarryTheUid",                  &Scenario::delete_by_uid     },
    {Rule::LiveBeforeDelete,      "Rule6DeletesFollowALiveRead",              &Scenario::live_before_delete},
    {Rule::LiveBeforeDelete,      "Rule6AnOldDeletionStampIsCheckedLive",
     &Scenario::live_before_cleanup                                                                        },
    {Rule::ReadOwnWrites,         "Rule7OwnWritesAreSeen",                    &Scenario::read_own_writes   },
    {Rule::NeverBackInTime,       "Rule7ThePastIsNotBelieved",                &Scenario::never_back_in_time},
    {Rule::StatusFromFacts,       "Rule8TheStatusComesFromFacts",             &Scenario::status_from_facts },
    {Rule::QuietFixpoint,         "Rule8TheFixpointIsQuiet",                  &Scenario::quiet_fixpoint    },
    {Rule::BoundedSteps,          "Rule9PlansAreBounded",                     &Scenario::bounded_steps     },
    {Rule::ErrorClasses,          "Rule10TheClassOfAnErrorDecides",           &Scenario::error_classes     },
    {Rule::IsolatedBranches,      "Rule11AFailedBranchIsIsolated",            &Scenario::isolated_branches },
    {Rule::EditWarGuard,          "Rule12TheGuardIsAsked",                    &Scenario::edit_war_guard    },
};

class RulesTest : public testing::TestWithParam<Row> {};

TEST_P(RulesTest, Holds) {
  Scenario scenario{Rules::all()};
  EXPECT_TRUE((scenario.*GetParam().holds)());
}

TEST_P(RulesTest, IsMissedWhenItIsOff) {
  Scenario scenario{Rules::without(GetParam().rule)};
  EXPECT_FALSE((scenario.*GetParam().holds)());
}

INSTANTIATE_TEST_SUITE_P(All, RulesTest, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string{row.param.name}; });

TEST(Rules, EverySwitchHasAScenario) {
  for (std::size_t rule = 0; rule < kRuleCount; ++rule) {
    EXPECT_TRUE(std::ranges::any_of(kRows, [&](const Row& row) {
      return static_cast<std::size_t>(row.rule) == rule;
    })) << rule;
  }
}

}  // namespace
}  // namespace fixpoint::runtime
