// SPDX-License-Identifier: Apache-2.0
//
// The nodes of the Stellar story, as a person would write them. Small requests, since they run on
// the machine of whoever looks on.
#pragma once

#include <string_view>

namespace fixpoint::cli::demo {

// Of keys that secure nothing.
inline constexpr std::string_view kAliceSeed =
    "SADQOBYHA4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYHA4DQP54X";
inline constexpr std::string_view kVeraSeed =
    "SAEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQTDMN";

inline constexpr std::string_view kAlice = R"(apiVersion: stellar.org/v1alpha1
kind: StellarNode
metadata: {name: alice}
spec:
  nodeType: Validator
  network: testnet
  version: 22.1.0
  storage: {size: 1Gi}
  resources: {requests: {cpu: 10m, memory: 16Mi}}
  validatorConfig: {seedSecretRef: alice-seed}
)";

inline constexpr std::string_view kHank = R"(apiVersion: stellar.org/v1alpha1
kind: StellarNode
metadata: {name: hank}
spec:
  nodeType: Horizon
  network: testnet
  version: 22.1.0
  storage: {size: 1Gi}
  resources: {requests: {cpu: 10m, memory: 16Mi}}
  horizonConfig: {databaseSecretRef: hank-database, stellarCoreUrl: "http://alice:11626"}
)";

inline constexpr std::string_view kRay = R"(apiVersion: stellar.org/v1alpha1
kind: StellarNode
metadata: {name: ray}
spec:
  nodeType: SorobanRpc
  network: testnet
  version: 22.1.0
  storage: {size: 1Gi}
  resources: {requests: {cpu: 10m, memory: 16Mi}}
  sorobanConfig: {stellarCoreUrl: "http://alice:11626"}
)";

inline constexpr std::string_view kVera = R"(apiVersion: stellar.org/v1alpha1
kind: StellarNode
metadata: {name: vera}
spec:
  nodeType: Validator
  network: testnet
  version: 22.1.0
  storage: {size: 1Gi}
  resources: {requests: {cpu: 10m, memory: 16Mi}}
  validatorConfig: {seedSecretRef: vera-seed}
)";

}  // namespace fixpoint::cli::demo
