// SPDX-License-Identifier: Apache-2.0
//
// The plays.
#include "tests/conformance/workloads.h"

#include <chrono>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

using Pods = Act::Pods;
using std::chrono::seconds;

// Pods of a scheduler that is not there stay on no node, on ours as on the real one.
std::string pod_template(std::string_view image) {
  return fmt::format(
      R"({{"metadata":{{"labels":{{"app":"web"}}}},"spec":{{"schedulerName":"nobody",)"
      R"("containers":[{{"name":"c","image":"{}"}}]}}}})",
      image);
}

std::string workload(std::string_view api, std::string_view kind, int replicas,
                     std::string_view more) {
  return fmt::format(
      R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"web"}},"spec":{{"replicas":{},)"
      R"("selector":{{"matchLabels":{{"app":"web"}}}},"template":{}{}{}}}}})",
      api, kind, replicas, pod_template("a"), more.empty() ? "" : ",", more);
}

Deed make_deployment(int replicas, std::string_view more = {}) {
  return {"POST", "apps/deployments", workload("apps/v1", "Deployment", replicas, more)};
}

Deed make_stateful_set(int replicas, std::string_view more = {}) {
  const auto with_service =
      fmt::format(R"("serviceName":"web"{}{})", more.empty() ? "" : ",", more);
  return {"POST", "apps/statefulsets", workload("apps/v1", "StatefulSet", replicas, with_service)};
}

Deed patch_at(std::string_view path, std::string_view body) {
  return {"PATCH", std::string{path}, std::string{body}};
}

Deed spec(std::string_view path, std::string_view fields) {
  return patch_at(path, fmt::format(R"({{"spec":{{{}}}}})", fields));
}

Deed image(std::string_view path, std::string_view name) {
  return spec(
      path,
      fmt::format(R"("template":{{"spec":{{"containers":[{{"name":"c","image":"{}"}}]}}}})", name));
}

Deed end(std::string_view path, std::string_view policy = "Background") {
  return {"DELETE", std::string{path}, fmt::format(R"({{"propagationPolicy":"{}"}})", policy)};
}

Deed fail_pod(std::string_view name) {
  return patch_at(fmt::format("pods/{}/status", name), R"({"status":{"phase":"Failed"}})");
}

Deed stray(std::string_view name) {
  return {"POST", "pods",
          fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"app":"web"}}}},"spec":)"
                      R"({{"schedulerName":"nobody","containers":[{{"name":"c","image":"a"}}]}}}})",
                      name)};
}

constexpr std::string_view kDeployment = "apps/deployments/web";
constexpr std::string_view kStatefulSet = "apps/statefulsets/web";
constexpr auto kClaimTemplates =
    R"("volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],)"
    R"("storageClassName":"none","resources":{"requests":{"storage":"1Gi"}}}}])";

std::string policy(std::string_view deleted, std::string_view scaled) {
  return fmt::format(
      R"({},"persistentVolumeClaimRetentionPolicy":{{"whenDeleted":"{}","whenScaled":"{}"}})",
      kClaimTemplates, deleted, scaled);
}

