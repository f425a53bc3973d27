// SPDX-License-Identifier: Apache-2.0
//
// Mistakes that the runtime makes impossible, by doing without the rule; the twin is the same
// operator in the same world with it.
#include "tests/replanted/fleet.h"

namespace fixpoint::replanted {
namespace {

using runtime::Rule;

Planted boats_in(std::string_view scenario, runtime::Rules rules) {
  Planted made{boat_trial(), rules};
  std::erase_if(made.trial.scenarios, [&](const Scenario& s) { return s.name != scenario; });
  return made;
}

Bug without(Rule rule, std::string_view scenario, std::size_t steps, std::string name,
            std::string seen_in) {
  return {std::move(name), std::move(seen_in), steps,
          boats_in(scenario, runtime::Rules::without(rule)), boats_in(scenario, {})};
}

Bug pruned_field() {
  const Story story{.budget = "", .match = boat_matches};
  const auto writing = [] {
    auto made =
        operator_that([](const Seen& seen) { return Plan{}.apply(TestOperator::color_map(seen)); });
    made->on_conclude = [](const Seen&, const Outcomes&) {
      Conclusion conclusion;
      conclusion.status = json::parse(R"({"phase":"Ready","unheardOf":1})").value();
      return conclusion;
    };
    return made;
  };
  return {"a status field that the server prunes", "OpenSandbox#1423", 9,
          planted(writing(), story, runtime::Rules::without(Rule::QuietFixpoint)),
          planted(writing(), story)};
}

Bug edit_war() {
  auto wrong = boats_in("war", {});
  auto right = wrong;
  wrong.trial.scenarios.front().guard.reset();
  return {"two operators that change each other's work back", "rule 12 of the runtime", 12,
          std::move(wrong), std::move(right)};
}

}  // namespace

std::vector<Bug> runtime_bugs() {
  return {
      without(Rule::NeverBackInTime, "past", 8, "a server that lags after a restart",
              "kubernetes#59848"),
      without(Rule::LiveBeforeDelete, "shrinks", 7, "a deletion decided on a stale cache",
              "cloud-on-k8s#5274, zookeeper-operator#314"),
      without(Rule::DeleteByUid, "life", 10, "a deletion by name", "cass-operator, K8SSAND-559"),
      without(Rule::DeletionWins, "life", 8, "work on what is being deleted",
              "kustomize-controller#930, zookeeper-operator#410"),
      without(Rule::FencedByLease, "two leaders", 4, "a lost lease, and writing on",
              "cilium#42920"),
      without(Rule::NoAdoption, "life", 8, "a namesake that is taken for a child",
              "rule 5 of the runtime"),
      without(Rule::FinalizerUntilGone, "life", 9, "a finalizer that comes off too early",
              "cassandra-operator#398"),
      without(Rule::FinalizerFirst, "life", 2, "a finalizer that comes too late",
              "rule 1 of the runtime"),
      without(Rule::ErrorClasses, "namesake", 4, "every error is tried again at once",
              "rule 10 of the runtime"),
      without(Rule::IsolatedBranches, "errors", 4, "one failure that stops everything",
              "rule 11 of the runtime"),
      without(Rule::BoundToSnapshot, "life", 6, "a status for another generation",
              "OpenSandbox#1673"),
      pruned_field(),
      edit_war(),
  };
}

}  // namespace fixpoint::replanted
