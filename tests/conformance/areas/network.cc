// SPDX-License-Identifier: Apache-2.0
//
// How pods are reached, routed, budgeted and scaled: services of all types, their endpoints,
// ingresses, policies, disruption budgets and autoscalers. Storage is in storage.cc.
#include "tests/conformance/area.h"
#include "tests/conformance/areas/device.h"
#include "tests/conformance/areas/storage.h"
#include "tests/conformance/areas/story.h"
#include "tests/conformance/areas/subject.h"

#include <algorithm>

namespace fixpoint::conformance {
namespace {

Subject service() {
  return {
      .sort = {"v1",
               "Service", "services",
               true, R"({"spec":{"selector":{"app":"web"},"ports":[{"port":80}]}})",
               {},
               true},
      .good =
          {R"(/spec/type "NodePort")",
               R"(/spec/type "LoadBalancer")", R"(/spec/type "LoadBalancer"
/spec/allocateLoadBalancerNodePorts false)",
               R"(/spec/type "LoadBalancer"
/spec/loadBalancerClass "example.com/lb"
/spec/externalTrafficPolicy "Local")", R"(/spec/type "LoadBalancer"
/spec/loadBalancerSourceRanges ["10.0.0.0/8"])",
               R"(/spec {"type":"ExternalName","externalName":"db.example.com"})", R"(/spec {"type":"ExternalName","externalName":"db.example.com","ports":[{"port":5432}]})",
               R"(/spec/clusterIP "None")", R"(/spec/clusterIP "None"
- /spec/ports)",
               R"(- /spec/selector)", R"(/spec/ports [{"name":"http","port":80,"targetPort":"web"},{"name":"dns","port":53,"protocol":"UDP","targetPort":5353}])",
               R"(/spec/ports [{"port":80,"appProtocol":"http"}])", R"(/spec/sessionAffinity "ClientIP")",
               R"(/spec/sessionAffinity "ClientIP"
/spec/sessionAffinityConfig {"clientIP":{"timeoutSeconds":60}})", R"(/spec/externalIPs ["192.0.2.7"])",
               R"(/spec/publishNotReadyAddresses true)", R"(/spec/internalTrafficPolicy "Local")",
               R"(/spec/ipFamilyPolicy "PreferDualStack")", R"(/spec/ipFamilyPolicy "SingleStack"
/spec/ipFamilies ["IPv4"])",
               R"(/spec/trafficDistribution "PreferClose")", R"(/spec/clusterIP "")"},
      .bad = {R"(- /spec/ports)",
               R"(/spec/ports [])", R"(/spec/ports [{"port":0}])",
               R"(/spec/ports [{"port":80},{"port":81}])", R"(/spec/ports [{"name":"a","port":80},{"name":"a","port":81}])",
               R"(/spec/ports [{"name":"a","port":80},{"name":"b","port":80}])", R"(/spec/ports [{"port":80,"protocol":"ICMP"}])",
               R"(/spec/ports [{"port":80,"targetPort":"Not A Port"}])", R"(/spec/ports [{"port":80,"targetPort":70000}])",
               R"(/spec/ports [{"port":80,"nodePort":30123}])", R"(/spec/ports [{"port":80,"appProtocol":"not ok"}])",
               R"(/spec/type "Magic")", R"(/spec {"type":"ExternalName","ports":[{"port":80}]})",
               R"(/spec {"type":"ExternalName","externalName":"Bad_Name"})", R"(/spec/clusterIP "x")",
               R"(/spec/clusterIP "192.0.2.1")", R"(/spec/clusterIP "10.0.0.1")",
               R"(/spec/clusterIP "None"
/spec/type "NodePort")", R"(/spec/type "NodePort"
/spec/ports [{"port":80,"nodePort":80}])",
               R"(/spec/sessionAffinity "Sticky")", R"(/spec/sessionAffinityConfig {"clientIP":{"timeoutSeconds":60}})",
               R"(/spec/sessionAffinity "ClientIP"
/spec/sessionAffinityConfig {"clientIP":{"timeoutSeconds":0}})", R"(/spec/externalIPs ["x"])",
               R"(/spec/externalIPs ["127.0.0.1"])", R"(/spec/externalTrafficPolicy "Local")",
               R"(/spec/type "NodePort"
