// SPDX-License-Identifier: Apache-2.0
//
// What a namespace limits: quotas with and without scopes, limit ranges, and its own end.
//
// No controller counts beside the servers, so sequences write a quota's status themselves; what
// admission adds to it is compared. A real server hears of quotas and limit ranges after a moment.
#include "tests/conformance/area.h"
#include "tests/conformance/areas/device.h"
#include "tests/conformance/areas/subject.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fixpoint::conformance {
namespace {

const Sort kQuota{
    "v1", "ResourceQuota", "resourcequotas", true, R"({"spec":{"hard":{"pods":"2"}}})", {}, true};
const Sort kRange{"v1",
                  "LimitRange",
                  "limitranges",
                  true,
                  R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"2"}}]}})",
                  {}};
const Sort kLimitedPods{"v1",
                        "Pod",
                        "pods",
                        true,
                        R"({"spec":{"containers":[{"name":"main","image":"app.example/app:1"}]}})",
                        {},
                        true};
const Sort kLimitedClaims{
    "v1",
    "PersistentVolumeClaim",
    "persistentvolumeclaims",
    true,
    R"({"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})",
    {},
    true};
const Sort kLimitedMaps{"v1", "ConfigMap", "configmaps", true, R"({"data":{"a":"1"}})", {}};
const Sort kLimitedSecrets{"v1", "Secret", "secrets", true, R"({"data":{"a":"MQ=="}})", {}};
const Sort kLimitedServices{
    "v1", "Service", "services", true, R"({"spec":{"ports":[{"port":80}]}})", {}, true};
const Sort kLimitedDeployments{
    "apps/v1",
    "Deployment",
    "deployments",
    true,
    R"({"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"main","image":"app.example/app:1"}]}}}})",
    {},
    true};

Subject quota_subject() {
  return {
      .sort = kQuota,
      .good =
          {R"(/spec/hard {"requests.cpu":"2","limits.memory":"1Gi","configmaps":"3"})",
                 R"(/spec/hard {"count/deployments.apps":"1"})", R"(/spec {})",
                 R"(/spec/scopes ["BestEffort"])", R"(/spec/scopes ["Terminating"])",
                 R"(/spec/scopeSelector {"matchExpressions":[{"scopeName":"PriorityClass","operator":"In","values":["high"]}]})",
                 R"(/spec/hard {"gold.storageclass.storage.k8s.io/requests.storage":"1Gi"})", R"(/spec/hard {"requests.example.com/gpu":"2"})",
                 R"(/spec/scopeSelector {"matchExpressions":[{"scopeName":"CrossNamespacePodAffinity","operator":"Exists"}]})"},
      .bad =
          {R"(/spec/hard {"pods":"-1"})", R"(/spec/hard {"pods":"1.5"})",
                 R"(/spec/hard {"Bad Key":"1"})", R"(/spec/hard {"nonsense":"1"})",
                 R"(/spec/hard {"pods":"many"})", R"(/spec/scopes ["Sometimes"])",
                 R"(/spec/scopes ["BestEffort","NotBestEffort"])", R"(/spec {"hard":{"configmaps":"1"},"scopes":["BestEffort"]})",
                 R"(/spec {"hard":{"requests.cpu":"1"},"scopes":["BestEffort"]})", R"(/spec/scopeSelector {"matchExpressions":[{"scopeName":"PriorityClass","operator":"In"}]})",
                 R"(/spec/scopeSelector {"matchExpressions":[{"scopeName":"BestEffort","operator":"In","values":["x"]}]})",
                 R"(/spec/scopeSelector {"matchExpressions":[{"scopeName":"Nope","operator":"Exists"}]})",
                 R"(/spec/hard {"pods":"1Gi"})", R"(/spec/hard {"pods":"100000000000000000000"})",
                 R"(/spec/hard {"pods":100000000000000000000})", R"(/spec/hard {"configmaps":"-20000000000000000000"})",
                 R"(/spec/hard {"requests.example.com/gpu":"1000000000000000000000000"})", R"(/spec/hard {"count/pods":"12345678901234567890","requests.memory":"100000000000000000000"})"},
      .changes = joined(
          {metadata_edits(),
                 {R"(/spec/hard {"pods":"5"})", R"(/spec/hard/configmaps "4")",
            R"(/spec/scopes ["BestEffort"])", R"(/spec/hard {"pods":"-5"})",
            R"(/spec/hard {"pods":"100E"})", R"(/spec/hard {"pods":"100000000000000000000"})",
            R"(/spec/hard {"pods":"100E","services":"100000000000000000000"})",
            R"(/spec/hard {"limits.cpu":"1","requests.cpu":"1000m","requests.memory":"1024Mi","limits.memory":"1Gi"})"}}
           ),
      .status = {R"(/status {"hard":{"pods":"2"},"used":{"pods":"1"}})",
                 R"(/status {"hard":{"pods":"-2"}})", R"(/status {"used":{"pods":"1.5"}})",
                 R"(/status {"used":{"Bad Key":"1"}})", R"(/status {"hard":{"pods":"0100"}})"},
  };
}

