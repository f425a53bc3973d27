// SPDX-License-Identifier: Apache-2.0
//
// Manifests: everything a cluster needs to run operators, as the objects that `kubectl apply`
// takes.
//
// Namespace, CRDs, ServiceAccount, roles and bindings, Deployment, Service, PodDisruptionBudget
// and, if asked for, what the Prometheus operator reads. All of it follows from the declarations:
// what an operator is allowed is what it says it does (rbac.h).
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "runtime/registry.h"

#include <string>
#include <vector>

namespace fixpoint::runtime {

struct ManifestOptions {
  std::vector<const OperatorEntry*> operators;
  std::string name = "fixpoint";       // of everything that is not a CRD
  std::string ns = "fixpoint-system";  // where it runs
  std::string image;
  int replicas = 2;
  std::vector<std::string> watch_namespaces;  // none: all of them
};
inline constexpr int kReplicasMax = 100;

// Names that Kubernetes would refuse, and tables with mistakes.
Result<void> check(const ManifestOptions& options);

std::vector<json::Value> custom_resource_definitions(const ManifestOptions& options);
std::vector<json::Value> access_objects(const ManifestOptions& options);
// Deployment, Service, PodDisruptionBudget.
std::vector<json::Value> workload_objects(const ManifestOptions& options);
// PrometheusRule and ServiceMonitor: only where their CRDs are installed.
std::vector<json::Value> alert_objects(const ManifestOptions& options);
json::Value namespace_object(const ManifestOptions& options);

// One YAML document each.
std::string to_yaml_documents(const std::vector<json::Value>& objects);

}  // namespace fixpoint::runtime