/spec/externalTrafficPolicy "Never")", R"(/spec/internalTrafficPolicy "Far")",
               R"(/spec/ipFamilyPolicy "RequireDualStack")", R"(/spec/ipFamilies ["IPv6"])",
               R"(/spec/ipFamilies ["IPv5"])", R"(/spec/ipFamilies ["IPv4","IPv4"])",
               R"(/spec/ipFamilyPolicy "Any")", R"(/spec/loadBalancerSourceRanges ["10.0.0.0/8"])",
               R"(/spec/type "LoadBalancer"
/spec/loadBalancerSourceRanges ["10.0.0.0/40"])", R"(/spec/loadBalancerClass "x")",
               R"(/spec/allocateLoadBalancerNodePorts true)", R"(/spec/healthCheckNodePort 30999)",
               R"(/spec/selector {"a b":"c"})", R"(/spec/trafficDistribution "Nearest")",
               R"(/metadata/name "1web")", R"(/metadata/name "web.a")",
               R"(- /spec)"},
      .changes = joined(
          {metadata_edits(),
               {R"(/spec/type "NodePort")", R"(/spec/type "ClusterIP")", R"(/spec/type "LoadBalancer")",
            R"(/spec/type "ExternalName"
/spec/externalName "a.example")",
            R"(/spec/type "ExternalName"
/spec/externalName "a.example"
- /spec/clusterIP
- /spec/clusterIPs)",
            R"(/spec/clusterIP "192.0.2.77")", R"(/spec/selector {"app":"other"})",
            R"(/spec/ports [{"port":8080}])",
            R"(/spec/ports [{"name":"a","port":80},{"name":"b","port":81}])",
            R"(/spec/sessionAffinity "ClientIP")", R"(/spec/sessionAffinity "None")",
            R"(/spec/ipFamilies ["IPv6"])", R"(/spec/ipFamilyPolicy "PreferDualStack")",
            R"(/spec/ipFamilyPolicy "RequireDualStack")", R"(/spec/externalTrafficPolicy "Local")",
            R"(/spec/loadBalancerClass "example.com/other")",
            R"(/spec/allocateLoadBalancerNodePorts false)",
            R"(/spec/publishNotReadyAddresses true)", R"(/spec/externalIPs ["192.0.2.9"])"}}
        ),
      .status =
          {R"(/status/loadBalancer {"ingress":[{"ip":"192.0.2.1"}]})",
               R"(/status/loadBalancer {"ingress":[{"hostname":"lb.example.com","ports":[{"port":80,"protocol":"TCP"}]}]})",
               R"(/status/loadBalancer {"ingress":[{"ip":"x"}]})", R"(/status/loadBalancer {"ingress":[{"ip":"192.0.2.1","ipMode":"Magic"}]})",
               R"(/status/conditions [{"type":"Ready","status":"True","reason":"A","message":"","lastTransitionTime":"2024-01-01T00:00:00Z"}])",
               R"(/status/conditions [{"type":"Ready","status":"True"}])"},
      .special =
          [](Gen& gen, const Subject& subject, std::string_view name) {
            if (gen.chance(50)) return remove_collection(subject.sort);
            return get(subject.sort, name);
               },
  };
}

