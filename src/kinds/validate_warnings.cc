// SPDX-License-Identifier: Apache-2.0
#include "kinds/validate_warnings.h"

#include "kube/base64.h"
#include "kube/field_error.h"
#include "kube/go_text.h"
#include "kube/metadata.h"
#include "kube/names.h"
#include "kube/quantity.h"

#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::View;
using kube::FieldPath;

struct Renamed {
  std::string_view old_name;
  std::string_view since;
  std::string_view new_name;
};
constexpr std::array kRenamedLabels{
    Renamed{"beta.kubernetes.io/arch",                  "v1.14", "kubernetes.io/arch"              },
    Renamed{"beta.kubernetes.io/os",                    "v1.14", "kubernetes.io/os"                },
    Renamed{"failure-domain.beta.kubernetes.io/region", "v1.17", "topology.kubernetes.io/region"   },
    Renamed{"failure-domain.beta.kubernetes.io/zone",   "v1.17", "topology.kubernetes.io/zone"     },
    Renamed{"beta.kubernetes.io/instance-type",         "v1.17", "node.kubernetes.io/instance-type"}
};

struct OldVolume {
  std::string_view source;
  std::string_view shown;
  std::string_view text;
};
constexpr std::array kOldVolumes{
    OldVolume{"photonPersistentDisk", "photonPersistentDisk",
              "deprecated in v1.11, non-functional in v1.16+"                                                         },
    OldVolume{"gitRepo",              "gitRepo",              "deprecated in v1.11, and disabled by default in v1.33+"},
    OldVolume{"scaleIO",              "scaleIO",              "deprecated in v1.16, non-functional in v1.22+"         },
    OldVolume{"flocker",              "flocker",              "deprecated in v1.22, non-functional in v1.25+"         },
    OldVolume{"storageos",            "storageOS",            "deprecated in v1.22, non-functional in v1.25+"         },
    OldVolume{"quobyte",              "quobyte",              "deprecated in v1.22, non-functional in v1.25+"         },
    OldVolume{"glusterfs",            "glusterfs",            "deprecated in v1.25, non-functional in v1.26+"         },
    OldVolume{"cephfs",               "cephfs",               "deprecated in v1.28, non-functional in v1.31+"         },
    OldVolume{"rbd",                  "rbd",                  "deprecated in v1.28, non-functional in v1.31+"         }
};

void warn(Warnings& warnings, const FieldPath& path, std::string_view text) {
  warnings.push_back(fmt::format("{}: {}", path.to_string(), text));
}

void warn_of_name(View object, std::string_view used_in, Warnings& warnings) {
  const auto problems = kube::dns1123_label_problems(kube::name_of(object));
  if (problems.empty()) return;
  warnings.push_back(fmt::format(
      "metadata.name: this is used in {}, which can result in surprising behavior; a DNS "
      "label is recommended: [{}]",
      used_in, kube::joined(problems, " ")));
}

void warn_of_fraction(View amount, const FieldPath& path, Warnings& warnings) {
  const auto quantity = kube::Quantity::parse(amount.as_string());
  if (!quantity || quantity->milli_value() % 1000 == 0) return;
  warn(warnings, path,
       fmt::format("fractional byte value {} is invalid, must be an integer",
                   kube::go_quoted(amount.as_string())));
}

void warn_of_labels(View selector, const FieldPath& path, Warnings& warnings) {
  for (const auto [key, value] : selector.members()) {
    for (const auto& label : kRenamedLabels) {
      if (key != label.old_name) continue;
      warn(warnings, path.key(key),
           fmt::format("deprecated since {}; use \"{}\" instead", label.since, label.new_name));
    }
  }
}

void warn_of_volumes(View volumes, const FieldPath& path, Warnings& warnings) {
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const FieldPath here = path.index(i);
    for (const auto& old : kOldVolumes) {
      if (!volumes[i].get(old.source).is_null()) warn(warnings, here.child(old.shown), old.text);
    }
  }
}

void warn_of_pull_secrets(View secrets, const FieldPath& path, Warnings& warnings) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < secrets.size(); ++i) {
    const FieldPath here = path.index(i);
    const auto name = secrets[i].get("name").as_string();
    if (name.empty()) {
      warn(warnings, here.child("name"), "invalid empty name \"\"");
    } else if (!names.insert(name).second) {
      warn(warnings, here.child("name"), fmt::format("duplicate name {}", kube::go_quoted(name)));
    }
  }
}

