// SPDX-License-Identifier: Apache-2.0
#include "front/bootstrap/role_tables.h"

namespace fixpoint::front {

const std::string_view kRoles = R"(
ClusterRole admin of=admin
ClusterRole cluster-admin
  * * *
  * *
ClusterRole edit to=admin of=edit
ClusterRole system:aggregate-to-admin to=admin
  create authorization.k8s.io localsubjectaccessreviews
  create,delete,deletecollection,get,list,patch,update,watch rbac.authorization.k8s.io
      rolebindings,roles
ClusterRole system:aggregate-to-edit to=edit
  get,list,watch - pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy
  impersonate - serviceaccounts
  create,delete,deletecollection,patch,update - pods,pods/attach,pods/exec,pods/portforward,
      pods/proxy
  create - pods/eviction
  create,delete,deletecollection,patch,update - configmaps,events,persistentvolumeclaims,
      replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,
      services/proxy
  create - serviceaccounts/token
  create,delete,deletecollection,patch,update apps daemonsets,deployments,deployments/rollback,
      deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale
  create,delete,deletecollection,patch,update autoscaling horizontalpodautoscalers
  create,delete,deletecollection,patch,update batch cronjobs,jobs
  create,delete,deletecollection,patch,update extensions daemonsets,deployments,
      deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,
      replicasets/scale,replicationcontrollers/scale
  create,delete,deletecollection,patch,update policy poddisruptionbudgets
  create,delete,deletecollection,patch,update networking.k8s.io ingresses,networkpolicies
  create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leases
  create,delete,deletecollection,patch,update resource.k8s.io resourceclaims,
      resourceclaimtemplates
ClusterRole system:aggregate-to-view to=view
  get,list,watch - configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,
      pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,
      services/status
  get,list,watch - bindings,events,limitranges,namespaces/status,pods/log,pods/status,
      replicationcontrollers/status,resourcequotas,resourcequotas/status
  get,list,watch - namespaces
  get,list,watch discovery.k8s.io endpointslices
  get,list,watch apps controllerrevisions,daemonsets,daemonsets/status,deployments,
      deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,
      statefulsets,statefulsets/scale,statefulsets/status
  get,list,watch autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status
  get,list,watch batch cronjobs,cronjobs/status,jobs,jobs/status
  get,list,watch extensions daemonsets,daemonsets/status,deployments,deployments/scale,
      deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,
      replicasets/scale,replicasets/status,replicationcontrollers/scale
  get,list,watch policy poddisruptionbudgets,poddisruptionbudgets/status
  get,list,watch networking.k8s.io ingresses,ingresses/status,networkpolicies
  get,list,watch resource.k8s.io resourceclaims,resourceclaims/status,resourceclaimtemplates
ClusterRole system:auth-delegator
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
ClusterRole system:basic-user
  create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews
  create authentication.k8s.io selfsubjectreviews
ClusterRole system:certificates.k8s.io:certificatesigningrequests:nodeclient
  create certificates.k8s.io certificatesigningrequests/nodeclient
ClusterRole system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  create certificates.k8s.io certificatesigningrequests/selfnodeclient
ClusterRole system:certificates.k8s.io:kube-apiserver-client-approver
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client
ClusterRole system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
ClusterRole system:certificates.k8s.io:kubelet-serving-approver
  approve certificates.k8s.io signers kubernetes.io/kubelet-serving
ClusterRole system:certificates.k8s.io:legacy-unknown-approver
  approve certificates.k8s.io signers kubernetes.io/legacy-unknown
ClusterRole system:discovery
  get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/
ClusterRole system:heapster
  get,list,watch - events,namespaces,nodes,pods
  get,list,watch extensions deployments
ClusterRole system:kube-aggregator
  get,list,watch - endpoints,services
ClusterRole system:kube-controller-manager
  create,patch,update -,events.k8s.io events
  create coordination.k8s.io leases
  get,update coordination.k8s.io leases kube-controller-manager
  create - secrets,serviceaccounts
  delete - secrets
  get - configmaps,namespaces,secrets,serviceaccounts
  update - secrets,serviceaccounts
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
  list,watch * *
  create - serviceaccounts/token
ClusterRole system:kube-dns
  list,watch - endpoints,services
ClusterRole system:kube-scheduler
  create,patch,update -,events.k8s.io events
  create coordination.k8s.io leases
  get,list,update,watch coordination.k8s.io leases kube-scheduler
  create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leasecandidates
  get,list,watch - nodes
  delete,get,list,watch - pods
  create - bindings,pods/binding
  patch,update - pods/status
  get,list,watch - replicationcontrollers,services
  get,list,watch apps,extensions replicasets
  get,list,watch apps statefulsets
  get,list,watch policy poddisruptionbudgets
  get,list,watch - persistentvolumeclaims,persistentvolumes
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
  get,list,watch storage.k8s.io csinodes
  get,list,watch storage.k8s.io volumeattachments
  get,list,watch - namespaces
  get,list,watch storage.k8s.io csidrivers
  get,list,watch storage.k8s.io csistoragecapacities
  get,list,watch resource.k8s.io deviceclasses
  get,list,patch,update,watch resource.k8s.io resourceclaims
  get,list,patch,update,watch resource.k8s.io resourceclaims/status
  update - pods/finalizers
  get,list,watch resource.k8s.io resourceslices
ClusterRole system:kubelet-api-admin
  get,list,watch - nodes
  proxy - nodes
  * - nodes/log,nodes/metrics,nodes/proxy,nodes/stats
  * - nodes/configz,nodes/healthz,nodes/pods
ClusterRole system:monitoring
  get /healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*
  get - nodes/metrics
ClusterRole system:node
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews
  get,list,watch - services
  create,get,list,watch - nodes
  patch,update - nodes/status
  patch,update - nodes
  create,patch,update - events
  get,list,watch - pods
  create,delete - pods
  patch,update - pods/status
  create - pods/eviction
  get,list,watch - configmaps,secrets
  get - persistentvolumeclaims,persistentvolumes
  get - endpoints
  create,get,list,watch certificates.k8s.io certificatesigningrequests
  create,delete,get,patch,update coordination.k8s.io leases
  get storage.k8s.io volumeattachments
  create - serviceaccounts/token
  get,patch,update - persistentvolumeclaims/status
  get,list,watch storage.k8s.io csidrivers
  create,delete,get,patch,update storage.k8s.io csinodes
  get,list,watch node.k8s.io runtimeclasses
  get resource.k8s.io resourceclaims
  deletecollection resource.k8s.io resourceslices
  get - serviceaccounts
ClusterRole system:node-bootstrapper
  create,get,list,watch certificates.k8s.io certificatesigningrequests
ClusterRole system:node-problem-detector
  get - nodes
  patch - nodes/status
  create,patch,update -,events.k8s.io events
ClusterRole system:node-proxier
  list,watch - endpoints,services
  get,list,watch - nodes
  create,patch,update -,events.k8s.io events
  list,watch networking.k8s.io servicecidrs
  list,watch discovery.k8s.io endpointslices
ClusterRole system:persistent-volume-provisioner
  create,delete,get,list,watch - persistentvolumes
  get,list,update,watch - persistentvolumeclaims
  get,list,watch storage.k8s.io storageclasses
  watch - events
  create,patch,update -,events.k8s.io events
ClusterRole system:public-info-viewer
  get /healthz,/livez,/readyz,/version,/version/
ClusterRole system:service-account-issuer-discovery
  get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,
      /openid/v1/jwks/
ClusterRole system:volume-scheduler
  get,list,patch,update,watch - persistentvolumes
  get,list,watch storage.k8s.io storageclasses
  get,list,patch,update,watch - persistentvolumeclaims
ClusterRole view to=edit of=view
ClusterRoleBinding cluster-admin cluster-admin Group:system:masters
ClusterRoleBinding system:basic-user system:basic-user Group:system:authenticated
ClusterRoleBinding system:discovery system:discovery Group:system:authenticated
ClusterRoleBinding system:kube-controller-manager system:kube-controller-manager
      User:system:kube-controller-manager
ClusterRoleBinding system:kube-dns system:kube-dns ServiceAccount:kube-system/kube-dns
ClusterRoleBinding system:kube-scheduler system:kube-scheduler User:system:kube-scheduler
ClusterRoleBinding system:monitoring system:monitoring Group:system:monitoring
ClusterRoleBinding system:node system:node
ClusterRoleBinding system:node-proxier system:node-proxier User:system:kube-proxy
ClusterRoleBinding system:public-info-viewer system:public-info-viewer
      Group:system:authenticated,Group:system:unauthenticated
ClusterRoleBinding system:service-account-issuer-discovery
      system:service-account-issuer-discovery Group:system:serviceaccounts
ClusterRoleBinding system:volume-scheduler system:volume-scheduler User:system:kube-scheduler
Role kube-system/extension-apiserver-authentication-reader
  get,list,watch - configmaps extension-apiserver-authentication
Role kube-system/system::leader-locking-kube-controller-manager
  watch - configmaps
  get,update - configmaps kube-controller-manager
  create,get,list,update,watch coordination.k8s.io leases
  create,get,list,update,watch coordination.k8s.io leasecandidates
Role kube-system/system::leader-locking-kube-scheduler
  watch - configmaps
  get,update - configmaps kube-scheduler
  create,get,list,update,watch coordination.k8s.io leases
  create,get,list,update,watch coordination.k8s.io leasecandidates
RoleBinding kube-system/system::extension-apiserver-authentication-reader
      extension-apiserver-authentication-reader User:system:kube-controller-manager,
      User:system:kube-scheduler
RoleBinding kube-system/system::leader-locking-kube-controller-manager
      system::leader-locking-kube-controller-manager User:system:kube-controller-manager,
      ServiceAccount:kube-system/kube-controller-manager,
      ServiceAccount:kube-system/leader-election-controller
RoleBinding kube-system/system::leader-locking-kube-scheduler
      system::leader-locking-kube-scheduler User:system:kube-scheduler,
      ServiceAccount:kube-system/kube-scheduler
)";

