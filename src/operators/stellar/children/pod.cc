// SPDX-License-Identifier: Apache-2.0
//
// The pod template: what all programs have in common.
#include "operators/stellar/children/pod.h"

#include "base/hash.h"
#include "json/patch/merge_patch.h"

#include <utility>

namespace fixpoint::operators::stellar {
namespace {

using runtime::list;
using runtime::object;

constexpr int kUser = 10000;

struct Amounts {
  std::string_view cpu;
  std::string_view memory;
};
struct Usual {
  Amounts requests;
  Amounts limits;
};

Usual usual_resources(NodeType type) {
  switch (type) {
    case NodeType::Validator:
      return {
          {"500m", "1Gi"},
          {"2",    "4Gi"}
      };
    case NodeType::Horizon:
      return {
          {"250m", "512Mi"},
          {"2",    "4Gi"  }
      };
    case NodeType::SorobanRpc:
      return {
          {"500m", "2Gi"},
          {"4",    "8Gi"}
      };
  }
  return {};
}

struct Amount {
  kube::Quantity request;
  kube::Quantity limit;
};

// A person who gives only one of them means it: what is usual for the other gives way.
Amount settled(const std::optional<kube::Quantity>& request,
               const std::optional<kube::Quantity>& limit, std::string_view usual_request,
               std::string_view usual_limit) {
  Amount amount{request.value_or(*kube::Quantity::parse(usual_request)),
                limit.value_or(*kube::Quantity::parse(usual_limit))};
  if (amount.request <= amount.limit) return amount;
  (limit ? amount.request : amount.limit) = limit ? amount.limit : amount.request;
  return amount;
}

json::Draft resources(const Spec& spec) {
  const auto [requests, limits] = spec.resources.value_or(Resources{});
  const auto usual = usual_resources(spec.node_type);
  const auto cpu = settled(requests.cpu, limits.cpu, usual.requests.cpu, usual.limits.cpu);
  const auto memory =
      settled(requests.memory, limits.memory, usual.requests.memory, usual.limits.memory);
  return object({
      {"requests",
       object({{"cpu", cpu.request.to_string()}, {"memory", memory.request.to_string()}})        },
      {"limits",   object({{"cpu", cpu.limit.to_string()}, {"memory", memory.limit.to_string()}})}
  });
}

json::Value pod_security(const Spec& spec) {
  const auto usual = object({
      {"runAsNonRoot",   true                                },
      {"runAsUser",      kUser                               },
      {"runAsGroup",     kUser                               },
      {"fsGroup",        kUser                               },
      {"seccompProfile", object({{"type", "RuntimeDefault"}})}
  });
  if (!spec.security_context) return usual.freeze();
  return json::apply_merge_patch(usual.freeze(), *spec.security_context);
}

json::Draft affinity(const Node& node) {
  auto made = json::Draft::object();
  if (node.spec.node_affinity) made["nodeAffinity"] = *node.spec.node_affinity;
  if (node.spec.storage.node_affinity && !node.spec.node_affinity) {
    made["nodeAffinity"] = *node.spec.storage.node_affinity;
  }
  const auto term = object({
      {"labelSelector", object({{"matchLabels", selector_labels(node)}})},
      {"topologyKey",   "kubernetes.io/hostname"                        }
  });
  switch (node.spec.pod_anti_affinity) {
    case AntiAffinity::Hard:
      made["podAntiAffinity"] = object({
          {"requiredDuringSchedulingIgnoredDuringExecution", list({term})}
      });
      break;
    case AntiAffinity::Soft:
      made["podAntiAffinity"] = object({
          {"preferredDuringSchedulingIgnoredDuringExecution",
           list({object({{"podAffinityTerm", term}, {"weight", 100}})})}
      });
      break;
    case AntiAffinity::Disabled: break;
  }
  return made;
}

json::Draft spread(const Node& node) {
  if (!node.spec.topology_spread_constraints.empty()) {
    return values(node.spec.topology_spread_constraints);
  }
  const auto over = [&](std::string_view key) {
    return object({
        {"labelSelector",     object({{"matchLabels", selector_labels(node)}})},
        {"maxSkew",           1                                               },
        {"topologyKey",       key                                             },
        {"whenUnsatisfiable", "ScheduleAnyway"                                }
    });
  };
  return list({over("kubernetes.io/hostname"), over("topology.kubernetes.io/zone")});
}

// One claim of the node's, one claim for each pod that goes with it, or a scratch directory where
// nothing worth a volume is kept.
json::Draft data_volume(const Node& node) {
  auto volume = object({
      {"name", "data"}
  });
  const auto& spec = node.spec;
  const bool keeps = spec.node_type != NodeType::Horizon ||
                     (spec.horizon_config && spec.horizon_config->enable_ingest);
  if (has_claim(spec)) {
    volume["persistentVolumeClaim"] = object({
        {"claimName", node.key.name + "-data"}
    });
  } else if (keeps) {
    auto claim = object({
        {"accessModes", list({"ReadWriteOnce"})                                       },
        {"resources",
         object({{"requests", object({{"storage", storage_size(spec).to_string()}})}})}
    });
    if (!spec.storage.storage_class.empty()) {
      claim["storageClassName"] = spec.storage.storage_class;
    }
    volume["ephemeral"] = object({
        {"volumeClaimTemplate", object({{"spec", std::move(claim)}})}
    });
  } else {
    volume["emptyDir"] = json::Draft::object();
  }
  return volume;
}

json::Draft volumes(const Node& node, Program& program) {
  auto all = list({
      data_volume(node),
      object({{"name", "config"}, {"configMap", object({{"name", node.key.name + "-config"}})}}
      ),
      object({{"name", "tmp"},    {"emptyDir", json::Draft::object()}                         }
      ),
  });
  for (auto& volume : program.volumes.elements()) all.push_back(std::move(volume));
  for (const auto& volume : node.spec.volumes) all.push_back(volume);
  return all;
}

json::Draft mounts(const Node& node, Program& program) {
  auto all = list({
      object({{"name", "data"}, {"mountPath", program.data_directory}}
      ),
      object({{"name", "config"}, {"mountPath", kConfigDirectory}, {"readOnly", true}}
      ),
      object({{"name", "tmp"}, {"mountPath", "/tmp"}}
      ),
  });
  for (auto& mount : program.mounts.elements()) all.push_back(std::move(mount));
  for (const auto& mount : node.spec.volume_mounts) all.push_back(mount);
  return all;
}

json::Draft main_container(const Node& node, Program& program) {
  auto container = object({
      {"name", "stellar-node"},
      {"image", image_of(program.image, node.spec.version)},
      {"imagePullPolicy", "IfNotPresent"},
      {"ports", std::move(program.ports)},
      {"resources", resources(node.spec)},
      {"securityContext", container_security()},
      {"volumeMounts", mounts(node, program)}
  });
  if (!program.arguments.empty()) container["args"] = std::move(program.arguments);
  if (!program.environment.empty()) container["env"] = std::move(program.environment);
  for (auto& [name, probe] : program.probes.members()) container[name] = std::move(probe);
  return container;
}

// None of the programs reads its settings twice: another text, another pod.
json::Draft annotations(const Node& node, const Surroundings& around, Program& program) {
  auto made = std::move(program.annotations);
  made["stellar.org/configuration-hash"] =
      strings(configuration(node, around)).freeze().hash().hex();
  if (!around.secrets_stamp.empty()) made["stellar.org/secrets-hash"] = around.secrets_stamp;
  if (!around.restarted_at.empty()) made["stellar.org/restarted-at"] = around.restarted_at;
  return made;
}

// Fills the volume from a backup. What the image does is its maker's to say; that it leaves alone
// what is there already is what the field's description asks of it.
json::Draft restore_container(const SnapshotReference& from, const Program& program) {
  auto container = object({
      {"name",            "restore"                                                                       },
      {"image",           from.restore_image                                                              },
      {"env",             list({object({{"name", "BACKUP_URL"}, {"value", from.backup_url}}),
                    object({{"name", "DATA_DIRECTORY"}, {"value", program.data_directory}})})},
      {"securityContext", container_security()                                                            },
      {"volumeMounts",    list({object({{"name", "data"}, {"mountPath", program.data_directory}}),
                             object({{"name", "tmp"}, {"mountPath", "/tmp"}})})     }
  });
  if (!from.credentials_secret_ref.empty()) {
    container["envFrom"] = list({
        object({{"secretRef", object({{"name", from.credentials_secret_ref}})}}
        )
    });
  }
  return container;
}

json::Draft init_containers(const Node& node, Program& program) {
  auto all = json::Draft::array();
  const auto& from = node.spec.storage.snapshot_ref;
  if (from && !from->backup_url.empty()) all.push_back(restore_container(*from, program));
  for (auto& container : program.init_containers.elements()) all.push_back(std::move(container));
  for (const auto& container : node.spec.init_containers) all.push_back(container);
  return all;
}

}  // namespace

json::Draft pod_template(const Node& node, const Surroundings& around) {
  auto program = program_of(node, around);
  auto metadata = object({
      {"labels", labels(node)},
      {"annotations", annotations(node, around, program)}
  });
  add_mesh_marks(metadata, node.spec);
  auto init = init_containers(node, program);
  auto containers = list({main_container(node, program)});
  for (const auto& sidecar : node.spec.sidecars) containers.push_back(sidecar);
  auto spec = object({
      {"affinity", affinity(node)},
      {"automountServiceAccountToken", false},
      {"containers", std::move(containers)},
      {"securityContext", pod_security(node.spec)},
      {"terminationGracePeriodSeconds", 60},
      {"topologySpreadConstraints", spread(node)},
      {"volumes", volumes(node, program)}
  });
  if (!init.empty()) spec["initContainers"] = std::move(init);
  if (!node.spec.tolerations.empty()) spec["tolerations"] = values(node.spec.tolerations);
  if (node.spec.priority_class_name) spec["priorityClassName"] = *node.spec.priority_class_name;
  return object({
      {"metadata", std::move(metadata)},
      {"spec",     std::move(spec)    }
  });
}

}  // namespace fixpoint::operators::stellar
