// SPDX-License-Identifier: Apache-2.0
//
// Advice: what is wrong with a field and what to do about it, in words that the API server says
// when a rule of the table is broken and that the operator says again when it looks for itself.
#pragma once

#include <string>
#include <string_view>

namespace fixpoint::operators::stellar {

struct Advice {
  std::string_view message;
  std::string_view how_to_fix;

  // "must be greater than 0; Set to a time window in seconds": one text, taken apart again by the
  // status message.
  std::string text() const { return std::string{message} + "; " + std::string{how_to_fix}; }
};

namespace advice {

inline constexpr Advice kConsecutiveErrors{
    "must be greater than 0", "Set to a value >= 1, typically 5-10 for most use cases"};
inline constexpr Advice kTimeWindow{"must be greater than 0", "Set to a time window in seconds"};
inline constexpr Advice kMaxRetries{"must be greater than 0",
                                    "Set to a value >= 1, or remove the retries block"};
inline constexpr Advice kTimeout{"must be greater than 0",
                                 "Set to a number of seconds >= 1, or leave it out for 30"};
inline constexpr Advice kOneMesh{"Istio and Linkerd exclude each other",
                                 "Keep one of serviceMesh.istio and serviceMesh.linkerd"};
inline constexpr Advice kValidatorReplicas{
    "a Validator has exactly one replica",
    "Set replicas to 1: two processes with one seed are cut off by their peers"};
inline constexpr Advice kNotOnValidator{"is not possible on a Validator",
                                        "Remove it: a Validator is one pod that peers connect to"};
inline constexpr Advice kOneGoodAnswer{"must be 1",
                                       "Leave it out: only readiness counts several good answers"};
inline constexpr Advice kOneBudget{"only one of minAvailable and maxUnavailable may be set",
                                   "Keep one of the two"};
inline constexpr Advice kPassphraseNeeded{"a custom network needs a passphrase",
                                          "Set customNetworkPassphrase or passphraseSecretRef"};
inline constexpr Advice kPassphraseUnasked{"only a custom network has a passphrase of its own",
                                           "Remove it, or set network to custom"};
inline constexpr Advice kValidatorBlock{"is required for nodeType Validator",
                                        "Add the block validatorConfig"};
inline constexpr Advice kHorizonBlock{"is required for nodeType Horizon",
                                      "Add the block horizonConfig"};
inline constexpr Advice kSorobanBlock{"is required for nodeType SorobanRpc",
                                      "Add the block sorobanConfig"};
inline constexpr Advice kArchiveUrls{"at least one URL is needed when the archive is enabled",
                                     "Add a URL, or set enableHistoryArchive to false"};
inline constexpr Advice kLocalStorage{"mode Local needs a class or a node",
                                      "Set storageClass, or pin the node with nodeAffinity"};
inline constexpr Advice kSnapshotSource{
    "exactly one of volumeSnapshotName and backupUrl must be set", "Keep one, and fill it in"};
inline constexpr Advice kSeedSource{
    "exactly one source of the seed must be given",
    "Set seedSecretRef, or one of localRef, externalRef, csiRef and vaultRef in seedSecretSource"};
inline constexpr Advice kSizeShrinks{"a volume only grows",
                                     "Set at least the size it has; to shrink, make a new node"};
inline constexpr Advice kReplicaRange{"must not be less than minReplicas",
                                      "Raise maxReplicas or lower minReplicas"};

}  // namespace advice
}  // namespace fixpoint::operators::stellar