std::vector<Play> of_deployments() {
  return {
      {"scale",
       "a Deployment grows and shrinks", {{"made", {make_deployment(3)}, Pods::OneByOne},
        {"grown", {spec(kDeployment, R"("replicas":5)")}},
        {"shrunk", {spec(kDeployment, R"("replicas":1)")}},
        {"emptied", {spec(kDeployment, R"("replicas":0)")}}}},
      {"roll",
       "a rolling update keeps within its bounds", {{"made",
         {make_deployment(4, R"("strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":1}})")}},
        {"updated", {image(kDeployment, "b")}, Pods::OneByOne}},
       Play::Bounds{.wanted_max = 5, .ready_min = 3}},
      {"roll-percent",
       "percentages are rounded up for the surge and down for the rest", {{"made", {make_deployment(5)}}, {"updated", {image(kDeployment, "b")}, Pods::OneByOne}},
       Play::Bounds{.wanted_max = 7, .ready_min = 4}},
      {"roll-no-surge",
       "without a surge old pods go first", {{"made",
         {make_deployment(3, R"("strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":1}})")}},
        {"updated", {image(kDeployment, "b")}, Pods::OneByOne}},
       Play::Bounds{.wanted_max = 3, .ready_min = 2}},
      {"stuck",
       "a broken template gets no further, and the way back is open", {{"made", {make_deployment(4)}},
        {"broken", {image(kDeployment, "broken")}},
        {"replaced", {image(kDeployment, "broken-too")}},
        {"undone", {image(kDeployment, "a")}, Pods::OneByOne}}},
      {"history",
       "what comes back is the set it was; old ones go beyond the limit", {{"made", {make_deployment(1, R"("revisionHistoryLimit":1)")}},
        {"b", {image(kDeployment, "b")}},
        {"a again", {image(kDeployment, "a")}},
        {"c", {image(kDeployment, "c")}},
        {"d", {image(kDeployment, "d")}}}},
      {"pause",
       "a paused Deployment scales and does not roll", {{"made", {make_deployment(2)}},
        {"paused", {spec(kDeployment, R"("paused":true)")}},
        {"changed", {image(kDeployment, "b")}},
        {"grown", {spec(kDeployment, R"("replicas":4)")}},
        {"resumed", {spec(kDeployment, R"("paused":false)")}, Pods::OneByOne}}},
      {"proportion",
       "scaled while it is stuck, all sets change in proportion", {{"made",
         {make_deployment(10,
                          R"("strategy":{"rollingUpdate":{"maxSurge":3,"maxUnavailable":2}})")}},
        {"broken", {image(kDeployment, "broken")}},
        {"grown", {spec(kDeployment, R"("replicas":15)")}},
        {"shrunk", {spec(kDeployment, R"("replicas":4)")}}}},
      {"recreate",
       "all at once", {{"made", {make_deployment(3, R"("strategy":{"type":"Recreate"})")}},
        {"updated", {image(kDeployment, "b")}, Pods::OneByOne}}},
      {"deadline",
       "no progress for too long is said", {{"made", {make_deployment(2, R"("progressDeadlineSeconds":10)")}},
        {"broken", {image(kDeployment, "broken")}, Pods::AllAtOnce, seconds(16)},
        {"undone", {image(kDeployment, "a")}}}},
      {"min-ready",
       "a pod is available only after its seconds", {{"made", {make_deployment(2, R"("minReadySeconds":6)")}, Pods::AllAtOnce},
        {"later", {}, Pods::AsTheyAre, seconds(8)},
        {"slower", {spec(kDeployment, R"("minReadySeconds":0)")}}}},
      {"orphaned",
       "a new Deployment takes over the set of an orphaning one", {{"made", {make_deployment(2)}},
        {"orphaned", {end(kDeployment, "Orphan")}},
        {"made again", {make_deployment(2)}}}},
      {"foreground",
       "pods first, then sets, then the Deployment", {{"made", {make_deployment(2)}}, {"ended", {end(kDeployment, "Foreground")}}}},
      {"quota",
       "a refusal is a condition of set and Deployment", {{"limited",
         {{"POST", "resourcequotas", R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"2"}}})"}},
         Pods::AllAtOnce,
         seconds(3)},
        {"made", {make_deployment(3)}}}},
      {"annotations",
       "annotations are passed on, but not all", {{"made", {make_deployment(1)}},
        {"annotated",
         {patch_at(kDeployment, R"({"metadata":{"annotations":{"team":"x",)"
                                R"("kubectl.kubernetes.io/last-applied-configuration":"{}"}}})")}},
        {"restarted",
         {spec(
             kDeployment,
             R"("template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"x"}}})")}}}},
  };
}

std::vector<Play> of_replica_sets() {
  return {
      {"adopt",
       "strays are adopted, those that no longer match are let go", {{"stray", {stray("web-stray")}},
        {"made", {{"POST", "apps/replicasets", workload("apps/v1", "ReplicaSet", 2, {})}}},
        {"let go", {patch_at("pods/web-stray", R"({"metadata":{"labels":{"app":"other"}}})")}},
        {"one too many", {stray("web-late")}, Pods::AsTheyAre}}},
      {"replication-controller",
       "the old kind does the same",                                {{"made",
         {{"POST", "replicationcontrollers",
           fmt::format(R"({{"metadata":{{"name":"old"}},"spec":{{"replicas":2,"selector":)"
                       R"({{"app":"web"}},"template":{}}}}})",
                       pod_template("a"))}}},
        {"grown", {spec("replicationcontrollers/old", R"("replicas":3)")}},
        {"shrunk", {spec("replicationcontrollers/old", R"("replicas":1)")}}}                  },
  };
}

