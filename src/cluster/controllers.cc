// SPDX-License-Identifier: Apache-2.0
#include "cluster/controllers.h"

#include "cluster/autoscaling/autoscaler.h"
#include "cluster/daemons/daemon_set.h"
#include "cluster/disruption/budget.h"
#include "cluster/endpoints/service_endpoints.h"
#include "cluster/jobs/cron_job.h"
#include "cluster/jobs/job.h"
#include "cluster/jobs/time_to_live.h"
#include "cluster/loops/definition_controller.h"
#include "cluster/loops/event_expiry.h"
#include "cluster/loops/garbage_collector.h"
#include "cluster/loops/namespace_controller.h"
#include "cluster/loops/quota_controller.h"
#include "cluster/loops/role_aggregation.h"
#include "cluster/loops/service_account_controller.h"
#include "cluster/loops/storage_protection.h"
#include "cluster/nodes/eviction.h"
#include "cluster/nodes/lifecycle.h"
#include "cluster/nodes/simulated_nodes.h"
#include "cluster/scheduler/scheduler.h"
#include "cluster/storage/claims.h"
#include "cluster/storage/ephemeral_volumes.h"
#include "cluster/storage/local_provisioner.h"
#include "cluster/storage/reclaim.h"
#include "cluster/storage/volumes.h"
#include "cluster/workloads/deployment.h"
#include "cluster/workloads/replica_set.h"
#include "cluster/workloads/stateful_set.h"

namespace fixpoint::cluster {

Controllers Controllers::of_api(std::string authority_pem, SignCertificate sign) {
  Controllers made = of_server();
  auto& all = made.controllers_;
  all.push_back(std::make_unique<ServiceAccountController>(std::move(authority_pem)));
  all.push_back(std::make_unique<GarbageCollector>());
  all.push_back(std::make_unique<NamespaceController>());
  all.push_back(std::make_unique<QuotaController>());
  all.push_back(std::make_unique<RoleAggregation>());
  all.push_back(std::make_unique<StorageProtection>());
  all.push_back(std::make_unique<EventExpiry>());
  if (sign) all.push_back(std::make_unique<CertificateSigner>(std::move(sign)));
  return made;
}

Controllers Controllers::of_cluster(std::string authority_pem, const ClusterOptions& options) {
  Controllers made = of_api(std::move(authority_pem), options.sign_certificate);
  auto& all = made.controllers_;
  all.push_back(std::make_unique<nodes::SimulatedNodes>(options.simulation));
  all.push_back(std::make_unique<nodes::NodeLifecycle>());
  all.push_back(std::make_unique<nodes::PodEviction>());
  all.push_back(std::make_unique<storage::EphemeralVolumes>());
  all.push_back(std::make_unique<storage::ClaimController>());
  all.push_back(std::make_unique<storage::VolumeController>());
  all.push_back(std::make_unique<storage::LocalProvisioner>(options.volumes));
  all.push_back(std::make_unique<storage::VolumeReclaim>(options.remove_directory));
  all.push_back(std::make_unique<endpoints::ServiceEndpoints>());
  all.push_back(std::make_unique<scheduler::Scheduler>());
  all.push_back(std::make_unique<DeploymentController>());
  using ReplicaKind = ReplicaSetController::Kind;
  all.push_back(std::make_unique<ReplicaSetController>(ReplicaKind::ReplicaSet));
  all.push_back(std::make_unique<ReplicaSetController>(ReplicaKind::ReplicationController));
  all.push_back(std::make_unique<StatefulSetController>());
  all.push_back(std::make_unique<daemons::DaemonSetController>());
  all.push_back(std::make_unique<jobs::JobController>());
  all.push_back(std::make_unique<jobs::TimeToLive>());
  all.push_back(std::make_unique<jobs::CronJobController>());
  all.push_back(std::make_unique<disruption::BudgetController>());
  all.push_back(std::make_unique<autoscaling::Autoscaler>());
  return made;
}

Controllers Controllers::of_server() {
  Controllers made;
  made.controllers_.push_back(std::make_unique<DefinitionController>());
  return made;
}

void Controllers::begin(Server& server) {
  server.latest().scan("", {}, [&](const store::RecordRef& record) {
    index_.add(record->key, record->body, record->modified);
    return true;
  });
  Api api{server, index_};
  for (auto& controller : controllers_) controller->begin(api);
}

void Controllers::observe(const std::vector<store::Event>& events) {
  for (const auto& event : events) {
    index_.observe(event);
    for (auto& controller : controllers_) controller->observe(event);
  }
}

bool Controllers::run(Server& server, std::size_t steps_max) {
  Api api{server, index_};
  std::size_t steps = 0;
  for (;;) {
    bool worked = false;
    for (auto& controller : controllers_) {
      if (steps >= steps_max) return true;
      if (!controller->step(api)) continue;
      worked = true;
      ++steps;
    }
    if (!worked) return false;
  }
}

std::optional<Instant> Controllers::wakes() const {
  std::optional<Instant> first;
  for (const auto& controller : controllers_) {
    const auto at = controller->wakes();
    if (at && (!first || *at < *first)) first = at;
  }
  return first;
}

}  // namespace fixpoint::cluster
