// SPDX-License-Identifier: Apache-2.0
//
// Plays of DaemonSets. Nodes are objects and no more: nothing binds a pod to one, on either side.
#include "tests/conformance/workloads.h"

#include <chrono>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

constexpr Duration kNextSecond = std::chrono::milliseconds(1'100);

using Pods = Act::Pods;
using std::chrono::seconds;

constexpr std::string_view kDaemonSet = "apps/daemonsets/web";

Deed make_node(std::string_view name) {
  return {"POST", "/api/v1/nodes",
          fmt::format(R"({{"metadata":{{"name":"<ns>-{}","labels":{{"play":"<ns>"}}}}}})", name)};
}

Deed change_node(std::string_view name, std::string_view change) {
  return {"PATCH", fmt::format("/api/v1/nodes/<ns>-{}", name), std::string{change}};
}

// A node that nobody reports for is tainted in ways that differ: those are tolerated.
Deed make_daemon_set(std::string_view more = {}) {
  return {"POST", "apps/daemonsets",
          fmt::format(
              R"({{"metadata":{{"name":"web"}},"spec":{{{}"selector":{{"matchLabels":)"
              R"({{"app":"web"}}}},"template":{{"metadata":{{"labels":{{"app":"web"}}}},"spec":)"
              R"({{"schedulerName":"nobody","nodeSelector":{{"play":"<ns>"}},"tolerations":)"
              R"([{{"key":"node.kubernetes.io/not-ready","operator":"Exists"}},)"
              R"({{"key":"node.kubernetes.io/unreachable","operator":"Exists"}}],)"
              R"("containers":[{{"name":"c","image":"a"}}]}}}}}}}})",
              more)};
}

// A real controller takes a node that pods no longer belong on to heart only for pods that are
// bound to it; otherwise it has to be told to look.
Deed nudge(std::string_view word) {
  return {"PATCH", std::string{kDaemonSet},
          fmt::format(R"({{"metadata":{{"labels":{{"look":"{}"}}}}}})", word)};
}

Deed daemon_image(std::string_view name) {
  return {"PATCH", std::string{kDaemonSet},
          fmt::format(R"({{"spec":{{"template":{{"spec":{{"containers":)"
                      R"([{{"name":"c","image":"{}"}}]}}}}}}}})",
                      name)};
}

Deed pod_fails() {
  return {"PATCH", "pods/<any>/status", R"({"status":{"phase":"Failed"}})"};
}

}  // namespace

std::vector<Play> daemon_plays() {
  constexpr auto kTaint = R"({{"spec":{{"taints":[{{"key":"k","effect":"{}"}}]}}}})";
  return {
      {"daemons",
       "one pod on every node that matches",        {{"made", {make_node("a"), make_node("b"), make_daemon_set()}},
        {"another node", {make_node("c")}},
        {"no longer matching",
         {change_node("a", R"({"metadata":{"labels":{"play":"x-<ns>"}}})"), nudge("1")}},
        {"node gone", {{"DELETE", "/api/v1/nodes/<ns>-b", ""}, nudge("2")}},
        {"back", {change_node("a", R"({"metadata":{"labels":{"play":"<ns>"}}})")}},
        {"ended", {{"DELETE", std::string{kDaemonSet}, ""}}}}                            },
      {"daemons-taint",
       "what runs may stay, unless it may not",     {{"made", {make_node("a"), make_daemon_set()}},
        {"no new pods", {change_node("a", fmt::format(kTaint, "NoSchedule")), nudge("1")}},
        {"no pods", {change_node("a", fmt::format(kTaint, "NoExecute")), nudge("2")}}}},
      {"daemons-roll",
       "the old pod goes first",                    {{"made", {make_node("a"), make_daemon_set()}},
        {"updated", {daemon_image("b")}},
        {"broken", {daemon_image("broken")}},
        {"undone", {daemon_image("b")}}}                                                             },
      {"daemons-roll-all",
       "as many at once as may be missed",          {{"made",
         {make_node("a"), make_node("b"),
          make_daemon_set(R"("updateStrategy":{"rollingUpdate":{"maxUnavailable":"100%"}},)")}},
        {"updated", {daemon_image("b")}}}                                                  },
      {"daemons-surge",
       "with a surge the new pod comes first",      {{"made",
         {make_node("a"),
          make_daemon_set(
              R"("updateStrategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0}},)")},
         // The older pod of a node is the one that counts, and ages are told in seconds.
         Pods::AllAtOnce,
         kNextSecond},
        {"updated", {daemon_image("b")}, Pods::AsTheyAre},
        {"ready", {}, Pods::AllAtOnce, kNextSecond},
        {"broken", {daemon_image("broken")}},
        {"undone", {daemon_image("b")}}}                                               },
      {"daemons-on-delete",
       "an update waits for a person",              {{"made", {make_node("a"), make_daemon_set(R"("updateStrategy":{"type":"OnDelete"},)")}},
        {"updated", {daemon_image("b")}},
        {"deleted", {{"DELETE", "pods/<any>", ""}}}}                                           },
      {"daemons-fail",
       "a failed pod is replaced",                  {{"made", {make_node("a"), make_daemon_set()}},
        {"failed", {pod_fails()}, Pods::AllAtOnce, seconds(2)}}                                    },
      {"daemons-history",
       "old revisions go beyond the limit",         {{"made", {make_daemon_set(R"("revisionHistoryLimit":1,)")}},
        {"b", {daemon_image("b")}},
        {"c", {daemon_image("c")}},
        {"a again", {daemon_image("a")}}}                                                 },
      {"daemons-min-ready",
       "a pod is available only after its seconds", {{"made", {make_node("a"), make_daemon_set(R"("minReadySeconds":6,)")}},
        {"later", {}, Pods::AsTheyAre, seconds(8)}}                               },
  };
}

}  // namespace fixpoint::conformance
