// SPDX-License-Identifier: Apache-2.0
//
// RealCluster: a real Kubernetes control plane for one test program, started by tools/real-cluster.
// It ends with the program, however that ends.
#pragma once

#include "store/scratch_directory.h"
#include "tests/conformance/server.h"

#include <memory>
#include <optional>
#include <string>

namespace fixpoint::conformance {

class RealCluster {
 public:
  // `controllers` as tools/real-cluster takes them: "none", or names with commas. With
  // FIXPOINT_REAL_KUBECONFIG set, "none" is the cluster it names and nothing is started.
  static Result<std::unique_ptr<RealCluster>> start(const std::string& controllers);
  ~RealCluster();
  RealCluster(const RealCluster&) = delete;
  RealCluster& operator=(const RealCluster&) = delete;

  const Endpoint& endpoint() const { return endpoint_; }
  const std::string& kubeconfig() const { return kubeconfig_; }

 private:
  RealCluster() = default;
  std::optional<store::ScratchDirectory> directory_;  // empty: not ours
  Endpoint endpoint_;
  std::string kubeconfig_;
};

}  // namespace fixpoint::conformance