Subject ingress() {
  return {
      .sort =
          {"networking.k8s.io/v1",
                 "Ingress", "ingresses",
                 true, R"({"spec":{"rules":[{"host":"a.example.com","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"web","port":{"number":80}}}}]}}]}})",
                 {},
                 true},
      .good =
          {R"(/spec {"defaultBackend":{"service":{"name":"web","port":{"name":"http"}}}})",
                 R"(/spec/tls [{"hosts":["a.example.com"],"secretName":"cert"}])", R"(/spec/ingressClassName "outer")", R"(/spec/rules/0/host "*.example.com")",
                 R"(- /spec/rules/0/host)", R"(/spec/rules/0/http/paths/0/pathType "ImplementationSpecific")",
                 R"(/spec/rules/0/http/paths/0/backend {"resource":{"apiGroup":"example.com","kind":"Bucket","name":"b"}})",
                 R"(/metadata/annotations {"kubernetes.io/ingress.class":"nginx"})"},
      .bad =
          {R"(- /spec/rules)", R"(- /spec)", R"(/spec/rules/0/host "Bad_Host")",
                 R"(/spec/rules/0/host "10.0.0.1")", R"(/spec/rules/0/host "a.*.com")",
                 R"(/spec/rules/0/http/paths [])", R"(/spec/rules/0/http/paths/0/path "no-slash")",
                 R"(/spec/rules/0/http/paths/0/path "/a//b")", R"(- /spec/rules/0/http/paths/0/pathType)",
                 R"(/spec/rules/0/http/paths/0/pathType "Guess")", R"(/spec/rules/0/http/paths/0/backend {})",
                 R"(/spec/rules/0/http/paths/0/backend {"service":{"name":"web"}})", R"(/spec/rules/0/http/paths/0/backend {"service":{"name":"web","port":{"name":"a","number":1}}})",
                 R"(/spec/rules/0/http/paths/0/backend {"service":{"port":{"number":80}}})", R"(/spec/rules/0/http/paths/0/backend {"service":{"name":"web","port":{"number":70000}}})",
                 R"(/spec/ingressClassName "Bad Class")", R"(/spec/tls [{"hosts":["Bad_Host"]}])",
                 R"(/spec/tls [{"secretName":"Bad_Name"}])", R"(/spec/ingressClassName "x"
/metadata/annotations {"kubernetes.io/ingress.class":"nginx"})"},
      .changes =
          joined({metadata_edits(),
                 {R"(/spec/ingressClassName "inner")", R"(/spec/rules/0/host "b.example.com")",
                   R"(/spec/tls [{"hosts":["b.example.com"]}])",
                   R"(/spec/rules/0/http/paths/0/path "/x")"}}
           ),
      .status =
          {R"(/status/loadBalancer {"ingress":[{"ip":"192.0.2.1"}]})",
                 R"(/status/loadBalancer {"ingress":[{"hostname":"Bad_Host"}]})", R"(/status/loadBalancer {"ingress":[{"ip":"192.0.2.1","ports":[{"port":80,"protocol":"TCP","error":"x"}]}]})"},
  };
}

Subject ingress_class() {
  return {
      .sort = {"networking.k8s.io/v1",
               "IngressClass", "ingressclasses",
               false, R"({"spec":{"controller":"example.com/ingress"}})",
               {}},
      .good =
          {R"(/spec/parameters {"apiGroup":"example.com","kind":"Options","name":"o"})",
               R"(/spec/parameters {"kind":"Options","name":"o","scope":"Namespace","namespace":"n"})",
               R"(/metadata/annotations {"ingressclass.kubernetes.io/is-default-class":"false"})"},
      .bad = {R"(/spec/controller "")", R"(/spec/controller "plain")",
               R"(/spec/controller "Bad Thing/x")", R"(/spec/parameters {"name":"o"})",
               R"(/spec/parameters {"kind":"Options"})", R"(/spec/parameters {"kind":"Options","name":"o","scope":"Here"})",
               R"(/spec/parameters {"kind":"Options","name":"o","scope":"Namespace"})", R"(/spec/parameters {"kind":"Options","name":"o","namespace":"n"})", R"(- /spec)"},
      .changes = joined({metadata_edits(),
               {R"(/spec/controller "example.com/other")",
                          R"(/spec/parameters {"kind":"Options","name":"p"})"}}
        ),
  };
}

