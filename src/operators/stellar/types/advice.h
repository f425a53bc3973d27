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

// Texts of the wrong form.
inline constexpr Advice kObjectName{
    "is not the name of an object",
    "Use lower-case letters, digits, - and ., as in its metadata.name, or leave it out"};
inline constexpr Advice kNamespaceName{"is not the name of a namespace",
                                       "Use lower-case letters, digits and -, at most 63"};
inline constexpr Advice kHost{"is not a host name",
                              "Write it as horizon.example.com or *.example.com"};
inline constexpr Advice kPath{"is not a path", "Begin it with /; / alone is everything"};
inline constexpr Advice kVersion{"is neither the tag nor the digest of an image",
                                 "Write it as 22.1.0, sha256:… or 22.1.0@sha256:…"};
inline constexpr Advice kHttpUrl{"is not the URL of an HTTP server",
                                 "Write it as http://host:port or https://host/path"};
inline constexpr Advice kArchiveUrl{"is not the URL of a history archive",
                                    "Write it as https://host/path, without blanks"};
inline constexpr Advice kShare{"is neither a number nor a percentage", "Write 1 or \"30%\""};
inline constexpr Advice kShareOfAll{"is more than all pods", "Write at most \"100%\""};

// Of a custom network nobody but its owner knows anything.
inline constexpr Advice kCustomQuorum{"nobody knows whom to trust in a custom network",
                                      "Name its validators here"};
inline constexpr Advice kCustomIngest{
    "nobody knows the archives and validators of a custom network",
    "Set enableIngest to false and ingest elsewhere"};
inline constexpr Advice kCustomCaptiveCore{
    "nobody knows the archives and validators of a custom network",
    "Add the block captiveCoreStructuredConfig"};

// Where the seed is.
inline constexpr Advice kKmsBlock{"is required with keySource KMS", "Add the block kmsConfig"};
inline constexpr Advice kKmsAndSecret{"the seed cannot come from a KMS and from a Secret",
                                      "Remove seedSecretRef and seedSecretSource, or keySource"};

inline constexpr Advice kAboveLimit{"must not be more than the limit",
                                    "Lower the request or raise the limit"};

// Fields that other operators have, or that mean something elsewhere only.
inline constexpr Advice kNoHardwareModule{
    "this operator drives no hardware module",
    "Use seedSecretSource.csiRef or vaultRef: neither puts the seed into a Secret of Kubernetes"};
inline constexpr Advice kNoValidatorList{"this operator fetches no validator lists",
                                         "Write the list's validators into quorumSet"};
inline constexpr Advice kNoQuorumOptimization{"this operator changes no quorum set by itself",
                                              "Write the set you want into quorumSet"};
inline constexpr Advice kNoCache{"stellar-rpc has no cache to set up",
                                 "Remove it; memory is given with resources"};
inline constexpr Advice kOneIngestWorker{
    "Horizon ingests new ledgers with one worker",
    "Leave it out; old ledgers are ingested side by side with horizon db reingest range "
    "--parallel-workers"};
inline constexpr Advice kNotExperimental{"Horizon has one way to ingest and no experimental one",
                                         "Remove it: enableIngest is all there is"};
inline constexpr Advice kAlwaysSimulates{
    "stellar-rpc cannot be told not to simulate transactions",
    "Leave it out; to keep callers from it, refuse simulateTransaction in front of the node"};
inline constexpr Advice kOwnNamespaceOnly{
    "a claim starts from a snapshot of its own namespace",
    "Copy the VolumeSnapshot there and remove volumeSnapshotNamespace"};
inline constexpr Advice kRestoreImage{"a backup needs an image that restores it",
                                      "Set restoreImage to one that reads BACKUP_URL and fills "
                                      "DATA_DIRECTORY when that is empty"};
inline constexpr Advice kBackupUrl{"is not the URL of a backup",
                                   "Write it with its scheme, as s3://bucket/path"};
inline constexpr Advice kOfBackup{"belongs to a backup", "Set backupUrl, or remove it"};
inline constexpr Advice kDatabaseOfValidator{
    "only a Validator keeps its ledger there",
    "Remove it; where Horizon's database is, horizonConfig.databaseSecretRef says"};
inline constexpr Advice kOnePassword{"the password is given twice",
                                     "Keep one of passwordSecret and secretKeyRef"};
inline constexpr Advice kOneAffinity{"the cluster's node is chosen twice",
                                     "Keep one of nodeAffinity and storage.nodeAffinity"};
inline constexpr Advice kOfOtherType{"is of another nodeType",
                                     "Remove it: nodeType says which program runs"};
inline constexpr Advice kKmsUnasked{"only keySource KMS has it",
                                    "Set keySource to KMS, or remove kmsConfig"};
inline constexpr Advice kOneCaptiveCore{"the captive core is described twice",
                                        "Keep captiveCoreStructuredConfig"};
inline constexpr Advice kNoBlueGreen{
    "this operator has no blue-green rollout",
    "Use type canary: the old pods go on until the new ones were well for a while"};
inline constexpr Advice kCanaryUnasked{"only type canary has it",
                                       "Set strategy.type to canary, or remove it"};
inline constexpr Advice kCanaryShares{"a canary cannot share the volume of a single pod",
                                      "Set replicas to 2 or more, or use rollingUpdate"};
inline constexpr Advice kNoTokens{"peers of a Validator send no tokens", "Remove jwtRules"};
inline constexpr Advice kLinkerdEncrypts{"Linkerd always encrypts between meshed pods",
                                         "Leave it true, or remove serviceMesh.linkerd"};

}  // namespace advice
}  // namespace fixpoint::operators::stellar
