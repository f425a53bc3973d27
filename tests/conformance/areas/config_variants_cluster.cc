// SPDX-License-Identifier: Apache-2.0
//
// The second half of the table: limits, classes, revisions, templates.
#include "tests/conformance/areas/config_variants.h"

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kLimitRangeGood[] = {
    R"({"spec":{"limits":[]}})",
    R"({"spec":{"limits":null}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},"min":{"cpu":"100m"},"default":{"cpu":"1"},"defaultRequest":{"cpu":"500m"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"memory":"1Gi"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","default":{"cpu":"1"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","defaultRequest":{"cpu":"1"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","maxLimitRequestRatio":{"cpu":"2"}}]}})",
    R"({"spec":{"limits":[{"type":"Pod","max":{"cpu":"4"},"min":{"cpu":"1"}}]}})",
    R"({"spec":{"limits":[{"type":"PersistentVolumeClaim","max":{"storage":"2Gi"},"min":{"storage":"1Gi"}}]}})",
    R"({"spec":{"limits":[{"type":"PersistentVolumeClaim","max":{"storage":"2Gi"}}]}})",
    R"({"spec":{"limits":[{"type":"example.com/thing","max":{"cpu":"1"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"cpu":2}}]}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"1500m","memory":"1.5Gi"}}]}})",
    R"({"spec":{"limits":[{"type":"Pod"}]}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"hugepages-2Mi":"4Mi"}}]}})",
};
constexpr std::string_view kLimitRangeBad[] = {
    R"({"spec":{"limits":[{"type":""}]}})",
    R"({"spec":{"limits":[{"type":"Bogus"}]}})",
    R"({"spec":{"limits":[{}]}})",
    R"({"spec":{"limits":[{"type":"Pod"},{"type":"Pod"}]}})",
    R"({"spec":{"limits":[{"type":"Pod","default":{"cpu":"1"}}]}})",
    R"({"spec":{"limits":[{"type":"Pod","defaultRequest":{"cpu":"1"}}]}})",
    R"({"spec":{"limits":[{"type":"PersistentVolumeClaim"}]}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"1"},"min":{"cpu":"2"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"1"},"default":{"cpu":"2"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"1"},"defaultRequest":{"cpu":"2"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","min":{"cpu":"2"},"default":{"cpu":"1"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","default":{"cpu":"1"},"defaultRequest":{"cpu":"2"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","maxLimitRequestRatio":{"cpu":"500m"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},"min":{"cpu":"1"},"maxLimitRequestRatio":{"cpu":"3"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"bogus":"1"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"x"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"-1"}}]}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"hugepages-2Mi":"4Mi"},"min":{"hugepages-2Mi":"2Mi"}}]}})",
    R"({"spec":{"limits":{}}})",
    R"({"spec":{"limits":[{"type":"Container","max":{"cpu":true}}]}})",
    R"({"spec":null})",
};

constexpr std::string_view kPriorityClassGood[] = {
    R"({"value":11})",
    R"({"value":-5})",
    R"({"value":0})",
    R"({"value":1000000000})",
    R"({"description":"#2000#"})",
    R"({"description":null})",
    R"({"globalDefault":false})",
    R"({"preemptionPolicy":"Never"})",
    R"({"preemptionPolicy":"PreemptLowerPriority"})",
    R"({"preemptionPolicy":null})",
};
constexpr std::string_view kPriorityClassBad[] = {
    R"({"value":1000000001})",
    R"({"value":2147483648})",
    R"({"value":"10"})",
    R"({"value":null})",
    R"({"preemptionPolicy":"Maybe"})",
    R"({"preemptionPolicy":""})",
    R"({"globalDefault":"no"})",
    R"({"metadata":{"name":"system-mine"}})",
    R"({"description":7})",
};

constexpr std::string_view kRuntimeClassGood[] = {
    R"({"overhead":{"podFixed":{"cpu":"100m","memory":"64Mi"}}})",
    R"({"overhead":{"podFixed":{"cpu":"1"}}})",
    R"({"overhead":{}})",
    R"({"overhead":null})",
    R"({"scheduling":{"nodeSelector":{"a":"b"}}})",
    R"({"scheduling":{"tolerations":[{"key":"k","operator":"Exists","effect":"NoSchedule"}]}})",
    R"({"scheduling":{"tolerations":[{"operator":"Exists"}]}})",
    R"({"scheduling":{}})",
    R"({"scheduling":null})",
    R"({"handler":"#63#"})",
};
constexpr std::string_view kRuntimeClassBad[] = {
    R"({"handler":""})",
    R"({"handler":"other"})",
    R"({"handler":"A"})",
    R"({"handler":"#64#"})",
    R"({"handler":null})",
    R"({"overhead":{"podFixed":{"cpu":"-1"}}})",
    R"({"overhead":{"podFixed":{"bogus":"1"}}})",
    R"({"overhead":{"podFixed":{"cpu":"x"}}})",
    R"({"scheduling":{"nodeSelector":{"a b":"b"}}})",
    R"({"scheduling":{"nodeSelector":{"a":"b b"}}})",
    R"({"scheduling":{"tolerations":[{"key":"k","operator":"Bogus"}]}})",
    R"({"scheduling":{"tolerations":[{"key":"","operator":"Equal","value":"v"}]}})",
    R"({"scheduling":{"tolerations":[{"key":"k","operator":"Exists","value":"v"}]}})",
    R"({"scheduling":{"tolerations":[{"key":"k","effect":"Bogus"}]}})",
    R"({"scheduling":{"tolerations":[{"key":"k","effect":"NoSchedule","tolerationSeconds":5}]}})",
    R"({"scheduling":{"tolerations":[{"key":"k"},{"key":"k"}]}})",
};

