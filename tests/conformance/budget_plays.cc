// SPDX-License-Identifier: Apache-2.0
//
// Plays of PodDisruptionBudgets and evictions.
#include "tests/conformance/workloads.h"

#include <chrono>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

using Pods = Act::Pods;
using std::chrono::seconds;

// A controller of budgets hears of its pods, not of those who make them: this long after.
constexpr seconds kAfter{1};

Deed make_budget(std::string_view spec) {
  return {"POST", "policy/poddisruptionbudgets",
          fmt::format(R"({{"metadata":{{"name":"budget"}},"spec":{{{},"selector":{{"matchLabels":)"
                      R"({{"app":"web"}}}}}}}})",
                      spec)};
}

Deed make_owner(std::string_view kind, std::string_view more) {
  return {"POST", fmt::format("apps/{}", kind),
          fmt::format(R"({{"metadata":{{"name":"web"}},"spec":{{{}"selector":{{"matchLabels":)"
                      R"({{"app":"web"}}}},"template":{{"metadata":{{"labels":{{"app":"web"}}}},)"
                      R"("spec":{{"schedulerName":"nobody","containers":)"
                      R"([{{"name":"c","image":"a"}}]}}}}}}}})",
                      more)};
}

Deed make_pod() {
  return {"POST", "pods",
          R"({"metadata":{"name":"alone","labels":{"app":"web"}},"spec":{"schedulerName":"nobody",)"
          R"("containers":[{"name":"c","image":"a"}]}})"};
}

Deed evict() {
  return {"POST", "pods/<any>/eviction",
          R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"<any>"}})"};
}

Act budget_act(std::string name, std::vector<Deed> deeds, Pods pods = Pods::AllAtOnce) {
  return {std::move(name), std::move(deeds), pods, kAfter};
}

}  // namespace

std::vector<Play> budget_plays() {
  return {
      {"budget",
       "as many may go as are not needed",        {budget_act("made", {make_owner("deployments", R"("replicas":3,)")}),
        budget_act("limited", {make_budget(R"("minAvailable":2)")}),
        budget_act("evicted", {evict()}, Pods::AsTheyAre), budget_act("recovered", {}),
        budget_act("changed", {{"PATCH", "policy/poddisruptionbudgets/budget",
                                R"({"spec":{"minAvailable":3}})"}}),
        budget_act("scaled", {{"PATCH", "apps/deployments/web", R"({"spec":{"replicas":5}})"}})}  },
      {"budget-percent",
       "a share of what its owner wants",         {budget_act("made", {make_owner("deployments", R"("replicas":4,)")}),
        budget_act("limited", {make_budget(R"("minAvailable":"50%")")}),
        budget_act("evicted", {evict()}, Pods::AsTheyAre)}                                         },
      {"budget-unavailable",
       "so many may be missing of a StatefulSet", {budget_act("made", {make_owner("statefulsets", R"("replicas":3,"serviceName":"web",)"
                                                       R"("podManagementPolicy":"Parallel",)")}),
        budget_act("limited", {make_budget(R"("maxUnavailable":1)")}),
        budget_act("one broken",
                   {{"PATCH", "pods/web-1/status",
                     R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})"}},
                   Pods::AsTheyAre)}                                                       },
      {"budget-empty",
       "of no pods none may go",                  {budget_act("made", {make_budget(R"("minAvailable":1)")})}                                },
      {"budget-alone",
       "a pod that nobody manages has no scale",  {budget_act("made", {make_pod()}),
        budget_act("limited", {make_budget(R"("maxUnavailable":1)")}),
        budget_act("by number", {{"PATCH", "policy/poddisruptionbudgets/budget",
                                  R"({"spec":{"maxUnavailable":null,"minAvailable":1}})"}})}},
      {"budget-unscalable",
       "what has no scale cannot be counted on",  {budget_act("made",
                   {{"POST", "batch/jobs",
                     R"({"metadata":{"name":"job"},"spec":{"template":{"metadata":{"labels":)"
                     R"({"app":"web"}},"spec":{"schedulerName":"nobody","restartPolicy":"Never",)"
                     R"("containers":[{"name":"c","image":"i"}]}}}})"}},
                   Pods::AsTheyAre),
        budget_act("limited", {make_budget(R"("maxUnavailable":1)")}, Pods::AsTheyAre)}     },
  };
}

}  // namespace fixpoint::conformance
