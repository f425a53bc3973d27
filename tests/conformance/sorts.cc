// SPDX-License-Identifier: Apache-2.0
//
// The kinds that sequences speak of, each with the smallest body that a server takes and one change
// to it. None of the bodies reaches beyond its own namespace or sequence: no default class, no
// webhook that is ever asked, no role that anybody of another sequence has.
//
// Left out are the two kinds whose status a server writes on its own, at a moment of its choosing
// (APIService, CustomResourceDefinition: see areas/definition.cc), IPAddress, whose name is an
// address that two sequences might share, and ServiceCIDR, from which the services of all sequences
// would take their addresses.
#include "tests/conformance/custom_kinds.h"
#include "tests/conformance/gen.h"

#include <vector>

namespace fixpoint::conformance {
namespace {

constexpr Sort kCore[] = {
    {.group_version = "v1",
     .kind = "ConfigMap",
     .resource = "configmaps",
     .body = R"({"data":{"a":"1"}})",
     .change = R"({"data":{"a":"2","b":"3"}})"},
    {.group_version = "v1",
     .kind = "Secret",
     .resource = "secrets",
     .body = R"({"data":{"a":"MQ=="}})",
     .change = R"({"stringData":{"a":"2"}})"},
    {.group_version = "v1",
     .kind = "ServiceAccount",
     .resource = "serviceaccounts",
     .body = "{}",
     .change = R"({"automountServiceAccountToken":false})"},
    {.group_version = "v1",
     .kind = "Event",
     .resource = "events",
     .body =
         R"({"involvedObject":{"kind":"Pod","namespace":"<<ns>>","name":"p"},"reason":"Started","message":"began","type":"Normal"})",
     .change = R"({"count":2})"},
    {.group_version = "v1",
     .kind = "Endpoints",
     .resource = "endpoints",
     .body = R"({"subsets":[{"addresses":[{"ip":"10.1.2.3"}],"ports":[{"port":80}]}]})",
     .change = R"({"subsets":[{"addresses":[{"ip":"10.1.2.4"}],"ports":[{"port":81}]}]})"},
    {.group_version = "v1",
     .kind = "LimitRange",
     .resource = "limitranges",
     .body = R"({"spec":{"limits":[{"type":"Pod","max":{"cpu":"4"}}]}})",
     .change = R"({"spec":{"limits":[{"type":"Pod","max":{"cpu":"2"}}]}})"},
    {.group_version = "v1",
     .kind = "ResourceQuota",
     .resource = "resourcequotas",
     .body = R"({"spec":{"hard":{"pods":"4"}}})",
     .change = R"({"spec":{"hard":{"pods":"5"}}})",
     .has_status = true},
    {.group_version = "v1",
     .kind = "Namespace",
     .resource = "namespaces",
     .namespaced = false,
     .body = "{}",
     .change = R"({"metadata":{"labels":{"tier":"back"}}})",
     .has_status = true,
     .expensive = true},
    {.group_version = "v1",
     .kind = "Node",
     .resource = "nodes",
     .namespaced = false,
     .body = "{}",
     .change = R"({"spec":{"unschedulable":true}})",
     .has_status = true},
    {.group_version = "v1",
     .kind = "PersistentVolume",
     .resource = "persistentvolumes",
     .namespaced = false,
     .body =
         R"({"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/data"}}})",
     .change = R"({"spec":{"persistentVolumeReclaimPolicy":"Delete"}})",
     .has_status = true},
    {.group_version = "v1",
     .kind = "PersistentVolumeClaim",
     .resource = "persistentvolumeclaims",
     .body =
         R"({"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})", .change = R"({"metadata":{"labels":{"tier":"back"}}})",
     .has_status = true},
    {.group_version = "v1",
     .kind = "Pod",
     .resource = "pods",
     .body = R"({"spec":{"containers":[{"name":"c","image":"app:1"}]}})",
     .change = R"({"spec":{"activeDeadlineSeconds":100}})",
     .has_status = true},
    {.group_version = "v1",
     .kind = "PodTemplate",
     .resource = "podtemplates",
     .body =
         R"({"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"app:1"}]}}})",
     .change = R"({"template":{"metadata":{"labels":{"app":"y"}}}})"},
    {.group_version = "v1",
     .kind = "ReplicationController",
     .resource = "replicationcontrollers",
     .body =
         R"({"spec":{"replicas":1,"selector":{"app":"x"},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"app:1"}]}}}})",
     .change = R"({"spec":{"replicas":2}})",
     .has_status = true},
    {.group_version = "v1",
     .kind = "Service",
     .resource = "services",
     .body = R"({"spec":{"ports":[{"port":80}],"selector":{"app":"x"}}})",
     .change = R"({"spec":{"selector":{"app":"y"}}})",
     .has_status = true},
};

