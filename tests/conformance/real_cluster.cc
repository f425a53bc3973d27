// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/real_cluster.h"

#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

namespace fixpoint::conformance {
namespace {

// Tests run at the top of the source tree.
constexpr auto kTool = "tools/real-cluster";

int run(const std::string& command) {
  return std::system(command.c_str());  // NOLINT: the words are our own
}

}  // namespace

Result<std::unique_ptr<RealCluster>> RealCluster::start(const std::string& controllers) {
  std::unique_ptr<RealCluster> cluster{new RealCluster};
  const char* given = std::getenv("FIXPOINT_REAL_KUBECONFIG");
  if (given != nullptr && controllers == "none") {
    FP_TRY(endpoint, endpoint_of("real", given));
    cluster->endpoint_ = std::move(endpoint);
    cluster->kubeconfig_ = given;
    return cluster;
  }
  const auto path = cluster->directory_.emplace("kube").path().string();
  const auto command = fmt::format("{} up {} --controllers {} --parent {} 1>&2", kTool, path,
                                   controllers, ::getpid());
  if (run(command) != 0) {
    return fail(ErrorKind::Unavailable,
                "no real cluster: see the lines above; `make kube` builds Kubernetes");
  }
  cluster->kubeconfig_ = path + "/kubeconfig";
  FP_TRY(endpoint, endpoint_of("real", cluster->kubeconfig_));
  cluster->endpoint_ = std::move(endpoint);
  return cluster;
}

RealCluster::~RealCluster() {
  if (directory_) run(fmt::format("{} down {} 1>&2", kTool, directory_->path().string()));
}

}  // namespace fixpoint::conformance
