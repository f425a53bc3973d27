// SPDX-License-Identifier: Apache-2.0
//
// What the worlds of the cases begin with and are asked: specs, who is in the cluster, and how one
// sees that a node is as it should be.
#pragma once

#include "trials/stellar/picture.h"
#include "verify/world/scenario.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::trials::stellar {

inline constexpr std::string_view kAlice = "alice";

// Six children: configuration, two Services, claim, policy, StatefulSet.
inline constexpr std::string_view kValidator =
    R"({"nodeType":"Validator","network":"testnet","version":"22.1.0",)"
    R"("storage":{"size":"10Gi"},"validatorConfig":{"seedSecretRef":"seed"}})";
// Four children: configuration, two Services, Deployment.
inline constexpr std::string_view kHorizon =
    R"({"nodeType":"Horizon","network":"testnet","version":"22.1.0","horizonConfig":)"
    R"({"databaseSecretRef":"seed","stellarCoreUrl":"http://core:11626","enableIngest":false}})";
// With three policies more.
std::string in_mesh();

enum class Mesh : std::uint8_t { None, Istio };

std::string node(std::string_view name, std::string_view spec);
// A cluster with alice in it, who is to become what the spec says.
verify::world::Scenario world(std::string name, std::string summary, std::string_view budget,
                              std::string_view spec, Mesh mesh = Mesh::None);

json::View alice(const Glance& now);
bool has_workload(const Glance& now, std::string_view name);
// All pods are of the newest template, and ready.
bool is_rolled_out(json::View workload);
// Everything the spec asks for is there, of this generation.
bool everything_is_current(const Look& look, json::View node,
                           const std::vector<std::string>& absent);
// That and nothing else, and the node says that it runs.
bool converged(const Look& look, json::View node, const std::vector<std::string>& absent);
// It says so, and nothing runs; under maintenance the workload is left as it is.
bool is_suspended(const Look& look, json::View node);

// Worlds in which somebody shares something with alice: a namespace, or her operator's lease.
std::vector<verify::world::Scenario> shared_worlds();

}  // namespace fixpoint::trials::stellar