Subject network_policy() {
  return {
      .sort = {"networking.k8s.io/v1",
               "NetworkPolicy", "networkpolicies",
               true, R"({"spec":{"podSelector":{"matchLabels":{"app":"web"}}}})",
               {}},
      .good =
          {R"(/spec/policyTypes ["Ingress","Egress"])",
               R"(/spec/ingress [{"from":[{"podSelector":{"matchLabels":{"a":"b"}}},{"namespaceSelector":{}},{"ipBlock":{"cidr":"10.0.0.0/8","except":["10.1.0.0/16"]}}],"ports":[{"port":80},{"protocol":"UDP","port":"dns"}]}])",
               R"(/spec/egress [{"to":[{"podSelector":{}}],"ports":[{"port":30000,"endPort":31000}]}])",
               R"(/spec/egress [])", R"(/spec/ingress [{}])", R"(/spec/podSelector {})"},
      .bad =
          {R"(/spec/policyTypes ["Sideways"])", R"(/spec/ingress [{"from":[{}]}])",
               R"(/spec/ingress [{"from":[{"ipBlock":{"cidr":"10.0.0.0"}}]}])", R"(/spec/ingress [{"from":[{"ipBlock":{"cidr":"10.0.0.0/8","except":["11.0.0.0/16"]}}]}])",
               R"(/spec/ingress [{"from":[{"podSelector":{},"ipBlock":{"cidr":"10.0.0.0/8"}}]}])", R"(/spec/ingress [{"ports":[{"port":0}]}])",
               R"(/spec/ingress [{"ports":[{"port":"Not A Port"}]}])", R"(/spec/ingress [{"ports":[{"protocol":"ICMP"}]}])",
               R"(/spec/egress [{"ports":[{"endPort":5}]}])", R"(/spec/egress [{"ports":[{"port":9,"endPort":5}]}])",
               R"(/spec/podSelector {"matchExpressions":[{"key":"a","operator":"In"}]})", R"(/spec/policyTypes ["Ingress","Egress","Ingress"])"},
      .changes = joined({metadata_edits(),
               {R"(/spec/podSelector {"matchLabels":{"app":"x"}})",
                          R"(/spec/egress [{}])", R"(/spec/policyTypes ["Egress"])"}}
        ),
  };
}

Subject endpoints() {
  return {
      .sort = {"v1",
               "Endpoints", "endpoints",
               true, R"({"subsets":[{"addresses":[{"ip":"10.5.0.1"}],"ports":[{"port":80}]}]})",
               {}},
      .good =
          {R"(- /subsets)",
               R"(/subsets/0/addresses [{"ip":"10.5.0.3"},{"ip":"10.5.0.2","hostname":"b","nodeName":"n","targetRef":{"kind":"Pod","name":"p","namespace":"<<ns>>"}}])",
               R"(/subsets/0/ports [{"name":"b","port":81,"protocol":"UDP"},{"name":"a","port":80,"appProtocol":"http"}])",
               R"(/subsets/0/notReadyAddresses [{"ip":"10.5.0.9"}])", R"(/subsets/1 {"addresses":[{"ip":"10.5.0.2"}],"ports":[{"port":80}]})"},
      .bad = {R"(/subsets [{}])", R"(/subsets/0/addresses [{"ip":"x"}])",
               R"(/subsets/0/addresses [{"ip":"127.0.0.1"}])", R"(/subsets/0/addresses [{"ip":"10.5.0.1","hostname":"a.b"}])",
               R"(/subsets/0/ports [{"port":0}])", R"(/subsets/0/ports [{"port":80},{"port":81}])",
               R"(/subsets/0/ports [{"port":80,"protocol":"ICMP"}])", R"(/subsets/0/addresses [{}])"},
      .changes = joined({metadata_edits(),
               {R"(/subsets [])", R"(/subsets [{"addresses":[{"ip":"10.5.0.7"}]}])",
                          R"(/subsets/0/addresses [{"ip":"169.254.1.1"}])"}}
        ),
  };
}