const std::string_view kControllerRoles = R"(
attachdetach-controller
  list,watch - persistentvolumeclaims,persistentvolumes
  get,list,watch - nodes
  patch,update - nodes/status
  list,watch - pods
  create,patch,update -,events.k8s.io events
  create,delete,get,list,watch storage.k8s.io volumeattachments
  get,list,watch storage.k8s.io csidrivers
  get,list,watch storage.k8s.io csinodes
certificate-controller
  delete,get,list,watch certificates.k8s.io certificatesigningrequests
  update certificates.k8s.io certificatesigningrequests/approval,certificatesigningrequests/status
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
  sign certificates.k8s.io signers kubernetes.io/kube-apiserver-client,
      kubernetes.io/kube-apiserver-client-kubelet,kubernetes.io/kubelet-serving,
      kubernetes.io/legacy-unknown
  create authorization.k8s.io subjectaccessreviews
  create,patch,update -,events.k8s.io events
clusterrole-aggregation-controller
  escalate,get,list,patch,update,watch rbac.authorization.k8s.io clusterroles
cronjob-controller
  get,list,update,watch batch cronjobs
  create,delete,get,list,patch,update,watch batch jobs
  update batch cronjobs/status
  update batch cronjobs/finalizers
  delete,list,watch - pods
  create,patch,update -,events.k8s.io events
