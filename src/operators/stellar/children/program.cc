// SPDX-License-Identifier: Apache-2.0
//
// stellar-core, Horizon and RPC as containers.
#include "operators/stellar/children/pod.h"
#include "operators/stellar/configuration/settings.h"

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

using runtime::list;
using runtime::object;

constexpr std::string_view kCoreImage = "stellar/stellar-core";
constexpr std::string_view kSeedDirectory = "/seed";
constexpr std::string_view kSeedKey = "STELLAR_CORE_SEED";
// In memory: the only place where seed and configuration are one file.
constexpr std::string_view kRunDirectory = "/run/stellar";
constexpr std::string_view kRunFile = "/run/stellar/stellar-core.cfg";
constexpr std::string_view kDatabaseFile = "/opt/stellar/data/stellar.db";
constexpr std::string_view kDatabaseMark = "/opt/stellar/data/new-db-was-here";
constexpr std::string_view kVaultFile = "/vault/secrets/seed";

json::Draft container_port(std::string_view name, std::int64_t number) {
  return object({
      {"containerPort", number},
      {"name",          name  },
      {"protocol",      "TCP" }
  });
}

json::Draft mount(std::string_view name, std::string_view path, bool read_only = false) {
  auto made = object({
      {"name",      name},
      {"mountPath", path}
  });
  if (read_only) made["readOnly"] = true;
  return made;
}

struct Times {
  int delay = 0;
  int period = 10;
  int timeout = 5;
  int failures = 3;
};

json::Draft probe(json::Draft what, std::string_view how, Times times,
                  const std::optional<ProbeTimes>& wanted) {
  const auto given = wanted.value_or(ProbeTimes{});
  return object({
      {how,                   std::move(what)                                  },
      {"initialDelaySeconds", given.initial_delay_seconds.value_or(times.delay)},
      {"periodSeconds",       given.period_seconds.value_or(times.period)      },
      {"timeoutSeconds",      given.timeout_seconds.value_or(times.timeout)    },
      {"successThreshold",    given.success_threshold.value_or(1)              },
      {"failureThreshold",    given.failure_threshold.value_or(times.failures) }
  });
}

json::Draft tcp(std::string_view port_name) {
  return object({
      {"port", port_name}
  });
}

// A port that is open is a process that lives. Whether it is up to date is no question of life:
// catching up may take days.
json::Draft tcp_probes(const Spec& spec, std::string_view port_name) {
  const auto wanted = spec.probes.value_or(ProbeOverrides{});
  return object({
      {"livenessProbe",
       probe(tcp(port_name),                   "tcpSocket", {.delay = 30, .period = 15},  wanted.liveness) },
      {"readinessProbe", probe(tcp(port_name), "tcpSocket", {.delay = 5},                 wanted.readiness)},
      {"startupProbe",
       probe(tcp(port_name),                   "tcpSocket", {.delay = 5, .failures = 30}, wanted.startup)  },
  });
}

json::Draft secret_volume(std::string_view secret, std::string_view key) {
  return object({
      {"name",   "seed"                                                                                 },
      {"secret", object({{"secretName", secret},
                         {"defaultMode", 0440},
                         {"items", list({object({{"key", key}, {"path", kSeedKey}})})}})}
  });
}