Subject endpoint_slice() {
  return {
      .sort =
          {"discovery.k8s.io/v1",
                 "EndpointSlice", "endpointslices",
                 true, R"({"addressType":"IPv4","endpoints":[{"addresses":["10.6.0.1"]}],"ports":[{"port":80}]})",
                 {}},
      .good = {R"(/ports [{"name":"","port":80,"protocol":"TCP"}])",
                 R"(/endpoints/0/conditions {"ready":true,"serving":true,"terminating":false})", R"(/endpoints/0/hostname "a")", R"(/endpoints/0/zone "z")",
                 R"(/endpoints/0/hints {"forZones":[{"name":"z"}]})", R"(/endpoints/0/targetRef {"kind":"Pod","name":"p"})",
                 R"(/addressType "FQDN"
/endpoints/0/addresses ["a.example.com"])", R"(/addressType "IPv6"
/endpoints/0/addresses ["2001:db8::1"])"},
      .bad = {R"(- /addressType)", R"(/addressType "IPX")", R"(/endpoints/0/addresses [])",
                 R"(/endpoints/0/addresses ["2001:db8::1"])", R"(/endpoints/0/addresses ["127.0.0.1"])", R"(/endpoints/0/hostname "A")",
                 R"(/ports [{"name":"UPPER","port":80}])", R"(/ports [{"name":"a","port":80},{"name":"a","port":81}])",
                 R"(/ports [{"port":80,"protocol":"ICMP"}])", R"(/endpoints/0/addresses ["10.0.0.1","10.0.0.1"])",
                 R"(/endpoints/0/addresses ["010.0.0.1","::ffff:1.2.3.4"])", R"(/endpoints/0/nodeName "N")",
                 R"(/endpoints/0/hints {"forZones":[{"name":"z"},{"name":"z"},{"name":"a b"}]})", R"(/endpoints/0/hints {"forNodes":[{"name":"N"}]})",
                 R"(/ports [{"port":80,"appProtocol":"a b"}])", R"(/addressType "IPv6"
/endpoints/0/addresses ["2001:db8:0::1"])"},
      .changes = joined({metadata_edits(),
                 {
                             R"(/endpoints [{"addresses":["10.6.0.2"]}])",
                             R"(/ports [{"port":81}])",
                             R"(/addressType "IPv6")",
                             R"(/addressType "IPv6"
/endpoints [{"addresses":["2001:db8::1"]}])",
                             R"(/addressType "")",
                             R"(/addressType "IPX")",
                             R"(/endpoints [{"addresses":["010.6.0.2"]}])",
                             R"(/endpoints [])",
                         }}
           ),
  };
}

Subject disruption_budget() {
  return {
      .sort = {"policy/v1",
               "PodDisruptionBudget", "poddisruptionbudgets",
               true, R"({"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"web"}}}})",
               {},
               true},
      .good = {R"(/spec/minAvailable "50%")",
               R"(- /spec/minAvailable
/spec/maxUnavailable 1)", R"(/spec/selector {})", R"(/spec/unhealthyPodEvictionPolicy "AlwaysAllow")",
               R"(- /spec/selector)", R"(/spec/minAvailable 0)"},
      .bad =
          {R"(/spec/minAvailable -1)", R"(/spec/minAvailable "120%")", R"(/spec/minAvailable "x")",
               R"(/spec/maxUnavailable 1)", R"(/spec/unhealthyPodEvictionPolicy "Maybe")",
               R"(/spec/selector {"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]})",
               R"(/spec/minAvailable true)"},
      .changes = joined({metadata_edits(),
               {R"(/spec/minAvailable 2)", R"(/spec/minAvailable null
/spec/maxUnavailable "10%")",
                          R"(/spec/selector {"matchLabels":{"app":"x"}})"}}
        ),
      .status =
          {R"(/status {"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":2})",
               R"(/status {"disruptionsAllowed":-1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":2})",
               R"(/status {"disruptedPods":{"p":"2024-01-01T00:00:00Z"},"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":1,"expectedPods":2})",
               R"(/status/conditions [{"type":"DisruptionAllowed","status":"True","reason":"A","message":"","lastTransitionTime":"2024-01-01T00:00:00Z"}])"},
  };
}

// What v1 says in annotations: good, of another type, or no JSON. v2 drops them.
std::string annotated(Gen& gen) {
  const auto name = gen.pick({"metrics", "current-metrics", "conditions", "behavior"});
  const auto text = gen.pick({
      R"([{\"type\":\"Pods\",\"pods\":{\"metricName\":\"qps\",\"targetAverageValue\":\"5\"}}])",
      R"([{\"type\":\"Resource\",\"resource\":{\"name\":\"memory\",\"targetAverageUtilization\":30}}])",
      R"([{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"currentAverageUtilization\":3,\"currentAverageValue\":\"2\"}}])",
      R"([{\"type\":\"AbleToScale\",\"status\":\"True\",\"lastTransitionTime\":\"2024-01-01T00:00:00Z\"}])",
      R"({\"ScaleUp\":{\"StabilizationWindowSeconds\":5,\"SelectPolicy\":\"Max\",\"Policies\":[{\"Type\":\"Pods\",\"Value\":4,\"PeriodSeconds\":60}]}})",
      R"({\"scaleDown\":{\"selectPolicy\":\"Min\"}})",
      "[]",
      "x",
  });
  return R"("autoscaling.alpha.kubernetes.io/)" + name + R"(":")" + text + '"';
}

