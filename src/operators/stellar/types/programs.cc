// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/types/programs.h"

#include "operators/stellar/types/advice.h"
#include "operators/stellar/types/texts.h"

namespace fixpoint::operators::stellar {

using types::describe;
using types::Limits;

namespace {

// A quorum set of a thousand nodes fits.
constexpr std::size_t kTomlLengthMax = 131'072;

Limits nonempty_name() {
  return {.min_length = 1, .max_length = kNameLengthMax};
}
Limits needed_name() {
  return {.required = true, .min_length = 1, .max_length = kNameLengthMax};
}
Limits needed_url(std::string example) {
  return {.required = true,
          .min_length = 1,
          .max_length = kUrlLengthMax,
          .example = std::move(example),
          .rules = {http_url()}};
}
Limits archives() {
  return {.max_items = 32,
          .items = {{.min_length = 1, .max_length = kUrlLengthMax, .rules = {archive_url()}}}};
}
Limits needed_archives() {
  auto limits = archives();
  limits.required = true;
  limits.min_items = 1;
  return limits;
}

Limits refused() {
  return {.holds = types::Holds::Object};
}
// A field that is known only to be refused: who writes it learns what to do instead.
types::Rule never(const std::string& field, const Advice& advice) {
  return {.rule = "!has(self." + field + ")",
          .message = advice.text(),
          .field_path = "." + field,
          .reason = "FieldValueForbidden"};
}

std::vector<types::Rule> validator_rules() {
  const std::string of_kms = "self.keySource == 'KMS'";
  return {
      {.rule = "!self.enableHistoryArchive || (has(self.historyArchiveUrls) && "
               "self.historyArchiveUrls.size() > 0)", .message = advice::kArchiveUrls.text(),
       .field_path = ".historyArchiveUrls"},
      {.rule = of_kms + " || has(self.seedSecretRef) != has(self.seedSecretSource)",
       .message = advice::kSeedSource.text(),
       .field_path = ".seedSecretSource"},
      {.rule = "!(" + of_kms + ") || has(self.kmsConfig)",
       .message = advice::kKmsBlock.text(),
       .field_path = ".kmsConfig"},
      {.rule = of_kms + " || !has(self.kmsConfig)",
       .message = advice::kKmsUnasked.text(),
       .field_path = ".kmsConfig",
       .reason = "FieldValueForbidden"},
      {.rule = "!(" + of_kms + ") || !(has(self.seedSecretRef) || has(self.seedSecretSource))",
       .message = advice::kKmsAndSecret.text(),
       .field_path = ".keySource",
       .reason = "FieldValueForbidden"},
      never("hsmConfig", advice::kNoHardwareModule),
      never("vlSource", advice::kNoValidatorList),
      never("quorumOptimization", advice::kNoQuorumOptimization),
  };
}

}  // namespace

std::span<const std::string_view> enum_names(KeySource) {
  static constexpr std::string_view kNames[]{"Secret", "KMS"};
  return kNames;
}

types::Table ExternalReference::table() {
  return describe<ExternalReference>(
      "A Secret that the External Secrets operator keeps filled.",
      {
          {"name", &ExternalReference::name, "Of the ExternalSecret.",   needed_name()  },
          {"key",  &ExternalReference::key,  "The entry with the seed.", nonempty_name()},
  });
}

types::Table CsiReference::table() {
  return describe<CsiReference>(
      "A seed that never is a Kubernetes Secret: a Secrets Store CSI driver mounts it.",
      {
          {"secretProviderClass", &CsiReference::secret_provider_class,
           "The SecretProviderClass that knows it.",                                               needed_name()  },
          {"file",                &CsiReference::file,                  "The file with the seed.", nonempty_name()},
  });
}

types::Table VaultReference::table() {
  return describe<VaultReference>(
      "A seed that never is a Kubernetes Secret: Vault's agent writes it into the pod.",
      {
          {"role", &VaultReference::role, "Vault's role of the pod.", needed_name()  },
          {"path", &VaultReference::path, "Where Vault keeps it.",    needed_name()  },
          {"key",  &VaultReference::key,  "The entry with the seed.", nonempty_name()},
  });
}

types::Table SeedSource::table() {
  return describe<SeedSource>(
      "Where the seed of a validator comes from: exactly one of these.",
      {
          {"localRef",    &SeedSource::local_ref,    "An entry of a Secret."                },
          {"externalRef", &SeedSource::external_ref, "A Secret that External Secrets fills."},
          {"csiRef",      &SeedSource::csi_ref,      "A file of a Secrets Store CSI driver."},
          {"vaultRef",    &SeedSource::vault_ref,    "A file of Vault's agent."             },
  },
      {{.rule = "[has(self.localRef), has(self.externalRef), has(self.csiRef), has(self.vaultRef)]"
                ".filter(given, given).size() == 1",
        .message = advice::kSeedSource.text()}});
}

types::Table KmsConfig::table() {
  return describe<KmsConfig>(
      "A seed that a key management service holds.",
      {
          {"keyId",        &KmsConfig::key_id,        "Of the key.",                needed_name()  },
          {"provider",     &KmsConfig::provider,      "Of the service.",            nonempty_name()},
          {"region",       &KmsConfig::region,        "Where it runs.",             nonempty_name()},
          {"fetcherImage", &KmsConfig::fetcher_image, "The image that fetches it.", needed_name()  },
  });
}

types::Table ValidatorConfig::table() {
  return describe<ValidatorConfig>(
      "What a Validator needs to know.",
      {
          {"seedSecretRef",
           &ValidatorConfig::seed_secret_ref,
           "The Secret whose entry STELLAR_CORE_SEED is the seed.", {.min_length = 1, .max_length = kNameLengthMax, .example = "validator-seed"}},
          {"seedSecretSource", &ValidatorConfig::seed_secret_source,
           "Where the seed comes from, instead of seedSecretRef."},
          {"quorumSet",
           &ValidatorConfig::quorum_set,
           "Whom it trusts, as stellar-core's configuration says it (TOML: QUORUM_SET, or "
           "HOME_DOMAINS and VALIDATORS); the network's usual validators if not given.", {.max_length = kTomlLengthMax}},
          {"knownPeers",
           &ValidatorConfig::known_peers,
           "Peers to connect to (TOML: an array of host:port, or KNOWN_PEERS = […]).", {.max_length = kTomlLengthMax}},
          {"enableHistoryArchive", &ValidatorConfig::enable_history_archive,
           "Whether to read history from historyArchiveUrls, and to wait for one of them."},
          {"historyArchiveUrls", &ValidatorConfig::history_archive_urls,
           "Where history is read from.", archives()},
          {"catchupComplete", &ValidatorConfig::catchup_complete,
           "Whether all of history is replayed, whatever historyMode says."},
          {"keySource", &ValidatorConfig::key_source, "Who holds the seed."},
          {"kmsConfig", &ValidatorConfig::kms_config,
           "With keySource KMS: an init container of fetcherImage writes the seed to the file that "
           "SEED_FILE names."},
          {"homeDomain",
           &ValidatorConfig::home_domain,
           "The domain whose stellar.toml names this validator.", {.max_length = kNameLengthMax}},
          {"externalDns", &ValidatorConfig::external_dns,
           "The name that peers find it by: annotations of its Service, which ExternalDNS reads."},
          {"hsmConfig", &ValidatorConfig::hsm_config, "Not possible here.", refused()},
          {"vlSource",
           &ValidatorConfig::vl_source,
           "Not possible here.", {.max_length = kUrlLengthMax}},
          {"quorumOptimization", &ValidatorConfig::quorum_optimization, "Not possible here.",
           refused()},
  },
      validator_rules());
}

types::Table HorizonConfig::table() {
  return describe<HorizonConfig>(
      "What Horizon needs to know.",
      {
          {"databaseSecretRef",
           &HorizonConfig::database_secret_ref,
           "The Secret whose entry DATABASE_URL says where PostgreSQL is.", {.required = true,
            .min_length = 1,
            .max_length = kNameLengthMax,
            .example = "horizon-database"}},
          {"stellarCoreUrl", &HorizonConfig::stellar_core_url,
           "Where transactions are submitted: the HTTP port of a stellar-core.", needed_url("http://validator:11626")},
          {"enableIngest", &HorizonConfig::enable_ingest, "Whether these pods ingest ledgers."},
          {"ingestWorkers",
           &HorizonConfig::ingest_workers,
           "Always 1: Horizon has no more.", {.rules = {{.rule = "self == 1", .message = advice::kOneIngestWorker.text()}}}},
          {"enableExperimentalIngestion",
           &HorizonConfig::enable_experimental_ingestion,
           "Always false: Horizon has no such thing any more.", {.rules = {{.rule = "!self", .message = advice::kNotExperimental.text()}}}},
          {"autoMigration", &HorizonConfig::auto_migration,
           "Whether the database is migrated when Horizon starts."},
  });
}

types::Table CaptiveCore::table() {
  return describe<CaptiveCore>(
      "The stellar-core that an RPC node runs for itself.",
      {
          {"networkPassphrase",
           &CaptiveCore::network_passphrase,
           "The network's, if not given.",                                                          {.max_length = 256}                                                },
          {"historyArchiveUrls", &CaptiveCore::history_archive_urls, "Where history is read from.",
           needed_archives()                                                                                                                                           },
          {"peerPort",
           &CaptiveCore::peer_port,
           "Where its peers connect.",                                                              {.minimum = 1, .maximum = 65'535}                                  },
          {"httpPort",
           &CaptiveCore::http_port,
           "Where it answers.",                                                                     {.minimum = 1, .maximum = 65'535}                                  },
          {"logLevel",
           &CaptiveCore::log_level,
           "How much the RPC node says.",                                                           {.one_of = {"trace", "debug", "info", "warning", "error", "fatal"}}},
          {"additionalConfig",
           &CaptiveCore::additional_config,
           "Whom it trusts, as validatorConfig.quorumSet says it; the network's usual validators "
           "if not given.",                                                                         {.max_length = kTomlLengthMax}                                     },
  });
}

types::Table SorobanConfig::table() {
  return describe<SorobanConfig>(
      "What an RPC node needs to know.",
      {
          {"stellarCoreUrl", &SorobanConfig::stellar_core_url,
           "Where transactions are submitted: the HTTP port of a stellar-core.", needed_url("http://validator:11626")},
          {"captiveCoreConfig",
           &SorobanConfig::captive_core_config,
           "The whole captive-core.cfg; use captiveCoreStructuredConfig instead.", {.max_length = kTomlLengthMax}},
          {"captiveCoreStructuredConfig", &SorobanConfig::captive_core_structured_config,
           "The stellar-core that it runs for itself."},
          {"enablePreflight",
           &SorobanConfig::enable_preflight,
           "Always true: transactions can be simulated.", {.rules = {{.rule = "self", .message = advice::kAlwaysSimulates.text()}}}},
          {"maxEventsPerRequest",
           &SorobanConfig::max_events_per_request,
           "How many events one answer has at most.", {.minimum = 1, .maximum = 1'000'000}},
          {"cacheConfig", &SorobanConfig::cache_config, "Not possible here.", refused()},
  },
      {{.rule = "!(has(self.captiveCoreConfig) && has(self.captiveCoreStructuredConfig))",
        .message = advice::kOneCaptiveCore.text(),
        .field_path = ".captiveCoreConfig",
        .reason = "FieldValueForbidden"},
       never("cacheConfig", advice::kNoCache)});
}

}  // namespace fixpoint::operators::stellar