constexpr std::string_view kRevisionGood[] = {
    R"({"revision":0})",
    R"({"revision":5})",
    R"({"revision":9223372036854775807})",
    R"({"data":{"a":1}})",
    R"({"metadata":{"labels":{"x":"y"}}})",
};
constexpr std::string_view kRevisionBad[] = {
    R"({"revision":-1})",   R"({"revision":"1"})", R"({"revision":1.5})",
    R"({"revision":null})", R"({"data":{"a":2}})", R"({"data":{"b":[1,{"c":null}]}})",
    R"({"data":null})",     R"({"data":7})",       R"({"data":"x"})",
    R"({"data":[]})",
};

constexpr std::string_view kTemplateGood[] = {
    R"({"template":{"metadata":{"labels":{"app":"z"},"annotations":{"n":"o"}}}})",
    R"({"template":{"metadata":{"name":"inner"}}})",
    R"({"template":{"spec":{"terminationGracePeriodSeconds":5}}})",
    R"({"template":{"spec":{"restartPolicy":"Never"}}})",
    R"({"template":{"spec":{"containers":[{"name":"d","image":"app:2","imagePullPolicy":"Always"}]}}})",
    R"({"template":{"spec":{"containers":[{"name":"c","image":"app:1","ports":[{"containerPort":80}],"env":[{"name":"A","value":"1"}]}]}}})",
    R"({"template":{"spec":{"nodeSelector":{"a":"b"}}}})",
    R"({"template":{"spec":{"hostNetwork":true}}})",
    R"({"template":{"spec":{"volumes":[{"name":"v","emptyDir":{}}]}}})",
    R"({"template":{"spec":{"initContainers":[{"name":"i","image":"init:1"}]}}})",
    R"({"template":{"spec":{"serviceAccountName":"x"}}})",
    R"({"template":{"spec":{"securityContext":{"runAsUser":5}}}})",
};
constexpr std::string_view kTemplateBad[] = {
    R"({"template":{"spec":{"containers":[]}}})",
    R"({"template":{"spec":{"containers":null}}})",
    R"({"template":{"spec":null}})",
    R"({"template":null})",
    R"({"template":{"metadata":{"labels":{"a b":"c"}}}})",
    R"({"template":{"spec":{"restartPolicy":"Bogus"}}})",
    R"({"template":{"spec":{"dnsPolicy":"Bogus"}}})",
    R"({"template":{"spec":{"containers":[{"name":"C","image":"app:1"}]}}})",
    R"({"template":{"spec":{"containers":[{"name":"c"}]}}})",
    R"({"template":{"spec":{"containers":[{"image":"app:1"}]}}})",
    R"({"template":{"spec":{"containers":[{"name":"c","image":"app:1"},{"name":"c","image":"app:1"}]}}})",
    R"({"template":{"spec":{"containers":[{"name":"c","image":"app:1","ports":[{"containerPort":0}]}]}}})",
    R"({"template":{"spec":{"containers":[{"name":"c","image":"app:1","ports":[{"containerPort":70000}]}]}}})",
    R"({"template":{"spec":{"containers":[{"name":"c","image":"app:1","imagePullPolicy":"Bogus"}]}}})",
    R"({"template":{"spec":{"containers":[{"name":"c","image":"app:1","volumeMounts":[{"name":"v","mountPath":"/v"}]}]}}})",
    R"({"template":{"spec":{"volumes":[{"name":"v","emptyDir":{},"hostPath":{"path":"/x"}}]}}})",
    R"({"template":{"spec":{"activeDeadlineSeconds":0}}})",
    R"({"template":{"spec":{"terminationGracePeriodSeconds":-1}}})",
};

constexpr Variants kClusterVariants[] = {
    {"limitranges",         "v1",                   kLimitRangeGood,    kLimitRangeBad,    8},
    {"priorityclasses",     "scheduling.k8s.io/v1", kPriorityClassGood, kPriorityClassBad, 5},
    {"runtimeclasses",      "node.k8s.io/v1",       kRuntimeClassGood,  kRuntimeClassBad,  5},
    {"controllerrevisions", "apps/v1",              kRevisionGood,      kRevisionBad,      4},
    {"podtemplates",        "v1",                   kTemplateGood,      kTemplateBad,      6},
};

}  // namespace

std::span<const Variants> config_variants_of_the_cluster() {
  return kClusterVariants;
}

}  // namespace fixpoint::conformance