// Where the seed is in the pod, with what it takes to have it there.
std::string add_seed(Program& program, const Node& node, const ValidatorConfig& validator) {
  const auto in_seed_volume = [&](json::Draft volume) {
    program.volumes.push_back(std::move(volume));
    return fmt::format("{}/{}", kSeedDirectory, kSeedKey);
  };
  if (validator.key_source == KeySource::Kms && validator.kms_config) {
    const auto& kms = *validator.kms_config;
    auto file = in_seed_volume(object({
        {"name",     "seed"                        },
        {"emptyDir", object({{"medium", "Memory"}})}
    }));
    const auto variable = [](std::string_view name, std::string_view value) {
      return object({
          {"name",  name },
          {"value", value}
      });
    };
    program.init_containers.push_back(object({
        {"name",            "fetch-seed"                                                              },
        {"image",           kms.fetcher_image                                                         },
        {"env",             list({variable("KMS_KEY_ID", kms.key_id), variable("KMS_PROVIDER", kms.provider),
                      variable("KMS_REGION", kms.region), variable("SEED_FILE", file)})},
        {"securityContext", container_security()                                                      },
        {"volumeMounts",    list({mount("seed", kSeedDirectory), mount("tmp", "/tmp")})               }
    }));
    return file;
  }
  if (!validator.seed_secret_source) {
    return in_seed_volume(secret_volume(validator.seed_secret_ref, kSeedKey));
  }
  const auto& source = *validator.seed_secret_source;
  if (source.local_ref) {
    return in_seed_volume(secret_volume(source.local_ref->name, source.local_ref->key));
  }
  if (source.external_ref) {
    return in_seed_volume(secret_volume(node.key.name + "-seed", source.external_ref->key));
  }
  if (source.csi_ref) {
    in_seed_volume(object({
        {"name", "seed"                                                                      },
        {"csi",
         object({{"driver", "secrets-store.csi.k8s.io"},
                 {"readOnly", true},
                 {"volumeAttributes",
                  object({{"secretProviderClass", source.csi_ref->secret_provider_class}})}})}
    }));
    return fmt::format("{}/{}", kSeedDirectory, source.csi_ref->file);
  }
  const auto vault = source.vault_ref.value_or(VaultReference{});
  program.annotations["vault.hashicorp.com/agent-inject"] = "true";
  program.annotations["vault.hashicorp.com/agent-init-first"] = "true";
  program.annotations["vault.hashicorp.com/role"] = vault.role;
  program.annotations["vault.hashicorp.com/agent-inject-secret-seed"] = vault.path;
  program.annotations["vault.hashicorp.com/agent-inject-template-seed"] =
      fmt::format("{{{{- with secret \"{}\" -}}}}{{{{ index .Data.data \"{}\" }}}}{{{{- end -}}}}",
                  vault.path, vault.key);
  return std::string{kVaultFile};
}

json::Draft init_container(std::string_view name, const Spec& spec,
                           const std::vector<std::string>& command, json::Draft mounts) {
  auto words = json::Draft::array();
  for (const auto& word : command) words.push_back(word);
  return object({
      {"name", name},
      {"image", image_of(kCoreImage, spec.version)},
      {"command", std::move(words)},
      {"securityContext", container_security()},
      {"volumeMounts", std::move(mounts)}
  });
}

// The library by which core reaches PostgreSQL takes the password from here: no file has it.
json::Draft core_variables(const Spec& spec) {
  auto all = json::Draft::array();
  if (const auto& database = spec.database) {
    const auto& entry = database->secret_key_ref;
    const auto secret = entry ? entry->name : database->password_secret;
    if (!secret.empty()) {
      all.push_back(object({
          {"name",      "PGPASSWORD"                                                       },
          {"valueFrom",
           object({{"secretKeyRef",
                    object({{"name", secret}, {"key", entry ? entry->key : "password"}})}})}
      }));
    }
  }
  for (const auto& variable : spec.stellar_core_env) all.push_back(variable);
  return all;
}

