// SPDX-License-Identifier: Apache-2.0
//
// Mistakes about what is outside the API: a cloud that makes disks, as a model of three lines.
#include "tests/replanted/fleet.h"

namespace fixpoint::replanted {
namespace {

// Two are too many already; without an end there would be ever more states.
constexpr std::int64_t kDisksMax = 2;

std::int64_t disks(json::View outside) {
  return outside.get("disks").as_int();
}

json::Value with_disks(std::int64_t count) {
  return json::Draft::object({
                                 {"disks", count}
  })
      .freeze();
}

// "make" makes one more each time, "ensure" one at most, "destroy" none whatever there was.
OutsideModel cloud() {
  return {
      .state = with_disks(0),
      .probe = [](const json::Value& state, const runtime::Probe&) -> Result<json::Value> {
        return state;
      },
      .perform = [](json::Value& state, const runtime::EffectStep& step) -> Result<json::Value> {
        const auto count = disks(state);
        state = with_disks(step.name == "make"     ? std::min(count + 1, kDisksMax)
                           : step.name == "ensure" ? 1
                                                   : 0);
        return state;
      }};
}

Promise one_disk() {
  return {"never two disks",
          [](const Glance&, const Glance& is) { return disks(is.outside) <= 1; }};
}

Promise nothing_left() {
  return {"what is gone leaves no disk", [](const Glance& was, const Glance& is) {
            return was.look.get(runtime::kBoats, kBoat).is_null() ||
                   !is.look.get(runtime::kBoats, kBoat).is_null() || disks(is.outside) == 0;
          }};
}

bool noted(const Seen& seen) {
  return seen.primary.get("status", "crew").as_int() > 0;
}

// What was made is noted in the status: that is how the next pass knows.
std::shared_ptr<TestOperator> noting(const char* how) {
  auto made = operator_that([how](const Seen& seen) {
    Plan plan;
    if (!noted(seen)) plan.effect(how, json::Draft::object().freeze());
    return plan;
  });
  made->on_conclude = [](const Seen& seen, const Outcomes& outcomes) {
    const bool there = noted(seen) || outcomes.all_succeeded();
    Conclusion conclusion;
    conclusion.status =
        json::parse(there ? R"({"phase":"Ready","crew":1})" : R"({"phase":"Failed"})").value();
    return conclusion;
  };
  made->on_cleanup = [](const Seen&) {
    return Plan{}.effect("destroy", json::Draft::object().freeze());
  };
  return made;
}

// What there is is asked for.
std::shared_ptr<TestOperator> asking() {
  auto made = operator_that([](const Seen& seen) {
    Plan plan;
    if (disks(seen.extra) == 0) plan.effect("make", json::Draft::object().freeze());
    return plan;
  });
  made->on_observe = [](const runtime::Reader&, runtime::Probes& probes) {
    return probes.ask({.name = "list", .arguments = json::Draft::object().freeze()});
  };
  made->on_cleanup = [](const Seen&) {
    return Plan{}.effect("destroy", json::Draft::object().freeze());
  };
  return made;
}

Bug made_twice() {
  const Story story{.budget = "crash=1", .promises = {one_disk()}, .outside = cloud()};
  return {"a crash between making and noting", "aws-controllers-k8s#2062", 7,
          planted(noting("make"), story), planted(asking(), story)};
}

Bug lost_answer() {
  const Story story{.budget = "error=1", .promises = {one_disk()}, .outside = cloud()};
  return {"an answer that was lost, and made again", "vsphere-csi-driver#2507", 7,
          planted(noting("make"), story), planted(asking(), story)};
}

Bug leaked() {
  const Story story{.budget = "error=1,edit=1",
                    .deeds = {sinks()},
                    .promises = {nothing_left()},
                    .outside = cloud()};
  auto wrong = noting("ensure");
  wrong->on_cleanup = [](const Seen& seen) {
    Plan plan;
    if (noted(seen)) plan.effect("destroy", json::Draft::object().freeze());
    return plan;
  };
  return {"a creation that timed out and happened", "vsphere-csi-driver#2507", 10,
          planted(wrong, story), planted(noting("ensure"), story)};
}

Bug note_not_seen() {
  const Story story{.budget = "stale=1,edit=1",
                    .deeds = {paints("green")},
                    .promises = {one_disk()},
                    .outside = cloud()};
  return {"a note that is not in the cache yet", "kong-operator#733, controller-runtime#1464", 3,
          planted(noting("make"), story, runtime::Rules::without(runtime::Rule::ReadOwnWrites)),
          planted(asking(), story)};
}

}  // namespace

std::vector<Bug> outside_bugs() {
  return {made_twice(), lost_answer(), leaked(), note_not_seen()};
}

}  // namespace fixpoint::replanted
