// SPDX-License-Identifier: Apache-2.0
//
// Controllers: all built-in loops of a cluster, driven together.
#pragma once

#include "cluster/controller.h"
#include "cluster/loops/certificate_signer.h"
#include "cluster/nodes/simulation.h"
#include "cluster/storage/reclaim.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::cluster {

// What a cluster has besides its API.
struct ClusterOptions {
  nodes::SimulationOptions simulation;
  // Where the volumes of the class "local-directory" lie, and how one of them is removed.
  std::string volumes = "/var/lib/fixpoint/volumes";
  storage::RemoveDirectory remove_directory = {};
  // How certificates are signed; empty: they are not.
  SignCertificate sign_certificate = {};
};

class Controllers {
 public:
  // The loops of a whole cluster; `authority_pem` goes into each namespace's kube-root-ca.crt.
  static Controllers of_cluster(std::string authority_pem, const ClusterOptions& options = {});
  // Those of them that keep the API's own promises (owners, namespaces, quotas, …): workloads stay
  // as they are written.
  static Controllers of_api(std::string authority_pem, SignCertificate sign = {});
  // Only what a kube-apiserver runs in itself: custom resource definitions.
  static Controllers of_server();

  void begin(Server& server);
  void observe(const std::vector<store::Event>& events);
  // At most `steps_max` steps; true when there is more to do now.
  bool run(Server& server, std::size_t steps_max);
  // The earliest time one of them wants to run without being told of anything.
  std::optional<Instant> wakes() const;

 private:
  ObjectIndex index_;
  std::vector<std::unique_ptr<Controller>> controllers_;
};

}  // namespace fixpoint::cluster