Program validator_program(const Node& node) {
  const auto& validator = node.spec.validator_config.value_or(ValidatorConfig{});
  Program program{.image = kCoreImage, .data_directory = "/opt/stellar/data"};
  program.arguments = list({"run", "--conf", kRunFile});
  program.environment = core_variables(node.spec);
  program.ports = list({container_port("peer", kPeerPort), container_port("http", kCoreHttpPort)});
  program.probes = tcp_probes(node.spec, "peer");
  program.mounts = list({mount("run", kRunDirectory)});
  program.volumes = list({
      object({{"name", "run"}, {"emptyDir", object({{"medium", "Memory"}})}}
      )
  });
  const auto seed = add_seed(program, node, validator);
  auto mounts = list(
      {mount("config", kConfigDirectory, true), mount("run", kRunDirectory), mount("tmp", "/tmp")});
  if (seed.starts_with(kSeedDirectory)) mounts.push_back(mount("seed", kSeedDirectory, true));
  program.init_containers.push_back(init_container(
      "configure", node.spec,
      seed_command({.seed = seed,
                    .configuration = fmt::format("{}/stellar-core.cfg", kConfigDirectory),
                    .output = std::string{kRunFile}}),
      std::move(mounts)));
  // A database elsewhere is of no use without the buckets of its volume, so that an empty volume
  // wants a new one there too.
  auto new_database = init_container(
      "new-database", node.spec,
      new_database_command(node.spec.database ? kDatabaseMark : kDatabaseFile, kRunFile),
      list({mount("data", program.data_directory), mount("run", kRunDirectory),
            mount("tmp", "/tmp")}));
  if (node.spec.database) new_database["env"] = core_variables(node.spec);
  program.init_containers.push_back(std::move(new_database));
  return program;
}

// Horizon's settings are variables; their values have one home, the ConfigMap.
json::Draft horizon_variables(const Node& node, const Surroundings& around) {
  const auto& horizon = node.spec.horizon_config.value_or(HorizonConfig{});
  auto all = list({
      object({{"name", "DATABASE_URL"},
              {"valueFrom", object({{"secretKeyRef", object({{"name", horizon.database_secret_ref},
                                                             {"key", "DATABASE_URL"}})}})}}
      )
  });
  for (const auto& [name, value] : configuration(node, around)) {
    if (name.find('.') != std::string::npos) continue;  // a file
    all.push_back(object({
        {"name",      name                                                                                         },
        {"valueFrom", object({{"configMapKeyRef",
                               object({{"name", node.key.name + "-config"}, {"key", name}})}})}
    }));
  }
  for (const auto& variable : node.spec.horizon_env) all.push_back(variable);
  return all;
}

Program horizon_program(const Node& node, const Surroundings& around) {
  Program program{.image = "stellar/horizon", .data_directory = "/data"};
  program.environment = horizon_variables(node, around);
  program.ports =
      list({container_port("http", kApiPort), container_port("admin", kHorizonAdminPort)});
  program.probes = tcp_probes(node.spec, "http");
  const auto health = object({
      {"path", "/health"},
      {"port", "http"   }
  });
  program.probes["readinessProbe"] = probe(health, "httpGet", {.delay = 10},
                                           node.spec.probes.value_or(ProbeOverrides{}).readiness);
  return program;
}

Program rpc_program(const Node& node) {
  Program program{.image = "stellar/stellar-rpc", .data_directory = "/data"};
  program.arguments = list({"--config-path", "/config/stellar-rpc.toml"});
  program.environment = values(node.spec.horizon_env);
  program.ports = list({container_port("http", kApiPort), container_port("admin", kRpcAdminPort)});
  program.probes = tcp_probes(node.spec, "http");
  return program;
}

}  // namespace

std::string image_of(std::string_view name, std::string_view version) {
  return fmt::format("{}{}{}", name, version.starts_with("sha256:") ? '@' : ':', version);
}

json::Draft container_security() {
  return object({
      {"allowPrivilegeEscalation", false                            },
      {"capabilities",             object({{"drop", list({"ALL"})}})},
      {"readOnlyRootFilesystem",   true                             }
  });
}

Program program_of(const Node& node, const Surroundings& around) {
  switch (node.spec.node_type) {
    case NodeType::Validator: return validator_program(node);
    case NodeType::Horizon: return horizon_program(node, around);
    case NodeType::SorobanRpc: return rpc_program(node);
  }
  return {};
}

}  // namespace fixpoint::operators::stellar