Subject range_subject() {
  return {
      .sort = kRange,
      .good =
          {R"(/spec/limits [{"type":"Container","default":{"cpu":"500m","memory":"256Mi"},"defaultRequest":{"cpu":"100m"},"min":{"cpu":"50m"},"max":{"cpu":"2"}}])",
                 R"(/spec/limits [{"type":"Pod","max":{"cpu":"4","memory":"2Gi"}}])", R"(/spec/limits [{"type":"PersistentVolumeClaim","min":{"storage":"1Gi"},"max":{"storage":"5Gi"}}])",
                 R"(/spec/limits [{"type":"Container","maxLimitRequestRatio":{"cpu":"4"}}])", R"(/spec/limits [{"type":"example.com/thing","max":{"cpu":"1"}}])",
                 R"(/spec/limits [{"type":"Container","max":{"cpu":"1"},"default":{"cpu":"1"}},{"type":"Pod","min":{"cpu":"10m"}}])"},
      .bad =
          {R"(/spec/limits [{"max":{"cpu":"1"}}])",
                 R"(/spec/limits [{"type":"","max":{"cpu":"1"}}])", R"(/spec/limits [{"type":"Thing","max":{"cpu":"1"}}])",
                 R"(/spec/limits [{"type":"Container","max":{"cpu":"1"}},{"type":"Container","max":{"cpu":"1"}}])",
                 R"(/spec/limits [{"type":"Container","min":{"cpu":"2"},"max":{"cpu":"1"}}])", R"(/spec/limits [{"type":"Container","default":{"cpu":"2"},"max":{"cpu":"1"}}])",
                 R"(/spec/limits [{"type":"Container","default":{"cpu":"1"},"min":{"cpu":"2"}}])", R"(/spec/limits [{"type":"Container","defaultRequest":{"cpu":"2"},"default":{"cpu":"1"}}])",
                 R"(/spec/limits [{"type":"Pod","default":{"cpu":"1"}}])", R"(/spec/limits [{"type":"Container","maxLimitRequestRatio":{"cpu":"0.5"}}])",
                 R"(/spec/limits [{"type":"PersistentVolumeClaim"}])", R"(/spec/limits [{"type":"Container","max":{"cpu":"x"}}])",
                 R"(/spec/limits [{"type":"Container","max":{"Bad Key":"1"}}])", R"(/spec/limits [{"type":"Container","max":{"nonsense":"1"}}])",
                 R"(/spec/limits [{"type":"Container","min":{"cpu":"1"},"max":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"4"}}])"},
      .changes = joined({metadata_edits(),
                 {
                             R"(/spec/limits [{"type":"Container","max":{"cpu":"3"}}])",
                         }}
           ),
  };
}

const Edits& pod_edits() {
  static const Edits kEdits{
      R"(/metadata/labels {"a":"b"})",
      R"(/spec/containers/0/resources {"requests":{"cpu":"100m"}})",
      R"(/spec/containers/0/resources {"limits":{"cpu":"1"}})",
      R"(/spec/containers/0/resources {"limits":{"cpu":"3"}})",
      R"(/spec/containers/0/resources {"requests":{"cpu":"1","memory":"64Mi"},"limits":{"cpu":"2","memory":"128Mi"}})",
      R"(/spec/containers/0/resources {"requests":{"cpu":"100m"},"limits":{"cpu":"2"}})",
      R"(/spec/containers/0/resources {"limits":{"memory":"1Gi"}})",
      R"(/spec/containers/1 {"name":"two","image":"x","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"1500m"}}})",
      R"(/spec/initContainers [{"name":"init","image":"x","resources":{"requests":{"cpu":"1500m"}}}])",
      R"(/spec/initContainers [{"name":"init","image":"x"}])",
      R"(/spec/containers/0/resources {"limits":{"memory":"1","example.com/d":"100000000000000000000"}})",
      R"(/spec/containers/0/resources {"limits":{"memory":"1","example.com/d":"100E"}})",
      R"(/spec/containers/0/resources {"limits":{"memory":"1024Mi","cpu":"1"},"requests":{"memory":"1Gi","cpu":"1000m"}})",
      R"(/spec/containers/0/resources {"limits":{"example.com/d":"100E"},"requests":{"example.com/d":"100000000000000000000"}})",
      R"(/spec/containers/0/resources {"limits":{"memory":"1","hugepages-2Mi":"1e20"}})",
      R"(/spec/containers/0/resources {"limits":{"memory":"1","hugepages-2Mi":"20000000000000000000"}})",
      R"(/spec/activeDeadlineSeconds 30)",
      R"(/spec/overhead {"cpu":"100m"})",
      R"(/spec/priorityClassName "system-cluster-critical")",
  };
  return kEdits;
}

