// SPDX-License-Identifier: Apache-2.0
//
// The parts of the pod template that differ from program to program (program.cc); pod.cc puts them
// together with what all have in common.
#pragma once

#include "json/draft.h"
#include "operators/stellar/children/children.h"

#include <string_view>

namespace fixpoint::operators::stellar {

inline constexpr std::string_view kConfigDirectory = "/config";

// Image, arguments, environment, ports, probes, mounts and volumes of the program.
struct Program {
  std::string_view image;
  std::string_view data_directory;
  json::Draft arguments = json::Draft::array();
  json::Draft environment = json::Draft::array();
  json::Draft ports = json::Draft::array();
  json::Draft probes = json::Draft::object();          // livenessProbe, readinessProbe, …
  json::Draft mounts = json::Draft::array();           // beside data, config and tmp
  json::Draft volumes = json::Draft::array();          // the same
  json::Draft init_containers = json::Draft::array();  // before those of the spec
  json::Draft annotations = json::Draft::object();     // of the pod
};
Program program_of(const Node& node, const Surroundings& around);

// "stellar/stellar-core" and "22.1.0" or "sha256:…".
std::string image_of(std::string_view name, std::string_view version);
// What every container of the operator's own may do: nothing beyond running.
json::Draft container_security();

}  // namespace fixpoint::operators::stellar