constexpr Sort kWorkloads[] = {
    {.group_version = "apps/v1",
     .kind = "ControllerRevision",
     .resource = "controllerrevisions",
     .body = R"({"data":{"a":1},"revision":1})",
     .change = R"({"revision":2})"},
    {.group_version = "apps/v1",
     .kind = "DaemonSet",
     .resource = "daemonsets",
     .body =
         R"({"spec":{"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"app:1"}]}}}})",
     .change = R"({"spec":{"minReadySeconds":5}})",
     .has_status = true},
    {.group_version = "apps/v1",
     .kind = "Deployment",
     .resource = "deployments",
     .body =
         R"({"spec":{"replicas":1,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"app:1"}]}}}})",
     .change = R"({"spec":{"replicas":2}})",
     .has_status = true},
    {.group_version = "apps/v1",
     .kind = "ReplicaSet",
     .resource = "replicasets",
     .body =
         R"({"spec":{"replicas":1,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"app:1"}]}}}})",
     .change = R"({"spec":{"replicas":2}})",
     .has_status = true},
    {.group_version = "apps/v1",
     .kind = "StatefulSet",
     .resource = "statefulsets",
     .body =
         R"({"spec":{"serviceName":"s","selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"app:1"}]}}}})",
     .change = R"({"spec":{"replicas":2}})",
     .has_status = true},
    {.group_version = "batch/v1",
     .kind = "CronJob",
     .resource = "cronjobs",
     .body =
         R"({"spec":{"schedule":"*/5 * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"app:1"}]}}}}}})",
     .change = R"({"spec":{"suspend":true}})",
     .has_status = true},
    {.group_version = "batch/v1",
     .kind = "Job",
     .resource = "jobs",
     .body =
         R"({"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"app:1"}]}}}})",
     .change = R"({"spec":{"parallelism":2}})",
     .has_status = true},
    {.group_version = "autoscaling/v2",
     .kind = "HorizontalPodAutoscaler",
     .resource = "horizontalpodautoscalers",
     .body =
         R"({"spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"x"}}})",
     .change = R"({"spec":{"maxReplicas":4}})",
     .has_status = true},
    {.group_version = "autoscaling/v1",
     .kind = "HorizontalPodAutoscaler",
     .resource = "horizontalpodautoscalers",
     .body =
         R"({"spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"x"}}})",
     .change = R"({"spec":{"maxReplicas":4}})",
     .has_status = true},
    {.group_version = "policy/v1",
     .kind = "PodDisruptionBudget",
     .resource = "poddisruptionbudgets",
     .body = R"({"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"x"}}}})",
     .change = R"({"spec":{"minAvailable":2}})",
     .has_status = true},
};

// A request for a certificate of CN=ada, in PEM, in base64.
#define FP_CERTIFICATE_REQUEST                                                                     \
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1IQUNBUUF3RGpFTU1Bb0dBMVVFQXd3RFlXUmhNRm" \
  "t3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRApRZ0FFU0wrVUVZdnFFQkJLTGIzYUl4Nk1sS2pZbkl5dnRLUjJkZHJM" \
  "dVorTEw5bVd3c0wxVTNpTG0ySHJSd0pnCkFyczlEVHVhNEJJcjZnYTZtSG80MDJraUNxQUFNQW9HQ0NxR1NNNDlCQU1DQT" \
  "BrQU1FWUNJUUN4VUJvdnFpYXIKVXVwMzg5QlRwcmdYWnJlUlpoMDJYeEkyaEtmNlRRYXpNQUloQUpaSTVHTEF5eE1uZEVh" \
  "aVB0aGRra1JNM2VvSwoyajl5bC8yVG9SNmh3YVJrCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="