Step pod_step(Gen& gen, std::string_view name) {
  auto body = object(kLimitedPods, name);
  for (auto count = gen.between(0, 2); count > 0; --count)
    body = edited(body, gen.pick(pod_edits()));
  auto step = create(kLimitedPods, body);
  return gen.chance(8) ? with(std::move(step), "dryRun=All") : step;
}

Step claim_step(Gen& gen, std::string_view name) {
  static const Edits kEdits{R"(/spec/resources/requests/storage "3Gi")",
                            R"(/spec/storageClassName "gold")",
                            R"(/spec/resources/requests/storage "10Gi")",
                            R"(/spec/resources/requests/storage "500Mi")",
                            R"(/metadata/labels {"a":"b"})",
                            R"(/spec/volumeAttributesClassName "x")"};
  const auto body = edited(object(kLimitedClaims, name), gen.pick(kEdits));
  return create(kLimitedClaims, body);
}

Step service_step(Gen& gen, std::string_view name) {
  static const Edits kEdits{R"(/spec/type "NodePort")", R"(/spec/type "LoadBalancer")",
                            R"(/spec/type "ClusterIP")",
                            R"(/spec/type "LoadBalancer"
/spec/allocateLoadBalancerNodePorts false)",
                            R"(/spec/ports [{"name":"a","port":80},{"name":"b","port":81}]
/spec/type "NodePort")"};
  const auto body = edited(object(kLimitedServices, name), gen.pick(kEdits));
  return create(kLimitedServices, body);
}

Step plain_step(const Sort& sort, std::string_view name) {
  const auto body = object(sort, name);
  return create(sort, body);
}

// What counts against `hard`, made, changed or removed. A name that is taken is charged for, too.
Step counted_step(Gen& gen, std::string_view hard, int number) {
  const auto name = "n" + std::to_string(gen.chance(12) ? gen.between(0, number) : number);
  const auto older = "n" + std::to_string(gen.between(0, std::max(0, number - 1)));
  if (gen.chance(10)) {
    const auto type = gen.pick({"NodePort", "LoadBalancer", "ClusterIP"});
    return merge_patch(kLimitedServices, older, R"({"spec":{"type":")" + type + R"("}})");
  }
  if (gen.chance(8)) {
    return merge_patch(kLimitedClaims, older,
                       R"({"spec":{"resources":{"requests":{"storage":"2Gi"}}}})");
  }
  if (gen.chance(8)) return remove(gen.chance(50) ? kLimitedPods : kLimitedMaps, older);
  if (hard.contains("configmaps")) return plain_step(kLimitedMaps, name);
  if (hard.contains("secrets")) return plain_step(kLimitedSecrets, name);
  if (hard.contains("services")) return service_step(gen, name);
  if (hard.contains("storage") || hard.contains("claims")) return claim_step(gen, name);
  if (hard.contains("deployments")) return plain_step(kLimitedDeployments, name);
  return pod_step(gen, name);
}

Step quota_status(std::string_view name, const std::string& hard, const std::string& used) {
  auto step =
      on(merge_patch(kQuota, name, R"({"status":{"hard":)" + hard + R"(,"used":)" + used + "}}"),
         "status");
  step.settle = kHeard;
  return step;
}

struct Hard {
  std::string_view hard;
  std::string_view used;
};

