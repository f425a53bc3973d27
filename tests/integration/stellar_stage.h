// SPDX-License-Identifier: Apache-2.0
//
// StellarStage: a cluster with StellarNodes on it, ours or a real one, and the shipped operator.
#pragma once

#include "tests/integration/collections.h"
#include "tests/integration/meddler.h"
#include "tests/integration/operator_stage.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint {

// Of a validator that counts as well when its pod is ready: nobody has to answer in it.
inline constexpr std::string_view kUnasked = R"(,"networkPolicy":{"enabled":false})";

class StellarStage : public OperatorStage {
 public:
  using OperatorStage::OperatorStage;

  // The kind, as `fixpoint manifests` prints it, and the seed that nodes name.
  void install_stellar() const;
  // A Validator; `more` goes into its spec.
  void make(std::string_view name, std::string_view more = "") const;
  std::string phase(std::string_view name) const {
    return text(kNodes + "/" + std::string{name}, "status", "phase");
  }
  // The whole node as JSON, to look for words in.
  std::string status(std::string_view name) const {
    return call("GET", kNodes + "/" + std::string{name}).body;
  }
  // The node, and all that is made for it but its claim.
  bool gone(std::string_view name) const;
  std::unique_ptr<RunningOperator> run_stellar(const std::string& name,
                                               std::vector<std::string> flags = {}) const;
  std::unique_ptr<RunningOperator> run_stellar(const std::string& name, const Meddler& wire,
                                               std::vector<std::string> flags = {}) const;

  // The kinds of both meshes and of the Prometheus operator, without any schema; or one of them.
  void install_mesh() const;
  void install_kind(std::string_view plural) const;
  void remove_kind(std::string_view plural) const;
  // Where objects of such a kind are, in the namespace of the stories.
  static std::string mesh_path(std::string_view plural);
  // Makes the operator look at the node.
  void look(std::string_view name) const;

  // Where no kubelet is: its pods that are there run at that address and are ready.
  void start_pods(std::string_view name, std::string_view address = "127.9.9.9") const;
  // The same of its first pod, as soon as there is one.
  void start_pod(std::string_view name, std::string_view address = "127.9.9.9") const;
  // Everything of a node as its author sees it: without status, identity and times.
  std::string picture(std::string_view name) const;
  // What the stories have to end with.
  const std::string& golden() const { return golden_; }

 protected:
  std::string golden_;
};

}  // namespace fixpoint