// The same autoscaler through its other version: read, changed, its status changed, applied.
Step other_version(Gen& gen, const Subject& subject, std::string_view name) {
  const bool old = subject.sort.group_version == "autoscaling/v2";
  Sort other = subject.sort;
  other.group_version = old ? "autoscaling/v1" : "autoscaling/v2";
  const std::string own =
      old ? R"("targetCPUUtilizationPercentage":)" + std::to_string(gen.between(20, 22))
          : R"("metrics":[{"type":"Resource","resource":{"name":")" + gen.pick({"cpu", "memory"}) +
                R"(","target":{"type":"Utilization","averageUtilization":60}}}])";
  const std::string spec =
      gen.pick({R"("maxReplicas":8)", R"("minReplicas":2)", R"("maxReplicas":7)"}) +
      (gen.chance(70) ? "," + own : "") +
      (gen.chance(30)
           ? R"(,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"})"
           : "");
  switch (gen.between(0, 6)) {
    case 0: return get(other, name);
    case 1:
      return merge_patch(gen.chance(50) ? other : subject.sort, name,
                         R"({"metadata":{"annotations":{)" + annotated(gen) + "}}}");
    case 2:
    case 3:
      return with(merge_patch(other, name, R"({"spec":{)" + spec + "}}"), "fieldManager=other");
    case 4:
      return on(
          merge_patch(
              other, name,
              old ? R"({"status":{"currentReplicas":1,"desiredReplicas":2,"currentCPUUtilizationPercentage":4}})"
                  : R"({"status":{"currentReplicas":1,"desiredReplicas":2,"conditions":[{"type":"AbleToScale","status":"True"}]}})"),
          "status");
    case 5: return update(other, name, R"({"spec":{)" + spec + "}}");
    default: {
      const auto body = R"({"apiVersion":")" + std::string{other.group_version} +
                        R"(","kind":"HorizontalPodAutoscaler","metadata":{"name":")" +
                        name_in(other, name) + R"("},"spec":{)" + spec + "}}";
      return apply(other, name, body, gen.pick({"one", "two", "three"}), gen.chance(40));
    }
  }
}

Subject autoscaler_v2() {
  return {
      .sort =
          {"autoscaling/v2",
                 "HorizontalPodAutoscaler", "horizontalpodautoscalers",
                 true, R"({"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},"maxReplicas":5}})",
                 {},
                 true},
      .good =
          {R"(/spec/minReplicas 2)",
                 R"(/spec/metrics [{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":60}}}])",
                 R"(/spec/metrics [{"type":"Pods","pods":{"metric":{"name":"qps"},"target":{"type":"AverageValue","averageValue":"1k"}}},{"type":"External","external":{"metric":{"name":"q","selector":{"matchLabels":{"a":"b"}}},"target":{"type":"Value","value":"30"}}}])",
                 R"(/spec/metrics [{"type":"Object","object":{"describedObject":{"kind":"Service","name":"s"},"metric":{"name":"m"},"target":{"type":"Value","value":"10"}}}])",
                 R"(/spec/metrics [{"type":"ContainerResource","containerResource":{"name":"memory","container":"main","target":{"type":"AverageValue","averageValue":"1Gi"}}}])",
                 R"(/spec/behavior {"scaleDown":{"stabilizationWindowSeconds":60,"policies":[{"type":"Pods","value":1,"periodSeconds":30}]}})",
                 R"(/spec/behavior {"scaleUp":{"selectPolicy":"Disabled"}})"},
      .bad =
          {R"(/spec/maxReplicas 0)", R"(- /spec/maxReplicas)", R"(/spec/minReplicas 9)",
                 R"(/spec/minReplicas 0)", R"(- /spec/scaleTargetRef/name)",
                 R"(- /spec/scaleTargetRef/kind)", R"(/spec/scaleTargetRef/name "a/b")",
                 R"(/spec/metrics [{"type":"Resource"}])", R"(/spec/metrics [{"type":"Magic"}])",
                 R"(/spec/metrics [{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization"}}}])",
                 R"(/spec/metrics [{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":0}}}])",
                 R"(/spec/metrics [{"type":"Pods","pods":{"metric":{"name":""},"target":{"type":"AverageValue","averageValue":"1"}}}])",
                 R"(/spec/behavior {"scaleDown":{"stabilizationWindowSeconds":-1}})", R"(/spec/behavior {"scaleDown":{"policies":[{"type":"Pods","value":0,"periodSeconds":30}]}})",
                 R"(/spec/behavior {"scaleDown":{"policies":[{"type":"Pods","value":1,"periodSeconds":3000}]}})",
                 R"(/spec/behavior {"scaleUp":{"selectPolicy":"Some"}})"},
      .changes = joined(
          {metadata_edits(),
                 {R"(/spec/maxReplicas 7)", R"(/spec/minReplicas 2)", R"(/spec/maxReplicas 0)",
            R"(/spec/scaleTargetRef/name "other")",
            R"(/spec/metrics [{"type":"Resource","resource":{"name":"memory","target":{"type":"Utilization","averageUtilization":70}}}])"}}
           ),
      .status =
          {R"(/status {"currentReplicas":1,"desiredReplicas":2})", R"(/status/currentReplicas -1)",
                 R"(/status {"desiredReplicas":2,"conditions":[{"type":"AbleToScale","status":"True"}],"lastScaleTime":"2024-01-01T00:00:00Z"})"},
      .special = other_version,
  };
}