constexpr Sort kAccess[] = {
    {.group_version = "rbac.authorization.k8s.io/v1",
     .kind = "Role",
     .resource = "roles",
     .body = R"({"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})",
     .change = R"({"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}]})"},
    {.group_version = "rbac.authorization.k8s.io/v1",
     .kind = "RoleBinding",
     .resource = "rolebindings",
     .body =
         R"({"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"x"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"ada"}]})",
     .change = R"({"subjects":[{"kind":"ServiceAccount","namespace":"<<ns>>","name":"x"}]})"},
    {.group_version = "rbac.authorization.k8s.io/v1",
     .kind = "ClusterRole",
     .resource = "clusterroles",
     .namespaced = false,
     .body = R"({"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})",
     .change = R"({"rules":[{"nonResourceURLs":["/healthz"],"verbs":["get"]}]})"},
    {.group_version = "rbac.authorization.k8s.io/v1",
     .kind = "ClusterRoleBinding",
     .resource = "clusterrolebindings",
     .namespaced = false,
     .body =
         R"({"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"<<id>>-x"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"<<id>>"}]})",
     .change = R"({"subjects":[{"kind":"ServiceAccount","namespace":"<<ns>>","name":"x"}]})"},
    {.group_version = "certificates.k8s.io/v1",
     .kind = "CertificateSigningRequest",
     .resource = "certificatesigningrequests",
     .namespaced = false,
     .body = R"({"spec":{"request":")" FP_CERTIFICATE_REQUEST
             R"(","signerName":"example.com/signer","usages":["client auth"]}})", .change = R"({"metadata":{"labels":{"tier":"back"}}})",
     .has_status = true},
};
#undef FP_CERTIFICATE_REQUEST

constexpr Sort kAdmission[] = {
    {.group_version = "admissionregistration.k8s.io/v1",
     .kind = "MutatingWebhookConfiguration",
     .resource = "mutatingwebhookconfigurations",
     .namespaced = false,
     .body =
         R"({"webhooks":[{"name":"a.example.com","clientConfig":{"url":"https://127.0.0.1:1/x"},"rules":[{"operations":["CREATE"],"apiGroups":["nothing.example.com"],"apiVersions":["v1"],"resources":["things"]}],"sideEffects":"None","admissionReviewVersions":["v1"]}]})",
     .change = R"({"webhooks":[]})",
     .expensive = true},
    {.group_version = "admissionregistration.k8s.io/v1",
     .kind = "ValidatingWebhookConfiguration",
     .resource = "validatingwebhookconfigurations",
     .namespaced = false,
     .body =
         R"({"webhooks":[{"name":"a.example.com","clientConfig":{"url":"https://127.0.0.1:1/x"},"rules":[{"operations":["CREATE"],"apiGroups":["nothing.example.com"],"apiVersions":["v1"],"resources":["things"]}],"sideEffects":"None","admissionReviewVersions":["v1"]}]})",
     .change = R"({"webhooks":[]})",
     .expensive = true},
    {.group_version = "admissionregistration.k8s.io/v1",
     .kind = "ValidatingAdmissionPolicy",
     .resource = "validatingadmissionpolicies",
     .namespaced = false,
     .body =
         R"({"spec":{"matchConstraints":{"resourceRules":[{"operations":["CREATE"],"apiGroups":["nothing.example.com"],"apiVersions":["v1"],"resources":["things"]}]},"validations":[{"expression":"true"}]}})",
     .change = R"({"spec":{"failurePolicy":"Ignore"}})",
     .has_status = true,
     .expensive = true},
    {.group_version = "admissionregistration.k8s.io/v1",
     .kind = "ValidatingAdmissionPolicyBinding",
     .resource = "validatingadmissionpolicybindings",
     .namespaced = false,
     .body = R"({"spec":{"policyName":"<<id>>-none","validationActions":["Deny"]}})",
     .change = R"({"spec":{"validationActions":["Audit"]}})",
     .expensive = true},
};

