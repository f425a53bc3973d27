// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/definition_controller.h"
#include "cluster/loops/quota_controller.h"
#include "cluster/storage/claims.h"
#include "cluster/workloads/deployment.h"
#include "cluster/workloads/replica_set.h"
#include "cluster/workloads/stateful_set.h"
#include "verify/world/scenario.h"

#include <memory>

namespace fixpoint::verify::world::built_in {

BuiltIn definitions() {
  return {"definition controller",
          [] { return std::make_unique<cluster::DefinitionController>(); }};
}

BuiltIn deployments() {
  return {"deployment controller",
          [] { return std::make_unique<cluster::DeploymentController>(); }};
}

BuiltIn replica_sets() {
  return {"replica set controller", [] {
            return std::make_unique<cluster::ReplicaSetController>(
                cluster::ReplicaSetController::Kind::ReplicaSet);
          }};
}

BuiltIn stateful_sets() {
  return {"stateful set controller",
          [] { return std::make_unique<cluster::StatefulSetController>(); }};
}

BuiltIn claims() {
  return {"claim controller", [] { return std::make_unique<cluster::storage::ClaimController>(); }};
}

BuiltIn quotas() {
  return {"quota controller", [] { return std::make_unique<cluster::QuotaController>(); }};
}

}  // namespace fixpoint::verify::world::built_in