daemon-set-controller
  get,list,watch apps,extensions daemonsets
  update apps,extensions daemonsets/status
  update apps,extensions daemonsets/finalizers
  list,watch - nodes
  create,delete,list,patch,watch - pods
  create - pods/binding
  create,delete,get,list,patch,update,watch apps controllerrevisions
  create,patch,update -,events.k8s.io events
deployment-controller
  get,list,update,watch apps,extensions deployments
  update apps,extensions deployments/status
  update apps,extensions deployments/finalizers
  create,delete,get,list,patch,update,watch apps,extensions replicasets
  get,list,update,watch - pods
  create,patch,update -,events.k8s.io events
disruption-controller
  get,list,watch apps,extensions deployments
  get,list,watch apps,extensions replicasets
  get,list,watch - replicationcontrollers
  get,list,watch policy poddisruptionbudgets
  get,list,watch apps statefulsets
  update policy poddisruptionbudgets/status
  patch,update - pods/status
  get * */scale
  create,patch,update -,events.k8s.io events
endpoint-controller
  get,list,watch - pods,services
  create,delete,get,list,update,watch - endpoints
  create - endpoints/restricted
  create,patch,update -,events.k8s.io events
endpointslice-controller
  get,list,watch - nodes,pods,services
  update - services/finalizers
  create,delete,get,list,update,watch discovery.k8s.io endpointslices
  create,patch,update -,events.k8s.io events
endpointslicemirroring-controller
  get,list,watch - endpoints,services
  update - services/finalizers
  update - endpoints/finalizers
  create,delete,get,list,update,watch discovery.k8s.io endpointslices
  create,patch,update -,events.k8s.io events
ephemeral-volume-controller
  get,list,watch - pods
  update - pods/finalizers
  create,get,list,watch - persistentvolumeclaims
  create,patch,update -,events.k8s.io events
expand-controller
  get,list,patch,update,watch - persistentvolumes
  patch,update - persistentvolumeclaims/status
  get,list,watch - persistentvolumeclaims
  create,patch,update -,events.k8s.io events
  get - services
generic-garbage-collector
  delete,get,list,patch,update,watch * *
  create,patch,update -,events.k8s.io events
horizontal-pod-autoscaler
  get,list,watch autoscaling horizontalpodautoscalers
  update autoscaling horizontalpodautoscalers/status
  get,update * */scale
  list,watch - pods
  list,watch metrics.k8s.io pods
  get,list,watch custom.metrics.k8s.io *
  get,list,watch external.metrics.k8s.io *
  create,patch,update -,events.k8s.io events
job-controller
  get,list,patch,update,watch batch jobs
  update batch jobs/status
  update batch jobs/finalizers
  create,delete,list,patch,watch - pods
  create,patch,update -,events.k8s.io events