constexpr Sort kCluster[] = {
    {.group_version = "events.k8s.io/v1",
     .kind = "Event",
     .resource = "events",
     .body =
         R"({"eventTime":"2026-01-02T03:04:05.000006Z","reportingController":"example.com/c","reportingInstance":"c-1","action":"Start","reason":"Started","regarding":{"kind":"Pod","namespace":"<<ns>>","name":"p"},"type":"Normal","note":"began"})",
     .change = R"({"series":{"count":2,"lastObservedTime":"2026-01-02T03:04:06.000006Z"}})"},
    {.group_version = "networking.k8s.io/v1",
     .kind = "Ingress",
     .resource = "ingresses",
     .body = R"({"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}}}})",
     .change = R"({"spec":{"defaultBackend":{"service":{"port":{"number":81}}}}})",
     .has_status = true},
    {.group_version = "networking.k8s.io/v1",
     .kind = "IngressClass",
     .resource = "ingressclasses",
     .namespaced = false,
     .body = R"({"spec":{"controller":"example.com/c"}})",
     .change = R"({"spec":{"parameters":{"kind":"ConfigMap","name":"x"}}})"},
    {.group_version = "networking.k8s.io/v1",
     .kind = "NetworkPolicy",
     .resource = "networkpolicies",
     .body = R"({"spec":{"podSelector":{}}})",
     .change = R"({"spec":{"podSelector":{"matchLabels":{"app":"x"}}}})"},
    {.group_version = "discovery.k8s.io/v1",
     .kind = "EndpointSlice",
     .resource = "endpointslices",
     .body =
         R"({"addressType":"IPv4","endpoints":[{"addresses":["10.1.2.3"]}],"ports":[{"port":80}]})", .change = R"({"ports":[{"port":81}]})"},
    {.group_version = "storage.k8s.io/v1",
     .kind = "CSIDriver",
     .resource = "csidrivers",
     .namespaced = false,
     .body = R"({"spec":{}})",
     .change = R"({"spec":{"requiresRepublish":true}})"},
    {.group_version = "storage.k8s.io/v1",
     .kind = "CSINode",
     .resource = "csinodes",
     .namespaced = false,
     .body = R"({"spec":{"drivers":[]}})",
     .change = R"({"spec":{"drivers":[{"name":"d.example.com","nodeID":"n"}]}})"},
    {.group_version = "storage.k8s.io/v1",
     .kind = "CSIStorageCapacity",
     .resource = "csistoragecapacities",
     .body = R"({"storageClassName":"fast"})",
     .change = R"({"capacity":"1Gi"})"},
    {.group_version = "storage.k8s.io/v1",
     .kind = "StorageClass",
     .resource = "storageclasses",
     .namespaced = false,
     .body = R"({"provisioner":"example.com/p"})",
     .change = R"({"allowVolumeExpansion":true})"},
    {.group_version = "storage.k8s.io/v1",
     .kind = "VolumeAttachment",
     .resource = "volumeattachments",
     .namespaced = false,
     .body =
         R"({"spec":{"attacher":"a.example.com","nodeName":"n","source":{"persistentVolumeName":"v"}}})",
     .change = R"({"metadata":{"labels":{"tier":"back"}}})",
     .has_status = true},
    {.group_version = "storage.k8s.io/v1",
     .kind = "VolumeAttributesClass",
     .resource = "volumeattributesclasses",
     .namespaced = false,
     .body = R"({"driverName":"d.example.com","parameters":{"a":"1"}})",
     .change = R"({"metadata":{"labels":{"tier":"back"}}})"},
    {.group_version = "scheduling.k8s.io/v1",
     .kind = "PriorityClass",
     .resource = "priorityclasses",
     .namespaced = false,
     .body = R"({"value":10})",
     .change = R"({"description":"some"})"},
    {.group_version = "coordination.k8s.io/v1",
     .kind = "Lease",
     .resource = "leases",
     .body = R"({"spec":{"holderIdentity":"a"}})",
     .change = R"({"spec":{"holderIdentity":"b"}})"},
    {.group_version = "node.k8s.io/v1",
     .kind = "RuntimeClass",
     .resource = "runtimeclasses",
     .namespaced = false,
     .body = R"({"handler":"h"})",
     .change = R"({"metadata":{"labels":{"tier":"back"}}})"},
};

std::vector<Sort> all_sorts() {
  std::vector<Sort> all;
  for (const std::span<const Sort> part :
       {std::span<const Sort>{kCore}, std::span<const Sort>{kWorkloads},
        std::span<const Sort>{kAccess}, std::span<const Sort>{kAdmission},
        std::span<const Sort>{kCluster}, custom_sorts()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

std::span<const Sort> sorts() {
  static const auto all = all_sorts();
  return all;
}

}  // namespace fixpoint::conformance
