// SPDX-License-Identifier: Apache-2.0
//
// Where the kinds are served that a node talks about.
#pragma once

#include "client/call.h"

namespace fixpoint::node {

inline client::Resource core_resource(const char* kind, const char* plural,
                                      client::Scope scope = client::Scope::Namespaced) {
  return {
      .kind = {"", "v1", kind},
        .plural = plural, .scope = scope
  };
}
inline client::Resource pods() {
  return core_resource("Pod", "pods");
}
inline client::Resource services() {
  return core_resource("Service", "services");
}
inline client::Resource config_maps() {
  return core_resource("ConfigMap", "configmaps");
}
inline client::Resource secrets() {
  return core_resource("Secret", "secrets");
}
inline client::Resource service_accounts() {
  return core_resource("ServiceAccount", "serviceaccounts");
}
inline client::Resource claims() {
  return core_resource("PersistentVolumeClaim", "persistentvolumeclaims");
}
inline client::Resource persistent_volumes() {
  return core_resource("PersistentVolume", "persistentvolumes", client::Scope::Cluster);
}
inline client::Resource nodes() {
  return core_resource("Node", "nodes", client::Scope::Cluster);
}
inline client::Resource endpoint_slices() {
  return {
      .kind = {"discovery.k8s.io", "v1", "EndpointSlice"},
      .plural = "endpointslices",
      .scope = client::Scope::Namespaced
  };
}
inline client::Resource leases() {
  return {
      .kind = {"coordination.k8s.io", "v1", "Lease"},
      .plural = "leases",
      .scope = client::Scope::Namespaced
  };
}

}  // namespace fixpoint::node