Sequence quota_sequence(Gen& gen) {
  static const std::vector<Hard> kHards{
      {R"({"pods":"2"})",                                                           R"({"pods":"0"})"                          },
      {R"({"pods":"1","requests.cpu":"1"})",                                        R"({"pods":"0","requests.cpu":"0"})"       },
      {R"({"limits.cpu":"2","limits.memory":"1Gi"})",                               R"({"limits.cpu":"0","limits.memory":"0"})"},
      {R"({"cpu":"1"})",                                                            R"({"cpu":"0"})"                           },
      {R"({"configmaps":"1"})",                                                     R"({"configmaps":"0"})"                    },
      {R"({"count/configmaps":"2"})",                                               R"({"count/configmaps":"1"})"              },
      {R"({"count/deployments.apps":"1"})",                                         R"({"count/deployments.apps":"0"})"        },
      {R"({"secrets":"1"})",                                                        R"({"secrets":"0"})"                       },
      {R"({"services":"2","services.nodeports":"1","services.loadbalancers":"1"})",
       R"({"services":"0","services.nodeports":"0","services.loadbalancers":"0"})"                                             },
      {R"({"services.nodeports":"2"})",                                             R"({"services.nodeports":"0"})"            },
      {R"({"persistentvolumeclaims":"2","requests.storage":"4Gi"})",
       R"({"persistentvolumeclaims":"0","requests.storage":"0"})"                                                              },
      {R"({"gold.storageclass.storage.k8s.io/requests.storage":"2Gi"})",
       R"({"gold.storageclass.storage.k8s.io/requests.storage":"0"})"                                                          },
      {R"({"pods":"1"})",                                                           "{}"                                       },
  };
  static const Edits kScopes{
      R"(/spec/scopes ["BestEffort"])",
      R"(/spec/scopes ["NotBestEffort"])",
      R"(/spec/scopes ["Terminating"])",
      R"(/spec/scopes ["NotTerminating"])",
      R"(/spec/scopeSelector {"matchExpressions":[{"scopeName":"PriorityClass","operator":"In","values":["system-cluster-critical"]}]})",
      R"(/spec/scopeSelector {"matchExpressions":[{"scopeName":"PriorityClass","operator":"DoesNotExist"}]})"};
  Sequence made;
  const auto& chosen = gen.pick(kHards);
  auto body = edited(object(kQuota, "q"), "/spec/hard " + std::string{chosen.hard});
  if (chosen.hard.starts_with(R"({"pods")") && !chosen.hard.contains("cpu") && gen.chance(50))
    body = edited(body, gen.pick(kScopes));
  made.steps.push_back(create(kQuota, body));
  int number = 0;
  if (gen.chance(10)) made.steps.push_back(counted_step(gen, chosen.hard, number++));
  made.steps.back().settle = kHeard;
  made.steps.push_back(quota_status("q", std::string{chosen.hard}, std::string{chosen.used}));
  for (auto count = gen.between(3, 7); count > 0; --count) {
    made.steps.push_back(counted_step(gen, chosen.hard, number++));
    if (gen.chance(40)) {
      made.steps.push_back(get(kQuota, "q"));
    } else if (gen.chance(10)) {
      made.steps.push_back(quota_status("q", std::string{chosen.hard}, std::string{chosen.used}));
    }
  }
  made.steps.push_back(get(kQuota, "q"));
  return made;
}

Sequence range_sequence(Gen& gen) {
  static const Edits kLimits{
      R"([{"type":"Container","default":{"cpu":"500m","memory":"256Mi"},"defaultRequest":{"cpu":"100m"}}])",
      R"([{"type":"Container","min":{"cpu":"200m"},"max":{"cpu":"2"}}])",
      R"([{"type":"Container","max":{"cpu":"1"}}])",
      R"([{"type":"Container","default":{"memory":"64Mi"}}])",
      R"([{"type":"Container","maxLimitRequestRatio":{"cpu":"4"}}])",
      R"([{"type":"Pod","max":{"cpu":"2"}}])",
      R"([{"type":"Pod","min":{"cpu":"500m"}}])",
      R"([{"type":"Pod","maxLimitRequestRatio":{"cpu":"2"}}])",
      R"([{"type":"PersistentVolumeClaim","min":{"storage":"1Gi"},"max":{"storage":"5Gi"}}])",
      R"([{"type":"PersistentVolumeClaim","max":{"storage":"2Gi"}}])",
      R"([{"type":"Container","min":{"memory":"100Mi"}}])"};
  Sequence made;
  const auto& limits = gen.pick(kLimits);
  const auto body = edited(object(kRange, "r"), "/spec/limits " + limits);
  made.steps.push_back(create(kRange, body));
  made.steps.back().settle = kHeard;
  for (auto count = gen.between(3, 8); count > 0; --count) {
    const auto name = gen.pick({"a", "b", "c"});
    const auto roll = gen.between(0, 9);
    if (limits.contains("Persistent") && roll < 6) {
      made.steps.push_back(claim_step(gen, name));
    } else if (roll < 7) {
      made.steps.push_back(pod_step(gen, name));
    } else if (roll < 8) {
      made.steps.push_back(merge_patch(kLimitedPods, name, R"({"metadata":{"labels":{"c":"d"}}})"));
    } else if (roll < 9) {
      made.steps.push_back(merge_patch(
          kLimitedClaims, name, R"({"spec":{"resources":{"requests":{"storage":"20Gi"}}}})"));
    } else {
      made.steps.push_back(plain_step(kLimitedDeployments, name));
    }
  }
  return made;
}

