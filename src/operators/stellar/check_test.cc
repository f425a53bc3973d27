// SPDX-License-Identifier: Apache-2.0
//
// One row for each rule: what is changed in a good spec, and what is said about it.
#include "operators/stellar/check.h"

#include "json/merge_patch.h"
#include "json/parse.h"
#include "json/print.h"
#include "types/decode.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::operators::stellar {
namespace {

using testing::HasSubstr;

json::Value parsed(std::string_view text) {
  return json::parse(text).value();
}

constexpr std::string_view kValidator = R"({"nodeType":"Validator","network":"testnet",
  "version":"22.1.0","validatorConfig":{"seedSecretRef":"seed"}})";
constexpr std::string_view kHorizon = R"({"nodeType":"Horizon","network":"testnet",
  "version":"22.1.0","horizonConfig":{"databaseSecretRef":"db",
  "stellarCoreUrl":"http://core:11626"}})";
constexpr std::string_view kRpc = R"({"nodeType":"SorobanRpc","network":"testnet",
  "version":"22.1.0","sorobanConfig":{"stellarCoreUrl":"http://core:11626"}})";

json::Value changed_by(std::string_view spec, std::string_view change) {
  const auto patch = parsed(change);
  return json::apply_merge_patch(parsed(spec), patch);
}

// Of the table and of check(), as the operator says them.
kube::FieldErrors errors_of(std::string_view spec, std::string_view change = "{}") {
  const auto changed = changed_by(spec, change);
  auto decoded = types::decode<Spec>(changed, kube::FieldPath{"spec"});
  return decoded.ok() ? check(decoded.value) : decoded.errors;
}

struct Row {
  std::string_view of;
  std::string_view change;
  std::string_view field;
  std::string_view message;
  std::string_view how_to_fix;
};

