// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/kubectl.h"

#include "tests/shipped_program.h"

#include <cstdlib>
#include <sstream>

#include <unistd.h>

namespace fixpoint {

std::string output_of(const std::string& command) {
  return run_line(command).text;
}

std::string find_kubectl() {
  if (const char* asked = std::getenv("FIXPOINT_KUBECTL")) return asked;
  std::string cache = output_of("tools/kube --where");
  while (cache.ends_with('\n')) cache.pop_back();
  std::istringstream path(cache + ":" +
                          (std::getenv("PATH") == nullptr ? "" : std::getenv("PATH")));
  for (std::string directory; std::getline(path, directory, ':');) {
    const auto program = std::filesystem::path(directory) / "kubectl";
    if (::access(program.c_str(), X_OK) == 0) return program.string();
  }
  return {};
}

Kubectl::Kubectl(std::string program, const std::filesystem::path& kubeconfig)
    : command_("'" + std::move(program) + "' --kubeconfig '" + kubeconfig.string() +
               "' --request-timeout=20s ") {}

std::string Kubectl::operator()(const std::string& words) const {
  return output_of(command_ + words + " 2>&1");
}

}  // namespace fixpoint
