// SPDX-License-Identifier: Apache-2.0
//
// What the children of a StellarNode are called, and the labels they are found by.
#pragma once

#include "json/draft.h"
#include "kube/meta/gvk.h"
#include "operators/stellar/types/spec.h"
#include "runtime/plan.h"
#include "runtime/typed.h"

#include <string>
#include <string_view>

namespace fixpoint::operators::stellar {

using Node = runtime::Primary<Spec>;

inline constexpr std::string_view kManagedBy = "stellar-operator";
inline constexpr std::string_view kInstanceLabel = "app.kubernetes.io/instance";
inline constexpr std::string_view kNameLabel = "app.kubernetes.io/name";
inline constexpr std::string_view kNameValue = "stellar-node";
// On every child: the generation of the spec that it was made from.
inline constexpr std::string_view kGenerationAnnotation = "stellar.org/generation";

// On a claim that was made without naming a class: which one it has is the cluster's to say.
inline constexpr std::string_view kUnnamedClassAnnotation = "stellar.org/unnamed-class";

// On the workload: the version of the spec that it was made from.
inline constexpr std::string_view kVersionAnnotation = "stellar.org/version";
// On pods and Deployment of a canary; pods of the workload itself have no such label.
inline constexpr std::string_view kTrackLabel = "stellar.org/track";
inline constexpr std::string_view kCanaryTrack = "canary";
// On its Deployment: how far the trial is.
inline constexpr std::string_view kCanaryWeightAnnotation = "stellar.org/canary-weight";
inline constexpr std::string_view kCanaryPassedAnnotation = "stellar.org/canary-passed";
inline constexpr std::string_view kCanarySinceAnnotation = "stellar.org/canary-since";

// Kinds, by api version and name; `collection` is where a kind that is not Kubernetes' own is
// served.
struct ChildKind {
  std::string_view api_version;
  std::string_view kind;
  std::string_view plural{};  // empty: one of Kubernetes' own

  kube::GroupVersionKind gvk() const;
};

namespace kinds {
inline constexpr ChildKind kConfigMap{"v1", "ConfigMap"};
inline constexpr ChildKind kService{"v1", "Service"};
inline constexpr ChildKind kClaim{"v1", "PersistentVolumeClaim"};
inline constexpr ChildKind kSecret{"v1", "Secret"};
inline constexpr ChildKind kPod{"v1", "Pod"};
inline constexpr ChildKind kEvent{"v1", "Event"};
inline constexpr ChildKind kStatefulSet{"apps/v1", "StatefulSet"};
inline constexpr ChildKind kDeployment{"apps/v1", "Deployment"};
inline constexpr ChildKind kNetworkPolicy{"networking.k8s.io/v1", "NetworkPolicy"};
inline constexpr ChildKind kIngress{"networking.k8s.io/v1", "Ingress"};
inline constexpr ChildKind kDisruptionBudget{"policy/v1", "PodDisruptionBudget"};
inline constexpr ChildKind kAutoscaler{"autoscaling/v2", "HorizontalPodAutoscaler"};
inline constexpr ChildKind kServiceMonitor{"monitoring.coreos.com/v1", "ServiceMonitor",
                                           "servicemonitors"};
inline constexpr ChildKind kPeerAuthentication{"security.istio.io/v1beta1", "PeerAuthentication",
                                               "peerauthentications"};
inline constexpr ChildKind kRequestAuthentication{
    "security.istio.io/v1beta1", "RequestAuthentication", "requestauthentications"};
inline constexpr ChildKind kDestinationRule{"networking.istio.io/v1beta1", "DestinationRule",
                                            "destinationrules"};
inline constexpr ChildKind kVirtualService{"networking.istio.io/v1beta1", "VirtualService",
                                           "virtualservices"};
inline constexpr ChildKind kServer{"policy.linkerd.io/v1beta1", "Server", "servers"};
inline constexpr ChildKind kServerAuthorization{"policy.linkerd.io/v1beta1", "ServerAuthorization",
                                                "serverauthorizations"};
}  // namespace kinds

// "alice" and "-config" are "alice-config", in the node's namespace.
kube::Key key_of(const Node& node, std::string_view suffix = {});

bool runs_as_stateful_set(const Spec& spec);
const ChildKind& workload_kind(const Spec& spec);

// What selectors select: nothing that an edit can change, since selectors cannot be changed.
json::Draft selector_labels(const Node& node);
json::Draft labels(const Node& node);
// A child of this name: labels and the generation are on it, the rest is the caller's.
json::Draft child_draft(const Node& node, const ChildKind& kind, std::string_view suffix = {});

// What ExternalDNS reads on a Service or an Ingress; what is there already stays.
void add_external_dns(json::Draft& annotations, const ExternalDns& dns);

json::Draft strings(const std::map<std::string, std::string>& map);
json::Draft values(const std::vector<json::Value>& list);

}  // namespace fixpoint::operators::stellar