const std::vector<Row> kRows{
    {kValidator,
     R"({"network":"custom","validatorConfig":{"quorumSet":"[QUORUM_SET]\nVALIDATORS=[\"GCGB2S2KGYARPVIA37HYZXVRM2YZUEXA6S33ZU5BUDC6THSB62LZSTYH\"]"}})",
     "spec.customNetworkPassphrase",                                                                                                                                                                                              "a custom network needs a passphrase",
     "Set customNetworkPassphrase"                                                                                                                                                                                                                                                                           },
    {kValidator, R"({"customNetworkPassphrase":"x"})",                                                                                                    "spec.customNetworkPassphrase",
     "only a custom network",                                                                                                                                                                                                                                                 "set network to custom"        },
    {kValidator, R"({"validatorConfig":null})",                                                                                                           "spec.validatorConfig",
     "is required for nodeType Validator",                                                                                                                                                                                                                                    "Add the block validatorConfig"},
    {kHorizon,   R"({"horizonConfig":null})",                                                                                                             "spec.horizonConfig",
     "is required for nodeType Horizon",                                                                                                                                                                                                                                      "Add the block horizonConfig"  },
    {kRpc,       R"({"sorobanConfig":null})",                                                                                                             "spec.sorobanConfig",                                                   "is required for nodeType SorobanRpc",
     "Add the block sorobanConfig"                                                                                                                                                                                                                                                                           },
    {kValidator, R"({"replicas":2})",                                                                                                                     "spec.replicas",                                                        "exactly one replica",                      "Set replicas to 1"            },
    {kValidator, R"({"autoscaling":{"maxReplicas":2}})",                                                                                                  "spec.autoscaling",
     "is not possible on a Validator",                                                                                                                                                                                                                                        "Remove it"                    },
    {kValidator, R"({"ingress":{"hosts":[{"host":"a.example"}]}})",                                                                                       "spec.ingress",
     "is not possible on a Validator",                                                                                                                                                                                                                                        "Remove it"                    },
    {kValidator, R"({"minAvailable":1})",                                                                                                                 "spec.minAvailable",                                                    "is not possible on a Validator",
     "Remove it"                                                                                                                                                                                                                                                                                             },
    {kValidator, R"({"maxUnavailable":1})",                                                                                                               "spec.maxUnavailable",                                                  "is not possible on a Validator",
     "Remove it"                                                                                                                                                                                                                                                                                             },
    {kHorizon,   R"({"minAvailable":1,"maxUnavailable":"50%"})",                                                                                          "spec.maxUnavailable",
     "only one of minAvailable and maxUnavailable",                                                                                                                                                                                                                           "Keep one"                     },
    {kHorizon,   R"({"minAvailable":"many"})",                                                                                                            "spec.minAvailable",
     "is neither a number nor a percentage",                                                                                                                                                                                                                                  "Write 1"                      },
    {kValidator, R"({"storage":{"mode":"Local"}})",                                                                                                       "spec.storage.storageClass",
     "mode Local needs a class or a node",                                                                                                                                                                                                                                    "pin the node"                 },
    {kValidator, R"({"storage":{"snapshotRef":{}}})",                                                                                                     "spec.storage.snapshotRef",                                             "exactly one of",
     "Keep one"                                                                                                                                                                                                                                                                                              },
    {kValidator, R"({"storage":{"snapshotRef":{"volumeSnapshotName":"a","backupUrl":"b"}}})",
     "spec.storage.snapshotRef",                                                                                                                                                                                                  "exactly one of",                           "Keep one"                     },
    {kValidator, R"({"volumes":[{"name":""}]})",                                                                                                          "spec.volumes[0].name",                                                 "is empty",
     "Give it a name"                                                                                                                                                                                                                                                                                        },
    {kValidator, R"({"volumes":[{"name":"a"},{"name":"a"}]})",                                                                                            "spec.volumes[1].name",
     "is there already",                                                                                                                                                                                                                                                      "a name of its own"            },
    {kValidator, R"({"volumes":[{"name":"data"}]})",                                                                                                      "spec.volumes[0].name",
     "is a name of the operator's own",                                                                                                                                                                                                                                       "another name"                 },
    {kValidator, R"({"volumeMounts":[{"name":"a"}]})",                                                                                                    "spec.volumeMounts",
     "is not among spec.volumes",                                                                                                                                                                                                                                             "Declare the volume"           },
    {kValidator, R"({"volumeMounts":[{"mountPath":"/a"}]})",                                                                                              "spec.volumeMounts[0].name",
     "is empty",                                                                                                                                                                                                                                                              "Give it a name"               },
    {kValidator, R"({"validatorConfig":{"enableHistoryArchive":true}})",
     "spec.validatorConfig.historyArchiveUrls",                                                                                                                                                                                   "at least one URL",                         "Add a URL"                    },
    {kValidator, R"({"validatorConfig":{"historyArchiveUrls":["not a url"]}})",
     "spec.validatorConfig.historyArchiveUrls[0]",                                                                                                                                                                                "is not the URL of a history archive",
     "https://host/path"                                                                                                                                                                                                                                                                                     },
    {kValidator, R"({"validatorConfig":{"seedSecretRef":null}})",
     "spec.validatorConfig.seedSecretSource",                                                                                                                                                                                     "exactly one source",                       "Set seedSecretRef"            },
    {kValidator, R"({"validatorConfig":{"seedSecretSource":{"localRef":{"name":"a","key":"b"}}}})",
     "spec.validatorConfig.seedSecretSource",                                                                                                                                                                                     "exactly one source",                       "Set seedSecretRef"            },
    {kValidator,
     R"({"validatorConfig":{"seedSecretRef":null,"seedSecretSource":{
         "localRef":{"name":"a","key":"b"},"csiRef":{"secretProviderClass":"c"}}}})",                                                                                    "spec.validatorConfig.seedSecretSource",                                "exactly one source",                       "Set seedSecretRef"            },
    {kValidator, R"({"validatorConfig":{"seedSecretRef":null,"keySource":"KMS"}})",
     "spec.validatorConfig.kmsConfig",                                                                                                                                                                                            "is required with keySource KMS",           "Add the block kmsConfig"      },
    {kValidator,
     R"({"validatorConfig":{"keySource":"KMS","kmsConfig":{"keyId":"k","fetcherImage":"i"}}})",                                                           "spec.validatorConfig.keySource",                                       "cannot come from a KMS and from a Secret", "Remove"                       },
    {kValidator, R"({"validatorConfig":{"quorumSet":"[NONSENSE]"}})",
     "spec.validatorConfig.quorumSet",                                                                                                                                                                                            "NONSENSE",                                 "Write QUORUM_SET"             },
    {kValidator, R"({"network":"custom","customNetworkPassphrase":"x"})",
     "spec.validatorConfig.quorumSet",                                                                                                                                                                                            "nobody knows whom to trust",               "Name its validators"          },
    {kValidator, R"({"validatorConfig":{"knownPeers":"KNOWN_PEERS = 3"}})",
     "spec.validatorConfig.knownPeers",                                                                                                                                                                                           "",                                         "host:port"                    },
    {kHorizon,   R"({"horizonConfig":{"stellarCoreUrl":"core:11626"}})",
     "spec.horizonConfig.stellarCoreUrl",                                                                                                                                                                                         "is not the URL of an HTTP server",         "http://host:port"             },
    {kHorizon,   R"({"network":"custom","customNetworkPassphrase":"x"})",
     "spec.horizonConfig.enableIngest",                                                                                                                                                                                           "nobody knows the archives",                "Set enableIngest to false"    },
    {kRpc,       R"({"sorobanConfig":{"stellarCoreUrl":"ftp://core"}})",
     "spec.sorobanConfig.stellarCoreUrl",                                                                                                                                                                                         "is not the URL of an HTTP server",         "http://host:port"             },
    {kRpc,       R"({"network":"custom","customNetworkPassphrase":"x"})",
     "spec.sorobanConfig.captiveCoreStructuredConfig",                                                                                                                                                                            "nobody knows the archives",
     "Add the block"                                                                                                                                                                                                                                                                                         },
    {kRpc,
     R"({"sorobanConfig":{"captiveCoreStructuredConfig":{"historyArchiveUrls":["nowhere"]}}})",                                                           "spec.sorobanConfig.captiveCoreStructuredConfig.historyArchiveUrls[0]",
     "is not the URL of a history archive",                                                                                                                                                                                                                                   "https://host/path"            },
    {kRpc,       R"({"sorobanConfig":{"captiveCoreStructuredConfig":{"historyArchiveUrls":[]}}})",
     "spec.sorobanConfig.captiveCoreStructuredConfig.historyArchiveUrls",                                                                                                                                                         "",                                         ""                             },
    {kValidator,
     R"({"resources":{"requests":{"cpu":"3","memory":"1Gi"},"limits":{"cpu":"2","memory":"1Gi"}}})",                                                      "spec.resources.requests.cpu",                                          "must not be more than the limit 2",        "raise the limit"              },
    {kHorizon,   R"({"autoscaling":{"minReplicas":0,"maxReplicas":2}})",
     "spec.autoscaling.minReplicas",                                                                                                                                                                                              "must be greater than or equal to 1",       ""                             },
    {kHorizon,   R"({"autoscaling":{"minReplicas":3,"maxReplicas":2}})",
     "spec.autoscaling.maxReplicas",                                                                                                                                                                                              "must not be less than minReplicas",        "Raise maxReplicas"            },
    {kHorizon,   R"({"ingress":{"hosts":[]}})",                                                                                                           "spec.ingress.hosts",                                                   "",                                         ""                             },
    {kHorizon,   R"({"ingress":{"hosts":[{"host":""}]}})",                                                                                                "spec.ingress.hosts[0].host",                                           "",                                         ""                             },
    {kHorizon,   R"({"ingress":{"hosts":[{"host":"a","paths":[{"path":""}]}]}})",
     "spec.ingress.hosts[0].paths[0].path",                                                                                                                                                                                       "",                                         ""                             },
    {kHorizon,   R"({"ingress":{"hosts":[{"host":"a","paths":[{"pathType":"Regex"}]}]}})",
     "spec.ingress.hosts[0].paths[0].pathType",                                                                                                                                                                                   "",                                         ""                             },
    {kHorizon,   R"({"ingress":{"hosts":[{"host":"a"}],"rateLimit":{"connections":0}}})",
     "spec.ingress.rateLimit.connections",                                                                                                                                                                                        "",                                         ""                             },
    {kValidator, R"({"serviceMesh":{"istio":{},"linkerd":{}}})",                                                                                          "spec.serviceMesh",
     "Istio and Linkerd exclude each other",                                                                                                                                                                                                                                  "Keep one"                     },
    {kValidator, R"({"serviceMesh":{"istio":{"circuitBreaker":{"consecutiveErrors":0}}}})",
     "spec.serviceMesh.istio.circuitBreaker.consecutiveErrors",                                                                                                                                                                   "must be greater than 0",
     "Set to a value >= 1, typically 5-10 for most use cases"                                                                                                                                                                                                                                                },
    {kValidator, R"({"serviceMesh":{"istio":{"circuitBreaker":{"timeWindowSecs":0}}}})",
     "spec.serviceMesh.istio.circuitBreaker.timeWindowSecs",                                                                                                                                                                      "must be greater than 0",
     "Set to a time window in seconds"                                                                                                                                                                                                                                                                       },
    {kValidator, R"({"serviceMesh":{"istio":{"retries":{"maxRetries":0}}}})",
     "spec.serviceMesh.istio.retries.maxRetries",                                                                                                                                                                                 "must be greater than 0",                   "remove the retries"           },
    {kValidator, R"({"serviceMesh":{"istio":{"timeoutSecs":0}}})",
     "spec.serviceMesh.istio.timeoutSecs",                                                                                                                                                                                        "must be greater than 0",                   "seconds >= 1"                 },
    {kValidator, R"({"serviceMesh":{"istio":{"circuitBreaker":{"timeWindowSecs":100000}}}})",
     "spec.serviceMesh.istio.circuitBreaker.timeWindowSecs",                                                                                                                                                                      "",                                         ""                             },
    {kValidator, R"({"serviceMesh":{"linkerd":{"policyMode":"maybe"}}})",
     "spec.serviceMesh.linkerd.policyMode",                                                                                                                                                                                       "",                                         ""                             },
    {kValidator, R"({"probes":{"liveness":{"periodSeconds":0}}})",
     "spec.probes.liveness.periodSeconds",                                                                                                                                                                                        "",                                         ""                             },
    {kValidator, R"({"probes":{"startup":{"initialDelaySeconds":-1}}})",
     "spec.probes.startup.initialDelaySeconds",                                                                                                                                                                                   "",                                         ""                             },
    {kValidator, R"({"priorityClassName":""})",                                                                                                           "spec.priorityClassName",                                               "",                                         ""                             },
    {kValidator, R"({"storage":{"size":"lots"}})",                                                                                                        "spec.storage.size",                                                    "",                                         ""                             },
};