legacy-service-account-token-cleaner
  get - configmaps kube-apiserver-legacy-service-account-token-tracking
  delete,patch - secrets
namespace-controller
  delete,get,list,watch - namespaces
  update - namespaces/finalize,namespaces/status
  delete,deletecollection,get,list,watch * *
node-controller
  delete,get,list,patch,update,watch - nodes
  patch,update - nodes/status
  patch,update - pods/status
  delete,get,list,watch - pods
  create,patch,update -,events.k8s.io events
persistent-volume-binder
  create,delete,get,list,update,watch - persistentvolumes
  update - persistentvolumes/status
  get,list,update,watch - persistentvolumeclaims
  update - persistentvolumeclaims/status
  create,delete,get,list,watch - pods
  get,list,watch storage.k8s.io storageclasses
  list,watch - nodes
  create,patch,update -,events.k8s.io events
  watch - events
  get - services
pod-garbage-collector
  delete,list,watch - pods
  get,list,watch - nodes
  patch - pods/status
pv-protection-controller
  get,list,update,watch - persistentvolumes
  create,patch,update -,events.k8s.io events
pvc-protection-controller
  get,list,update,watch - persistentvolumeclaims
  get,list,watch - pods
  create,patch,update -,events.k8s.io events
replicaset-controller
  get,list,update,watch apps,extensions replicasets
  update apps,extensions replicasets/status
  update apps,extensions replicasets/finalizers
  create,delete,list,patch,watch - pods
  create,patch,update -,events.k8s.io events
replication-controller
  get,list,update,watch - replicationcontrollers
  update - replicationcontrollers/status
  update - replicationcontrollers/finalizers
  create,delete,list,patch,watch - pods
  create,patch,update -,events.k8s.io events
resource-claim-controller
  get,list,watch - pods
  update - pods/finalizers
  create,delete,get,list,watch resource.k8s.io resourceclaims
  patch,update resource.k8s.io resourceclaims,resourceclaims/status
  patch,update - pods/status
  create,patch,update -,events.k8s.io events
resourcequota-controller
  list,watch * *
  update - resourcequotas/status
  create,patch,update -,events.k8s.io events
root-ca-cert-publisher
  create,update - configmaps
  create,patch,update -,events.k8s.io events
route-controller
  list,watch - nodes
  patch - nodes/status
  create,patch,update -,events.k8s.io events
selinux-warning-controller
  create,patch,update -,events.k8s.io events
  get,list,watch - persistentvolumes
  get,list,watch - persistentvolumeclaims
  get,list,watch - pods
  get,list,watch storage.k8s.io csidrivers
service-account-controller
  create - serviceaccounts
  create,patch,update -,events.k8s.io events
service-cidrs-controller
  get,list,patch,update,watch networking.k8s.io servicecidrs
  patch,update networking.k8s.io servicecidrs/finalizers
  patch,update networking.k8s.io servicecidrs/status
  get,list,watch networking.k8s.io ipaddresses
  create,patch,update -,events.k8s.io events
service-controller
  get,list,watch - services
  patch,update - services/status
  list,watch - nodes
  create,patch,update -,events.k8s.io events
statefulset-controller
  list,watch - pods
  get,list,watch apps statefulsets
  update apps statefulsets/status
  update apps statefulsets/finalizers
  create,delete,get,patch,update - pods
  create,delete,get,list,patch,update,watch apps controllerrevisions
  create,get,list,watch - persistentvolumeclaims
  create,patch,update -,events.k8s.io events
  delete,update - persistentvolumeclaims
  update - pods/finalizers
ttl-after-finished-controller
  delete,get,list,watch batch jobs
  create,patch,update -,events.k8s.io events
ttl-controller
  list,patch,update,watch - nodes
  create,patch,update -,events.k8s.io events
validatingadmissionpolicy-status-controller
  get,list,watch admissionregistration.k8s.io validatingadmissionpolicies
  get,patch,update admissionregistration.k8s.io validatingadmissionpolicies/status
  create,patch,update -,events.k8s.io events
volumeattributesclass-protection-controller
  get,list,watch - persistentvolumeclaims
  get,list,watch - persistentvolumes
  get,list,update,watch storage.k8s.io volumeattributesclasses
  create,patch,update -,events.k8s.io events
kube-public/bootstrap-signer
  get,list,watch - configmaps
  update - configmaps cluster-info
  create,patch,update -,events.k8s.io events
kube-system/bootstrap-signer
  get,list,watch - secrets
kube-system/cloud-provider
  create,get,list,watch - configmaps
kube-system/token-cleaner
  delete,get,list,watch - secrets
  create,patch,update -,events.k8s.io events
)";

}  // namespace fixpoint::front