Subject autoscaler_v1() {
  return {
      .sort = {"autoscaling/v1",
               "HorizontalPodAutoscaler", "horizontalpodautoscalers",
               true, R"({"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"maxReplicas":5}})",
               {},
               true},
      .good =
          {R"(/spec/minReplicas 2)", R"(/spec/targetCPUUtilizationPercentage 70)",
               R"(/metadata/annotations {"autoscaling.alpha.kubernetes.io/metrics":"[{\"type\":\"Pods\",\"pods\":{\"metricName\":\"qps\",\"targetAverageValue\":\"5\"}}]"})",
               R"(/metadata/annotations {"autoscaling.alpha.kubernetes.io/behavior":"{\"ScaleUp\":{\"SelectPolicy\":\"Min\"}}"})",
               R"(/metadata/annotations {"autoscaling.alpha.kubernetes.io/conditions":"[{\"type\":\"AbleToScale\",\"status\":\"True\"}]"})"},
      .bad = {R"(/spec/maxReplicas 0)", R"(/spec/minReplicas 9)", R"(- /spec/scaleTargetRef)",
               R"(/metadata/annotations {"autoscaling.alpha.kubernetes.io/metrics":"x"})"},
      .changes = joined({metadata_edits(),
               {
                             R"(/spec/maxReplicas 7)",
                             R"(/spec/targetCPUUtilizationPercentage 30)",
                         }}
        ),
      .status =
          {R"(/status {"currentReplicas":1,"desiredReplicas":2,"currentCPUUtilizationPercentage":40})",
               R"(/status/desiredReplicas -1)"},
      .special = other_version,
  };
}

// Written and read through both versions.
Sequence autoscaler_sequence(Gen& gen) {
  static const auto kFirst = autoscaler_v1();
  static const auto kSecond = autoscaler_v2();
  auto made = subject_sequence(gen, gen.chance(50) ? kFirst : kSecond);
  const auto count = made.steps.size();
  for (std::size_t i = 1; i < count; ++i) {
    if (gen.chance(25)) {
      auto step = get(gen.chance(50) ? kFirst.sort : kSecond.sort, "a");
      made.steps.push_back(std::move(step));
    }
  }
  return made;
}

}  // namespace

Sequence make_network(Gen& gen) {
  static const std::vector<Subject> kSubjects{
      service(),       service(),        service(),   service(),        ingress(),
      ingress_class(), network_policy(), endpoints(), endpoint_slice(), disruption_budget()};
  if (gen.chance(12)) return autoscaler_sequence(gen);
  if (gen.chance(35)) return subject_sequence(gen, gen.pick(storage_subjects()));
  if (gen.chance(15)) return subject_sequence(gen, gen.pick(device_subjects()));
  auto made = subject_sequence(gen, gen.pick(kSubjects));
  std::erase_if(made.steps, stalls_a_real_server);
  // That Endpoints are deprecated is said by what stands around the core.
  if (made.steps.front().path.contains("/endpoints")) made.http_only = true;
  return made;
}

}  // namespace fixpoint::conformance