TEST(StellarCheck, FindsNothingInAGoodSpec) {
  for (const auto spec : {kValidator, kHorizon, kRpc}) {
    const auto errors = errors_of(spec);
    EXPECT_TRUE(errors.empty()) << errors.front().to_string();
  }
}

void expect_row(const Row& row) {
  SCOPED_TRACE(row.change);
  const auto errors = errors_of(row.of, row.change);
  EXPECT_EQ(errors.size(), 1U) << explain(errors);
  if (errors.empty()) return;
  EXPECT_EQ(errors[0].field, row.field);
  EXPECT_THAT(errors[0].to_string(), HasSubstr(std::string{row.message}));
  EXPECT_THAT(errors[0].detail, HasSubstr(std::string{row.how_to_fix}));
}

TEST(StellarCheck, NamesFieldProblemAndWayOutOfEveryRule) {
  for (const auto& row : kRows) expect_row(row);
}

TEST(StellarCheck, TriesAVersionOnlyWhereThatIsPossible) {
  for (const auto& row : std::vector<Row>{
           {kHorizon,   R"({"replicas":2,"strategy":{"type":"blueGreen"}})", "spec.strategy.type",
            "no blue-green",                                                                                             "Use type canary"},
           {kHorizon,   R"({"strategy":{"type":"canary"}})",                 "spec.strategy.type",
            "volume of a single pod",                                                                                    "replicas to 2"  },
           {kHorizon,   R"({"strategy":{"canary":{}}})",                     "spec.strategy.canary", "only type canary",
            "remove it"                                                                                                                   },
           {kValidator, R"({"strategy":{"type":"canary"}})",                 "spec.strategy",
            "not possible on a Validator",                                                                               "Remove it"      },
  }) {
    expect_row(row);
  }
  EXPECT_TRUE(errors_of(kHorizon, R"({"replicas":2,"strategy":{"type":"canary"}})").empty());
}