Step namespace_step(std::string method, const std::string& sub, std::string body) {
  Step step;
  step.method = std::move(method);
  step.path = "/api/v1/namespaces/<<ns>>" + sub;
  step.body = std::move(body);
  return step;
}

Step finalize_step(Gen& gen) {
  auto step =
      namespace_step("PUT", "/finalize",
                     gen.pick({R"({"spec":{"finalizers":[]}})", R"({"spec":{"finalizers":[]}})",
                               R"({"spec":{"finalizers":["kubernetes"]}})",
                               R"({"spec":{"finalizers":["example.com/own"]}})",
                               R"({"spec":{"finalizers":["bad"]}})"}));
  step.base = "/api/v1/namespaces/<<ns>>";
  step.settle = kHeard;
  return step;
}

Step inner_step(Gen& gen) {
  const auto& sort = gen.chance(60)   ? kLimitedMaps
                     : gen.chance(50) ? kLimitedPods
                                      : kLimitedServices;
  const auto name = gen.pick({"a", "b", "c"});
  switch (gen.between(0, 7)) {
    case 0:
    case 1: return plain_step(sort, name);
    case 2: return merge_patch(sort, name, R"({"metadata":{"labels":{"a":"b"}}})");
    case 3: return remove(sort, name);
    case 4: return get(sort, name);
    case 5: return remove_collection(sort);
    case 6:
      return apply(sort, name,
                   R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                       R"("},"data":{"x":"y"}})",
                   "one");
    default: return list(sort);
  }
}

Sequence ending_sequence(Gen& gen) {
  Sequence made;
  for (auto count = gen.between(1, 3); count > 0; --count) made.steps.push_back(inner_step(gen));
  if (gen.chance(20)) {
    auto step = namespace_step("PATCH", "", R"({"metadata":{"finalizers":["example.com/hold"]}})");
    step.content_type = "application/merge-patch+json";
    made.steps.push_back(step);
  }
  auto end = namespace_step(
      "DELETE", "",
      gen.pick({"", "", R"({"gracePeriodSeconds":5})", R"({"propagationPolicy":"Foreground"})",
                R"({"preconditions":{"uid":"no"}})"}));
  end.settle = kHeard;
  made.steps.push_back(end);
  for (auto count = gen.between(3, 7); count > 0; --count) {
    const auto roll = gen.between(0, 9);
    if (roll < 6) {
      made.steps.push_back(inner_step(gen));
    } else if (roll < 7) {
      made.steps.push_back(namespace_step("GET", "", {}));
    } else if (roll < 8) {
      made.steps.push_back(end);
    } else if (roll < 9) {
      made.steps.push_back(finalize_step(gen));
    } else {
      auto step = namespace_step(
          "PATCH", gen.pick({"", "/status"}),
          gen.pick({R"({"metadata":{"labels":{"x":"y"}}})", R"({"metadata":{"finalizers":null}})",
                    R"({"status":{"phase":"Active"}})", R"({"status":{"phase":"Terminating"}})"}));
      step.content_type = "application/merge-patch+json";
      made.steps.push_back(step);
    }
  }
  return made;
}

}  // namespace

Sequence make_limit(Gen& gen) {
  static const Subject kQuotas = quota_subject();
  static const Subject kRanges = range_subject();
  const auto roll = gen.between(0, 99);
  if (gen.chance(15)) return flow_sequence(gen);
  if (roll < 15) return subject_sequence(gen, kQuotas);
  if (roll < 28) return subject_sequence(gen, kRanges);
  if (roll < 58) return quota_sequence(gen);
  if (roll < 78) return range_sequence(gen);
  return ending_sequence(gen);
}

}  // namespace fixpoint::conformance
