// SPDX-License-Identifier: Apache-2.0
//
// Every effect fails in every way at every position, and the controller still gets there: nothing
// twice, nothing left over, and at the fixpoint it writes nothing.
#include "base/thoroughness_for_tests.h"
#include "runtime/controller/controller_fixture.h"

#include <string>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;

constexpr Fault kFaults[] = {Fault::Before,    Fault::NotSent,     Fault::LostBefore,
                             Fault::LostAfter, Fault::CrashBefore, Fault::CrashAfter};

class Story : public ControllerFixture {
 public:
  explicit Story(std::function<Fault(std::size_t)> fault_at) {
    client_.fault_at = std::move(fault_at);
    operator_.on_decide = [](const TestOperator::Seen& seen) {
      Plan plan;
      plan.branch("map").steps.emplace_back(ApplyStep{TestOperator::color_map(seen)});
      auto& once = plan.branch("once", {"map"});
      once.steps.emplace_back(CreateStep{TestOperator::map("once", json::Draft::object())});
      plan.branch("role").steps.emplace_back(
          ApplyStep{parsed(R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",
                              "metadata":{"name":"sailor"},"rules":[]})")});
      return plan;
    };
  }
  void TestBody() override {}

  std::size_t calls() const { return client_.calls.size(); }

  void tell() {
    world_.create_boat("a");
    world_.sync();
    make_controller();
    settle_quietly("created");
    EXPECT_EQ(world_.count(kMaps), 2U);
    EXPECT_EQ(world_.count(kRoles), 1U);
    EXPECT_EQ(world_.text(kMaps, "a-map", "data", "color"), "red");

    world_.patch(kBoats, "a", R"({"spec":{"color":"blue"}})");
    settle_quietly("changed");
    EXPECT_EQ(world_.text(kMaps, "a-map", "data", "color"), "blue");

    world_.remove(kMaps, "a-map");
    settle_quietly("child deleted");
    EXPECT_EQ(world_.text(kMaps, "a-map", "data", "color"), "blue");
    EXPECT_EQ(world_.count(kMaps), 2U);

    world_.remove(kBoats, "a");
    run_for(20s);
    EXPECT_EQ(world_.count(kBoats), 0U);
    EXPECT_EQ(world_.count(kMaps), 0U);
    EXPECT_EQ(world_.count(kRoles), 0U);
    EXPECT_EQ(controller_->core().queue().size(), 0U);
  }

 private:
  void settle_quietly(const char* when) {
    run_for(3s);
    EXPECT_EQ(world_.text(kBoats, "a", "status", "phase"), "Ready") << when;
    EXPECT_EQ(controller_->core().running(), 0U) << when;
    const auto revision = world_.revision();
    const std::size_t written = client_.writes_made;
    controller_->look_at_all();
    run_for(200ms);
    EXPECT_EQ(world_.revision(), revision) << when;
    EXPECT_EQ(client_.writes_made, written) << when;
  }
};

TEST(Faults, TheStoryNeedsThisManyCallsWithoutAny) {
  Story story([](std::size_t) { return Fault::None; });

  story.tell();

  EXPECT_EQ(story.calls(), 17U);
}

TEST(Faults, OneFaultOfAnyKindAtAnyCallIsSurvived) {
  Story clean([](std::size_t) { return Fault::None; });
  clean.tell();
  std::size_t cases = 0;
  for (const Fault fault : kFaults) {
    for (std::size_t at = 0; at < clean.calls() + 2; ++at) {
      if (cases++ % kCasesStride != 0) continue;
      SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " at call " +
                   std::to_string(at));
      Story story([&](std::size_t call) { return call == at ? fault : Fault::None; });
      story.tell();
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Faults, TwoFaultsOfAnyKindsInARowAreSurvived) {
  std::size_t cases = 0;
  for (const Fault first : kFaults) {
    for (const Fault second : {Fault::Before, Fault::LostAfter, Fault::CrashAfter}) {
      for (std::size_t at = 0; at < 19; ++at) {
        if (cases++ % kCasesStride != 0) continue;
        SCOPED_TRACE("faults " + std::to_string(static_cast<int>(first)) + ", " +
                     std::to_string(static_cast<int>(second)) + " from call " + std::to_string(at));
        Story story([&](std::size_t call) {
          return call == at ? first : call == at + 1 ? second : Fault::None;
        });
        story.tell();
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(Faults, RandomFaultsAtATenthOfAllCallsAreSurvived) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng{seed};
    Story story([&](std::size_t) {
      return rng.below(10) == 0 ? kFaults[rng.below(std::size(kFaults))] : Fault::None;
    });
    story.tell();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace fixpoint::runtime
