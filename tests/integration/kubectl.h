// SPDX-License-Identifier: Apache-2.0
//
// Unmodified kubectl, where there is one.
#pragma once

#include <filesystem>
#include <string>

namespace fixpoint {

// What a command of the shell prints; the words are a test's own.
std::string output_of(const std::string& command);

// The newest kubectl at hand: one that was asked for, the one of `make kube`, the one on PATH;
// empty when there is none.
std::string find_kubectl();

// What "kubectl …" says, errors too, for that cluster.
class Kubectl {
 public:
  Kubectl(std::string program, const std::filesystem::path& kubeconfig);
  std::string operator()(const std::string& words) const;

 private:
  std::string command_;
};

}  // namespace fixpoint