std::vector<Play> of_stateful_sets() {
  return {
      {"ordered",
       "one after the other, and back in reverse",                          {{"made", {make_stateful_set(3)}, Pods::OneByOne},
        {"shrunk", {spec(kStatefulSet, R"("replicas":1)")}},
        {"grown", {spec(kStatefulSet, R"("replicas":2)")}, Pods::OneByOne},
        {"failed", {fail_pod("web-0")}, Pods::OneByOne}}                                                                 },
      {"parallel",
       "all at once",                                                       {{"made",
         {make_stateful_set(3, R"("podManagementPolicy":"Parallel","ordinals":{"start":2})")},
         Pods::OneByOne},
        {"moved", {spec(kStatefulSet, R"("ordinals":{"start":3})")}},
        {"shrunk", {spec(kStatefulSet, R"("replicas":1)")}},
        {"updated", {image(kStatefulSet, "b")}}}                                                                                                      },
      {"set-roll",
       "from the highest place to the partition, then to the first",        {{"made",
         {make_stateful_set(
             3, R"("updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":1}})")}},
        {"updated", {image(kStatefulSet, "b")}, Pods::OneByOne},
        {"below", {end("pods/web-0")}},
        {"all",
         {spec(kStatefulSet, R"("updateStrategy":{"rollingUpdate":{"partition":0}})")},
         Pods::OneByOne}}                                                                              },
      {"on-delete",
       "nothing is updated until somebody deletes it",                      {{"made", {make_stateful_set(2, R"("updateStrategy":{"type":"OnDelete"})")}},
        {"updated", {image(kStatefulSet, "b")}},
        {"deleted", {end("pods/web-0")}}}                                                                            },
      {"set-stuck",
       "a broken pod is not rolled back until somebody deletes it",         {{"made", {make_stateful_set(2)}},
        {"broken", {image(kStatefulSet, "broken")}},
        {"undone", {image(kStatefulSet, "a")}},
        {"deleted", {end("pods/web-1")}, Pods::OneByOne}}                                               },
      {"set-history",
       "revisions beyond the limit go, one that comes back is what it was", {{"made", {make_stateful_set(1, R"("revisionHistoryLimit":1)")}},
        {"b", {image(kStatefulSet, "b")}},
        {"a again", {image(kStatefulSet, "a")}},
        {"c", {image(kStatefulSet, "c")}},
        {"d", {image(kStatefulSet, "d")}}}                                                      },
      {"claims-kept",
       "claims outlive their pods and their set",                           {{"made", {make_stateful_set(2, kClaimTemplates)}},
        {"shrunk", {spec(kStatefulSet, R"("replicas":1)")}},
        {"ended", {end(kStatefulSet)}}}                                                                                   },
      {"claims-of-set",
       "claims go with the set",                                            {{"made", {make_stateful_set(2, policy("Delete", "Retain"))}},
        {"shrunk", {spec(kStatefulSet, R"("replicas":1)")}},
        {"ended", {end(kStatefulSet)}}}                                                                                                    },
      {"claims-of-place",
       "claims go with their place",                                        {{"made", {make_stateful_set(2, policy("Retain", "Delete"))}},
        {"shrunk", {spec(kStatefulSet, R"("replicas":1)")}},
        {"grown", {spec(kStatefulSet, R"("replicas":2)")}},
        {"ended", {end(kStatefulSet)}}}                                                                                                },
      {"claims-of-both",
       "claims go with either, and a change of mind is applied",            {{"made", {make_stateful_set(2, policy("Delete", "Delete"))}},
        {"shrunk", {spec(kStatefulSet, R"("replicas":1)")}},
        {"kept",
         {spec(
             kStatefulSet,
             R"("persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":"Retain"})")}}}},
      {"set-orphaned",
       "a new set takes over the pods of an orphaning one",                 {{"made", {make_stateful_set(2)}},
        {"orphaned", {end(kStatefulSet, "Orphan")}},
        {"made again", {make_stateful_set(2)}}}                                                                 },
      {"set-foreground",
       "pods first, then the set",                                          {{"made", {make_stateful_set(2)}}, {"ended", {end(kStatefulSet, "Foreground")}}}               },
      {"set-min-ready",
       "the next pod waits for the seconds of the one before",              {{"made", {make_stateful_set(2, R"("minReadySeconds":6)")}, Pods::AllAtOnce},
        {"later", {}, Pods::AllAtOnce, seconds(8)},
        {"at last", {}, Pods::AllAtOnce, seconds(8)}}                                                        },
  };
}

}  // namespace

std::vector<Play> plays() {
  auto all = of_deployments();
  for (auto& play : of_replica_sets()) all.push_back(std::move(play));
  for (auto& play : of_stateful_sets()) all.push_back(std::move(play));
  for (auto& play : job_plays()) all.push_back(std::move(play));
  for (auto& play : daemon_plays()) all.push_back(std::move(play));
  for (auto& play : budget_plays()) all.push_back(std::move(play));
  for (auto& play : autoscaler_plays()) all.push_back(std::move(play));
  return all;
}

}  // namespace fixpoint::conformance