// A later variable that refers to the earlier one of its name continues it; any other hides it.
void warn_of_env(View variables, const FieldPath& path, Warnings& warnings) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto name = variables[i].get("name").as_string();
    if (names.insert(name).second) continue;
    const auto reference = fmt::format("$({})", name);
    if (variables[i].get("value").as_string().find(reference) != std::string_view::npos) continue;
    warn(warnings, path.index(i),
         fmt::format("hides previous definition of {}, which may be dropped when using apply",
                     kube::go_quoted(name)));
  }
}

using Ports = std::map<std::string, std::string>;

void warn_of_ports(View ports, const FieldPath& path, Ports& seen, Warnings& warnings) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto key = fmt::format(
        "{}/{}/{}/{}", ports[i].get("containerPort").as_int(), ports[i].get("protocol").as_string(),
        ports[i].get("hostPort").as_int(), ports[i].get("hostIP").as_string());
    const auto where = path.index(i).to_string();
    const auto [earlier, fresh] = seen.emplace(key, where);
    if (fresh) continue;
    warnings.push_back(
        fmt::format("{}: duplicate port definition with {}", where, earlier->second));
  }
}

void warn_of_containers(View spec, const FieldPath& spec_path, Warnings& warnings) {
  Ports ports;
  for (const std::string_view list : {"initContainers", "containers"}) {
    const FieldPath path = spec_path.child(list);
    const View containers = spec.get(list);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const FieldPath here = path.index(i);
      const FieldPath resources = here.child("resources");
      for (const std::string_view resource : {"memory", "ephemeral-storage"}) {
        for (const std::string_view kind : {"limits", "requests"}) {
          const FieldPath amounts = resources.child(kind);
          warn_of_fraction(containers[i].get("resources", kind, resource), amounts.key(resource),
                           warnings);
        }
      }
      warn_of_env(containers[i].get("env"), here.child("env"), warnings);
      warn_of_ports(containers[i].get("ports"), here.child("ports"), ports, warnings);
    }
  }
}

void warn_of_pod_spec(View spec, const FieldPath& path, Warnings& warnings) {
  warn_of_labels(spec.get("nodeSelector"), path.child("nodeSelector"), warnings);
  const FieldPath spread = path.child("topologySpreadConstraints");
  const View constraints = spec.get("topologySpreadConstraints");
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const FieldPath here = spread.index(i);
    if (constraints[i].get("labelSelector").is_null()) {
      warn(warnings, here.child("labelSelector"),
           "a null labelSelector results in matching no pod");
    }
  }
  warn_of_volumes(spec.get("volumes"), path.child("volumes"), warnings);
  warn_of_pull_secrets(spec.get("imagePullSecrets"), path.child("imagePullSecrets"), warnings);
  warn_of_containers(spec, path, warnings);
  if (spec.get("terminationGracePeriodSeconds").as_int() < 0) {
    warn(warnings, path.child("terminationGracePeriodSeconds"),
         "must be >= 0; negative values are invalid and will be treated as 1");
  }
}

void warn_of_template(View owner_spec, Warnings& warnings) {
  const FieldPath spec{"spec"};
  const FieldPath pod_template = spec.child("template");
  warn_of_pod_spec(owner_spec.get("template", "spec"), pod_template.child("spec"), warnings);
}

constexpr std::string_view kStorageClassAnnotation = "volume.beta.kubernetes.io/storage-class";

void warn_of_storage_class(View object, Warnings& warnings) {
  if (!kube::annotations_of(object).contains(kStorageClassAnnotation)) return;
  warnings.push_back(
      fmt::format("metadata.annotations[{}]: deprecated since v1.8; use \"storageClassName\" "
                  "attribute instead",
                  kStorageClassAnnotation));
}

}  // namespace

Warnings pod_warnings(View object) {
  Warnings warnings;
  warn_of_name(object, "the Pod's hostname", warnings);
  warn_of_pod_spec(object.get("spec"), FieldPath{"spec"}, warnings);
  return warnings;
}

Warnings named_workload_warnings(View object) {
  Warnings warnings;
  warn_of_name(object, "Pod names and hostnames", warnings);
  warn_of_template(object.get("spec"), warnings);
  return warnings;
}

Warnings daemon_set_warnings(View object) {
  Warnings warnings;
  warn_of_template(object.get("spec"), warnings);
  return warnings;
}

Warnings stateful_set_warnings(View object) {
  Warnings warnings;
  warn_of_template(object.get("spec"), warnings);
  if (object.get("spec", "revisionHistoryLimit").as_int() < 0) {
    warnings.push_back(
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= "
        "0 is "
        "recommended");
  }
  return warnings;
}