// What nobody would do anything with is refused, not taken and forgotten.
TEST(StellarCheck, RefusesWhatItWouldIgnore) {
  for (const auto& row : std::vector<Row>{
           {kValidator, R"({"validatorConfig":{"hsmConfig":{"provider":"x"}}})",
            "spec.validatorConfig.hsmConfig",                                                                                 "no hardware module",  "csiRef or vaultRef" },
           {kValidator, R"({"validatorConfig":{"vlSource":"https://a"}})",
            "spec.validatorConfig.vlSource",                                                                                  "no validator lists",  "quorumSet"          },
           {kValidator, R"({"validatorConfig":{"quorumOptimization":{"enabled":true}}})",
            "spec.validatorConfig.quorumOptimization",                                                                        "by itself",           "quorumSet"          },
           {kValidator, R"({"validatorConfig":{"kmsConfig":{"keyId":"k","fetcherImage":"i"}}})",
            "spec.validatorConfig.kmsConfig",                                                                                 "only keySource KMS",  "remove kmsConfig"   },
           {kHorizon,   R"({"horizonConfig":{"ingestWorkers":2}})",
            "spec.horizonConfig.ingestWorkers",                                                                               "one worker",          "reingest"           },
           {kHorizon,   R"({"horizonConfig":{"enableExperimentalIngestion":true}})",
            "spec.horizonConfig.enableExperimentalIngestion",                                                                 "no experimental one", "Remove it"          },
           {kHorizon,   R"({"database":{"host":"h","database":"d"}})",                                "spec.database",
            "only a Validator",                                                                                                                      "databaseSecretRef"  },
           {kHorizon,   R"({"stellarCoreEnv":[{"name":"A","value":"1"}]})",                           "spec.stellarCoreEnv",
            "another nodeType",                                                                                                                      "Remove it"          },
           {kHorizon,   R"({"validatorConfig":{"seedSecretRef":"s"}})",                               "spec.validatorConfig",
            "another nodeType",                                                                                                                      "Remove it"          },
           {kValidator, R"({"horizonEnv":[{"name":"A","value":"1"}]})",                               "spec.horizonEnv",
            "another nodeType",                                                                                                                      "Remove it"          },
           {kValidator, R"({"database":{"host":"h","database":"d","passwordSecret":"p",
              "secretKeyRef":{"name":"s","key":"k"}}})",
            "spec.database.secretKeyRef",                                                                                     "given twice",         "Keep one"           },
           {kValidator, R"({"nodeAffinity":{"a":1},"storage":{"nodeAffinity":{"a":1}}})",
            "spec.storage.nodeAffinity",                                                                                      "chosen twice",        "Keep one"           },
           {kValidator, R"({"storage":{"snapshotRef":{"volumeSnapshotName":"s",
              "volumeSnapshotNamespace":"n"}}})",
            "spec.storage.snapshotRef.volumeSnapshotNamespace",                                                               "its own namespace",   "Copy"               },
           {kValidator, R"({"storage":{"snapshotRef":{"backupUrl":"s3://b"}}})",
            "spec.storage.snapshotRef.restoreImage",                                                                          "needs an image",      "BACKUP_URL"         },
           {kValidator, R"({"storage":{"snapshotRef":{"backupUrl":"monday","restoreImage":"i"}}})",
            "spec.storage.snapshotRef.backupUrl",                                                                             "is not the URL",      "s3://bucket/path"   },
           {kValidator, R"({"storage":{"snapshotRef":{"volumeSnapshotName":"s",
              "restoreImage":"i"}}})",
            "spec.storage.snapshotRef.restoreImage",                                                                          "belongs to a backup", "Set backupUrl"      },
           {kRpc,       R"({"sorobanConfig":{"enablePreflight":false}})",
            "spec.sorobanConfig.enablePreflight",                                                                             "cannot be told",      "simulateTransaction"},
           {kRpc,       R"({"sorobanConfig":{"cacheConfig":{"size":1}}})",
            "spec.sorobanConfig.cacheConfig",                                                                                 "no cache",            "resources"          },
           {kRpc,       R"({"sorobanConfig":{"captiveCoreConfig":"#","captiveCoreStructuredConfig":{
              "historyArchiveUrls":["https://a.example"]}}})",
            "spec.sorobanConfig.captiveCoreConfig",                                                                           "described twice",     "Keep"               },
           {kValidator, R"({"serviceMesh":{"istio":{"jwtRules":[{"issuer":"i"}]}}})",
            "spec.serviceMesh.istio.jwtRules",                                                                                "send no tokens",      "Remove jwtRules"    },
           {kRpc,       R"({"serviceMesh":{"linkerd":{"autoMtls":false}}})",
            "spec.serviceMesh.linkerd.autoMtls",                                                                              "always encrypts",     "Leave it true"      },
  }) {
    expect_row(row);
  }
}

TEST(StellarCheck, FindsEverythingAtOnce) {
  const auto errors = errors_of(kValidator, R"({"replicas":3,"minAvailable":1,
      "serviceMesh":{"istio":{"timeoutSecs":0,"circuitBreaker":{"consecutiveErrors":0}}}})");

  EXPECT_EQ(errors.size(), 4U);
}

TEST(StellarCheck, ExplainsAsPeopleRead) {
  const auto errors = errors_of(
      kValidator, R"({"serviceMesh":{"istio":{"circuitBreaker":{"consecutiveErrors":0}}}})");

  EXPECT_EQ(explain(errors),
            "Spec validation failed with the following issues:\n"
            "- Field `spec.serviceMesh.istio.circuitBreaker.consecutiveErrors`: Invalid value: 0: "
            "must be greater than 0\n"
            "  How to fix: Set to a value >= 1, typically 5-10 for most use cases");
}

}  // namespace
}  // namespace fixpoint::operators::stellar
