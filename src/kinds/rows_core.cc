// SPDX-License-Identifier: Apache-2.0
//
// The core group.
#include "kinds/rows.h"

namespace fixpoint::kinds {
namespace {

constexpr Row kCoreRows[] = {
    {"Binding", "bindings", "", "", kReview, schema<"core.v1.Binding">},
    {"ComponentStatus", "componentstatuses", "cs", "", kCluster | kReadOnly,
     schema<"core.v1.ComponentStatus">},
    {"ConfigMap", "configmaps", "cm", "", kPlain, schema<"core.v1.ConfigMap">},
    {"Endpoints", "endpoints", "ep", "", kCreateOnUpdate, schema<"core.v1.Endpoints">},
    {"Event", "events", "ev", "", kCreateOnUpdate, schema<"core.v1.Event">, "",
     NameRule::PathSegment},
    {"LimitRange", "limitranges", "limits", "", kCreateOnUpdate, schema<"core.v1.LimitRange">},
    {"Namespace", "namespaces", "ns", "", kCluster | kStatus | kNoCollection,
     schema<"core.v1.Namespace">, "finalize:update", NameRule::DnsLabel},
    {"Node", "nodes", "no", "", kCluster | kStatus, schema<"core.v1.Node">,
     "proxy:create,delete,get,patch,update:v1/NodeProxyOptions"},
    {"PersistentVolumeClaim", "persistentvolumeclaims", "pvc", "", kStatus | kShowsDeleted,
     schema<"core.v1.PersistentVolumeClaim">},
    {"PersistentVolume", "persistentvolumes", "pv", "", kCluster | kStatus | kShowsDeleted,
     schema<"core.v1.PersistentVolume">},
    {"Pod", "pods", "po", "all", kStatus | kGeneration | kShowsDeleted, schema<"core.v1.Pod">,
     "attach:create,get:v1/PodAttachOptions binding:create:v1/Binding "
     "ephemeralcontainers:get,patch,update eviction:create:policy/v1/Eviction "
     "exec:create,get:v1/PodExecOptions log:get portforward:create,get:v1/PodPortForwardOptions "
     "proxy:create,delete,get,patch,update:v1/PodProxyOptions resize:get,patch,update"},
    {"PodTemplate", "podtemplates", "", "", kGeneration | kShowsDeleted,
     schema<"core.v1.PodTemplate">},
    {"ReplicationController", "replicationcontrollers", "rc", "all",
     kStatus | kScale | kGeneration | kOrphans, schema<"core.v1.ReplicationController">},
    {"ResourceQuota", "resourcequotas", "quota", "", kStatus | kShowsDeleted,
     schema<"core.v1.ResourceQuota">},
    {"Secret", "secrets", "", "", kPlain, schema<"core.v1.Secret">},
    {"ServiceAccount", "serviceaccounts", "sa", "", kShowsDeleted, schema<"core.v1.ServiceAccount">,
     "token:create:authentication.k8s.io/v1/TokenRequest"},
    {"Service", "services", "svc", "all", kStatus | kCreateOnUpdate | kShowsDeleted,
     schema<"core.v1.Service">, "proxy:create,delete,get,patch,update:v1/ServiceProxyOptions",
     NameRule::DnsLabel1035},
};

}  // namespace

void append_core(std::vector<Kind>& to) {
  append_rows({"", "v1"}, kCoreRows, to);
}

}  // namespace fixpoint::kinds
