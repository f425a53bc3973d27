// SPDX-License-Identifier: Apache-2.0
//
// Mistakes of operators: in what they decide and in what they conclude.
#include "tests/replanted/fleet.h"

namespace fixpoint::replanted {
namespace {

// Two secrets that belong together, made when the first is missing.
Bug crash_between_secrets() {
  const Story story{.budget = "crash=1", .match = [](const Look& look, json::View boat) {
                      return is_ready(boat) && !map_in(look, "cert").is_null() &&
                             !map_in(look, "key").is_null();
                    }};
  const auto wrong = operator_that([](const Seen& seen) {
    Plan plan;
    if (find_map(seen, "cert") != nullptr) return plan;
    return plan.create(map_of("cert", "a")).create(map_of("key", "b"));
  });
  const auto right = operator_that(
      [](const Seen&) { return Plan{}.create(map_of("cert", "a")).create(map_of("key", "b")); });
  return {"a crash between two secrets", "percona-server-mongodb-operator, K8SPSMDB-578", 7,
          planted(wrong, story), planted(right, story)};
}

// How many there are is remembered in the status instead of counted.
Bug remembered_size() {
  const Story story{.budget = "foreign=1",
                    .deeds = {somebody_deletes("m0")},
                    .match = [](const Look& look, json::View boat) {
                      return is_ready(boat) && !map_in(look, "m0").is_null();
                    }};
  const auto wrong = operator_that([](const Seen& seen) {
    Plan plan;
    if (seen.primary.get("status", "crew").as_int() < 1) plan.apply(map_of("m0", "a"));
    return plan;
  });
  wrong->on_conclude = [](const Seen&, const Outcomes&) {
    Conclusion made;
    made.status = json::parse(R"({"phase":"Ready","crew":1})").value();
    return made;
  };
  const auto right = operator_that([](const Seen&) { return Plan{}.apply(map_of("m0", "a")); });
  return {"a size that is remembered, not counted", "casskop#342, yugabyte-operator#39", 7,
          planted(wrong, story), planted(right, story)};
}

Bug trusted_status() {
  const Story story{.budget = "edit=1", .deeds = {paints("green")}, .match = boat_matches};
  const auto wrong = operator_that([](const Seen& seen) {
    Plan plan;
    if (!is_ready(seen.primary)) plan.apply(TestOperator::color_map(seen));
    return plan;
  });
  const auto right =
      operator_that([](const Seen& seen) { return Plan{}.apply(TestOperator::color_map(seen)); });
  return {"a status that is trusted", "redis-operator#301", 9, planted(wrong, story),
          planted(right, story)};
}

// Members that are to be replaced, and never more than one of three missing.
Bug quorum_counted_once() {
  const auto formed = [](const Look& look) { return look.list(runtime::kMaps).size(); };
  const Story story{
      .budget = "edit=1",
      .deeds = {paints("green")},
      .promises = {{"two of three members stay", [formed](const Glance& was, const Glance& is) {
                      return formed(was.look) < 2 || formed(is.look) >= 2;
                    }}}};
  const auto roll = [](const Seen& seen, bool all_at_once) {
    Plan plan;
    const bool whole = seen.maps.size() == 3;
    for (const auto& map : seen.maps) {
      if (!whole || map.get("data", "color").as_string() == color_of(seen)) continue;
      plan.remove({runtime::kMapKind, kube::key_of(map)},
                  kube::Uid{std::string{kube::uid_of(map)}});
      if (!all_at_once) return plan;
    }
    for (const char* name : {"m0", "m1", "m2"}) plan.create(map_of(name, color_of(seen)));
    return plan;
  };
  return {"a quorum that is counted once for several deletions", "opensearch-k8s-operator#1471", 13,
          planted(operator_that([roll](const Seen& seen) { return roll(seen, true); }), story),
          planted(operator_that([roll](const Seen& seen) { return roll(seen, false); }), story)};
}

constexpr const char* kReadyFor = "ready-for";

// A kubelet that takes its time to say for which color a member is ready.
Deed becomes_ready(const std::string& name) {
  return {.who = "kubelet",
          .what = "says that " + name + " is ready",
          .price = std::nullopt,
          .fair = true,
          .act =
              [name](Stage& stage) {
                const auto look = stage.look();
                const std::string color{map_in(look, name).get("data", "color").as_string()};
                stage.patch(runtime::kMaps, {"default", name},
                            R"({"metadata":{"annotations":{"ready-for":")" + color + R"("}}})");
              },
          .possible =
              [name](const Look& look) {
                const json::View map = map_in(look, name);
                const auto color = map.get("data", "color").as_string();
                return !map.is_null() && color != "bad" &&
                       kube::annotation_of(map, kReadyFor) != color;
              }};
}

Bug lagging_readiness() {
  const auto unsettled = [](const Look& look) {
    return std::ranges::count_if(look.list(runtime::kMaps), [](json::View map) {
      const auto ready = kube::annotation_of(map, kReadyFor);
      return !ready.empty() && ready != map.get("data", "color").as_string();
    });
  };
  const Story story{
      .budget = "edit=1",
      .deeds = {paints("green"), becomes_ready("m0"), becomes_ready("m1")},
      .promises = {{"one member at a time", [unsettled](const Glance&, const Glance& is) {
                      return unsettled(is.look) <= 1;
                    }}}
  };
  const auto roll = [](const Seen& seen, bool for_this_color) {
    Plan plan;
    for (const char* name : {"m0", "m1"}) {
      plan.apply(map_of(name, color_of(seen)));
      const auto* map = find_map(seen, name);
      const auto ready = map == nullptr ? "" : kube::annotation_of(*map, kReadyFor);
      if (for_this_color ? ready != color_of(seen) : ready.empty()) {
        plan.wait("NotReady", "a member is not ready");
      }
    }
    return plan;
  };
  return {"readiness of the generation before", "m3db-operator#268", 17,
          planted(operator_that([roll](const Seen& seen) { return roll(seen, false); }), story),
          planted(operator_that([roll](const Seen& seen) { return roll(seen, true); }), story)};
}

// A template that can never work is corrected.
Bug wait_blocks_the_cure() {
  const Story story{
      .color = "bad",
      .budget = "edit=1",
      .deeds = {paints("green"), becomes_ready("m0")},
      .match = [](const Look& look, json::View boat) {
        const auto color = boat.get("spec", "color").as_string();
        return color == "bad" || kube::annotation_of(map_in(look, "m0"), kReadyFor) == color;
                }
  };
  const auto plan_of = [](const Seen& seen, bool wait_first) {
    Plan plan;
    const auto* map = find_map(seen, "m0");
    const bool ready = map != nullptr && kube::annotation_of(*map, kReadyFor) ==
                                             map->get("data", "color").as_string();
    if (wait_first && map != nullptr && !ready) plan.wait("NotReady", "it is not ready");
    plan.apply(map_of("m0", color_of(seen)));
    return plan;
  };
  return {"a wait that blocks the cure", "kubernetes#67250, tidb-operator#4946", 9,
          planted(operator_that([=](const Seen& seen) { return plan_of(seen, true); }), story),
          planted(operator_that([=](const Seen& seen) { return plan_of(seen, false); }), story)};
}

// A list whose order is another one each time.
Bug unordered_status() {
  const Story story{.budget = "", .match = boat_matches};
  const auto concluding = [](bool sorted) {
    auto made = operator_that(again_and_again);
    made->on_conclude = [sorted](const Seen& seen, const Outcomes&) {
      const bool swapped = !sorted && seen.primary.get("status", "notes")[0].as_string() == "a";
      Conclusion conclusion;
      conclusion.status = json::parse(swapped ? R"({"phase":"Ready","notes":["b","a"]})"
                                              : R"({"phase":"Ready","notes":["a","b"]})")
                              .value();
      return conclusion;
    };
    return made;
  };
  return {"a list in the status without an order", "clowder#148, operator-lifecycle-manager#1816",
          11, planted(concluding(false), story), planted(concluding(true), story)};
}

// The uid of one and the kind of another.
Bug wrong_owner() {
  const Story story{.budget = "", .match = boat_matches};
  const auto with_owner = [](bool wrong) {
    return operator_that([wrong](const Seen& seen) {
      json::Draft map(TestOperator::color_map(seen));
      if (wrong) {
        auto owner = kube::controller_reference(seen.primary);
        owner.uid = "00000000-0000-0000-0000-000000000000";
        map.object_at("metadata").array_at("ownerReferences").push_back(owner.to_json());
      }
      Plan plan;
      plan.branch("map").steps.emplace_back(runtime::ApplyStep{
          map.freeze(), wrong ? runtime::Ownership::Shared : runtime::Ownership::Owned});
      return plan;
    });
  };
  return {"an owner reference with a wrong uid", "kubernetes#88097, crossplane#895", 8,
          planted(with_owner(true), story), planted(with_owner(false), story)};
}

// Something computed that the server can never accept.
Bug impossible_value() {
  const Story story{.budget = "edit=1",
                    .deeds = {paints("green")},
                    .match = [](const Look& look, json::View boat) {
                      return is_ready(boat) && !map_in(look, "m0").is_null();
                    }};
  const auto counting = [](bool clamped) {
    return operator_that([clamped](const Seen& seen) {
      const int count = color_of(seen) == "green" ? 0 : 1;
      auto data = json::Draft::object();
      data[count == 0 && !clamped ? "crew -1" : "crew"] = "x";
      return Plan{}.apply(TestOperator::map("m0", std::move(data)));
    });
  };
  return {"a value that can never be accepted", "emqx-operator#1130", 9,
          planted(counting(false), story), planted(counting(true), story)};
}

Bug endless_cleanup() {
  const Story story{.budget = "edit=1", .deeds = {sinks()}, .match = boat_matches};
  const auto cleaning = [](bool waits) {
    auto made =
        operator_that([](const Seen& seen) { return Plan{}.apply(TestOperator::color_map(seen)); });
    made->on_cleanup = [waits](const Seen& seen) {
      Plan plan;
      if (waits && !seen.maps.empty()) plan.wait("Children", "there are children");
      return plan;
    };
    return made;
  };
  return {"a finalizer that never comes off", "onepassword-operator#55, remove-empty-ns-operator#5",
          11, planted(cleaning(true), story), planted(cleaning(false), story)};
}

// Whatever happened, it is called Ready.
Bug swallowed_error() {
  Story story{.budget = "",
              .promises = {{"Ready means that it is so", [](const Glance&, const Glance& is) {
                              const json::View boat = is.look.get(runtime::kBoats, kBoat);
                              return !is_ready(boat) ||
                                     map_in(is.look, "a-map").get("data", "color") ==
                                         boat.get("spec", "color");
                            }}}};
  const auto decide = [](const Seen& seen) { return Plan{}.apply(TestOperator::color_map(seen)); };
  const auto wrong = operator_that(decide);
  wrong->on_conclude = [](const Seen&, const Outcomes&) {
    Conclusion made;
    made.status = json::parse(R"({"phase":"Ready"})").value();
    return made;
  };
  auto of = [&](const std::shared_ptr<TestOperator>& reconciler) {
    auto made = planted(reconciler, story);
    made.trial.scenarios.front().objects.emplace_back(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a-map}}");
    return made;
  };
  return {"an error that is swallowed", "rule 10 of the runtime", 4, of(wrong),
          of(operator_that(decide))};
}

// A child whose name is made anew each time: whoever looks for the old one finds nothing.
Bug name_made_anew() {
  const Story story{
      .budget = "edit=1,stale=1",
      .deeds = {paints("green")},
      .match = [](const Look& look, json::View) { return look.list(runtime::kMaps).size() == 1; }};
  const auto naming = [](bool anew) {
    return operator_that([anew](const Seen& seen) {
      const auto name =
          anew ? "disk-" + std::to_string(kube::generation_of(seen.primary)) : std::string{"disk"};
      return Plan{}.apply(map_of(name, color_of(seen)));
    });
  };
  return {"a child whose name is made anew", "cryostat-operator#163, achilles-sdk#71", 11,
          planted(naming(true), story), planted(naming(false), story)};
}

}  // namespace

std::vector<Bug> operator_bugs() {
  return {crash_between_secrets(), remembered_size(),   trusted_status(),
          quorum_counted_once(),   lagging_readiness(), wait_blocks_the_cure(),
          unordered_status(),      wrong_owner(),       impossible_value(),
          endless_cleanup(),       swallowed_error(),   name_made_anew()};
}

}  // namespace fixpoint::replanted
