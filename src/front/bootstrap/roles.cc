// SPDX-License-Identifier: Apache-2.0
//
// The default roles and bindings of Kubernetes 1.34, without those of its controllers: ours are
// inside the server and ask nobody.
//
// An object a line; what is indented belongs to the line above, a rule by two blanks, the rest of a
// long line by six. A rule is VERBS, GROUPS ("-" is the core's), RESOURCES and perhaps NAMES, or
// VERBS and paths. `of=x` gathers the rules of the roles that have `to=x`. A binding has its role
// and its subjects.
#include "front/bootstrap/roles.h"

#include "json/draft.h"
#include "json/print.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::front {
namespace {

using json::Draft;

constexpr std::string_view kRoles = R"(
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

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

using Words = std::vector<std::string_view>;

Words split(std::string_view text, char at) {
  Words words;
  while (true) {
    const auto end = text.find(at);
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

// Lines as they are meant, long ones in one piece.
std::vector<std::string> whole_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    if (!line.starts_with("      ")) {
      lines.emplace_back(line);
      continue;
    }
    line.remove_prefix(line.find_first_not_of(' '));
    if (!lines.back().ends_with(',')) lines.back() += ' ';
    lines.back() += line;
  }
  return lines;
}

Draft list_of(std::string_view words) {
  auto items = Draft::array();
  for (const auto word : split(words, ',')) items.push_back(word == "-" ? "" : word);
  return items;
}

Draft rule_of(const Words& words) {
  if (words.size() == 2) {
    return Draft::object({
        {"verbs",           list_of(words[0])},
        {"nonResourceURLs", list_of(words[1])}
    });
  }
  auto rule = Draft::object({
      {"verbs",     list_of(words[0])},
      {"apiGroups", list_of(words[1])},
      {"resources", list_of(words[2])}
  });
  if (words.size() > 3) rule["resourceNames"] = list_of(words[3]);
  return rule;
}

// "User:name", "Group:name", "ServiceAccount:namespace/name".
Draft subject_of(std::string_view text) {
  const auto kind = text.substr(0, text.find(':'));
  const auto name = text.substr(kind.size() + 1);
  if (kind != "ServiceAccount") {
    return Draft::object({
        {"apiGroup", kGroup},
        {"kind",     kind  },
        {"name",     name  }
    });
  }
  const auto slash = name.find('/');
  return Draft::object({
      {"kind", kind},
      {"namespace", name.substr(0, slash)},
      {"name", name.substr(slash + 1)}
  });
}

std::string label_of(std::string_view role) {
  return fmt::format("{}/aggregate-to-{}", kGroup, role);
}

void take_role_word(Draft& role, std::string_view word) {
  const auto other = word.substr(word.find('=') + 1);
  if (word.starts_with("to=")) {
    role["metadata"]["labels"][label_of(other)] = "true";
    return;
  }
  const auto labels = Draft::object({
      {label_of(other), "true"}
  });
  role["aggregationRule"] = Draft::object({
      {"clusterRoleSelectors", Draft::array({Draft::object({{"matchLabels", labels}})})}
  });
}

// A role without its rules, or a binding.
Draft object_of(const Words& words) {
  const auto kind = words[0];
  const auto slash = words[1].find('/');
  auto object = Draft::object({
      {"apiVersion", fmt::format("{}/v1", kGroup)},
      {"kind", kind}
  });
  auto& metadata = object.object_at("metadata");
  if (slash != std::string_view::npos) metadata["namespace"] = words[1].substr(0, slash);
  metadata["name"] = words[1].substr(slash == std::string_view::npos ? 0 : slash + 1);
  metadata.object_at("annotations")["rbac.authorization.kubernetes.io/autoupdate"] = "true";
  metadata.object_at("labels")["kubernetes.io/bootstrapping"] = "rbac-defaults";
  if (!kind.ends_with("Binding")) {
    std::for_each(words.begin() + 2, words.end(), [&](auto word) { take_role_word(object, word); });
    return object;
  }
  object["roleRef"] = Draft::object({
      {"apiGroup", kGroup},
      {"kind", kind.substr(0, kind.size() - sizeof "Binding" + 1)},
      {"name", words[2]}
  });
  if (words.size() == 3) return object;
  auto& subjects = object["subjects"] = Draft::array();
  for (const auto subject : split(words[3], ',')) subjects.push_back(subject_of(subject));
  return object;
}

}  // namespace

std::vector<std::string> default_roles() {
  std::vector<Draft> objects;
  for (const std::string& line : whole_lines(kRoles)) {
    if (!line.starts_with("  ")) {
      objects.push_back(object_of(split(line, ' ')));
      continue;
    }
    auto& rules = objects.back()["rules"];
    if (!rules.is_array()) rules = Draft::array();
    rules.push_back(rule_of(split(std::string_view{line}.substr(2), ' ')));
  }
  std::vector<std::string> texts;
  for (const Draft& object : objects) {
    const json::Value frozen = object.freeze();
    texts.push_back(json::to_text(frozen));
  }
  return texts;
}

}  // namespace fixpoint::front