Warnings cron_job_warnings(View object) {
  Warnings warnings;
  warn_of_name(object, "Pod names and hostnames", warnings);
  const FieldPath spec{"spec"};
  const FieldPath job_template = spec.child("jobTemplate");
  const FieldPath job = job_template.child("spec");
  const FieldPath pod_template = job.child("template");
  warn_of_pod_spec(object.get("spec", "jobTemplate", "spec").get("template", "spec"),
                   pod_template.child("spec"), warnings);
  return warnings;
}

Warnings pod_template_warnings(View object) {
  Warnings warnings;
  const FieldPath pod_template{"template"};
  warn_of_pod_spec(object.get("template", "spec"), pod_template.child("spec"), warnings);
  return warnings;
}

Warnings ingress_warnings(View object) {
  if (!kube::annotations_of(object).contains("kubernetes.io/ingress.class")) return {};
  if (!object.get("spec", "ingressClassName").is_null()) return {};
  return {
      "annotation \"kubernetes.io/ingress.class\" is deprecated, please use "
      "'spec.ingressClassName' "
      "instead"};
}

Warnings endpoint_slice_warnings(View object) {
  if (object.get("addressType").as_string() != "FQDN") return {};
  return {"spec.addressType: FQDN endpoints are deprecated"};
}

Warnings no_update_warnings(View, View) {
  return {};
}

Warnings service_warnings(View object) {
  Warnings warnings;
  const View spec = object.get("spec");
  const bool named = spec.get("type").as_string() == "ExternalName";
  if (named && !spec.get("externalIPs").empty()) {
    warnings.push_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  }
  if (!named && !spec.get("externalName").as_string().empty()) {
    warnings.push_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  }
  if (spec.get("clusterIP").as_string() != "None") return warnings;
  if (!spec.get("loadBalancerIP").as_string().empty()) {
    warnings.push_back("spec.loadBalancerIP is ignored for headless services");
  }
  if (!spec.get("externalIPs").empty()) {
    warnings.push_back("spec.externalIPs is ignored for headless services");
  }
  if (spec.get("sessionAffinity").as_string() == "ClientIP") {
    warnings.push_back("spec.SessionAffinity is ignored for headless services");
  }
  return warnings;
}

Warnings persistent_volume_warnings(View object) {
  Warnings warnings;
  warn_of_storage_class(object, warnings);
  if (object.get("spec", "persistentVolumeReclaimPolicy").as_string() == "Recycle") {
    warnings.push_back(
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, "
        "the "
        "recommended approach is to use dynamic provisioning.");
  }
  return warnings;
}

Warnings persistent_volume_claim_warnings(View object) {
  Warnings warnings;
  warn_of_storage_class(object, warnings);
  const FieldPath spec{"spec"};
  const FieldPath resources = spec.child("resources");
  for (const std::string_view kind : {"requests", "limits"}) {
    const FieldPath amounts = resources.child(kind);
    warn_of_fraction(object.get("spec", "resources", kind).get("storage"), amounts.key("storage"),
                     warnings);
  }
  return warnings;
}

Warnings node_warnings(View object) {
  Warnings warnings;
  if (!object.get("spec", "configSource").is_null()) {
    warnings.push_back(
        "spec.configSource: the feature is no longer supported as of v1.24 and this field is "
        "ignored");
  }
  if (!object.get("spec", "externalID").as_string().empty()) {
    warnings.push_back("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  }
  return warnings;
}

Warnings secret_warnings(View object) {
  if (object.get("type").as_string() != "kubernetes.io/tls") return {};
  for (const auto& [key, what] : {
           std::pair{"tls.crt", "certificate"},
           std::pair{"tls.key", "key"        }
  }) {
    const auto bytes = kube::from_base64(object.get("data", key).as_string()).value_or("");
    if (bytes.find("-----BEGIN ") != std::string::npos) continue;
    return {fmt::format("tls: failed to find any PEM data in {} input", what)};
  }
  return {};
}

Warnings service_account_update_warnings(View object, View old_object) {
  // Only who sets it anew is told.
  if (!service_account_warnings(old_object).empty()) return {};
  return service_account_warnings(object);
}

Warnings service_account_warnings(View object) {
  constexpr std::string_view kEnforce = "kubernetes.io/enforce-mountable-secrets";
  if (!kube::annotations_of(object).contains(kEnforce)) return {};
  return {
      fmt::format("metadata.annotations[{}]: deprecated in v1.32+; prefer separate namespaces to "
                  "isolate access to "
                  "mounted secrets",
                  kEnforce)};
}

}  // namespace fixpoint::kinds
