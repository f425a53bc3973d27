// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/pods/pod.h"

#include "kinds/validation/pods/affinity.h"
#include "kinds/validation/pods/annotations.h"
#include "kinds/validation/pods/container.h"
#include "kinds/validation/pods/pod_resources.h"
#include "kube/go/text.h"
#include "kube/meta/metadata.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

void check_toleration(View toleration, const FieldPath& path, FieldErrors& errors) {
  const View key = toleration.get("key");
  const auto op = toleration.get("operator").as_string();
  const auto effect = toleration.get("effect").as_string();
  const View value = toleration.get("value");
  const FieldPath op_path = path.child("operator");
  if (!key.as_string().empty()) {
    kube::note_problems(path.child("key"), key.as_string(), kube::qualified_name_problems, errors);
  } else if (op != "Exists") {
    note_invalid(
        op_path, op,
        "operator must be Exists when `key` is empty, which means \"match all values and all "
        "keys\"",
        errors);
  }
  if (!toleration.get("tolerationSeconds").is_null() && effect != "NoExecute") {
    note_invalid(path.child("effect"), effect,
                 "effect must be 'NoExecute' when `tolerationSeconds` is set", errors);
  }
  if (op == "Equal" || op.empty()) {
    if (const auto problems = kube::label_value_problems(value.as_string()); !problems.empty()) {
      note_invalid(op_path, value, kube::joined(problems, ";"), errors);
    }
  } else if (op == "Exists") {
    if (!value.as_string().empty()) {
      note_invalid(op_path, value, "value must be empty when `operator` is 'Exists'", errors);
    }
  } else {
    note_unsupported(op_path, op, {"Equal", "Exists"}, errors);
  }
  if (!effect.empty()) {
    check_one_of(toleration.get("effect"), path.child("effect"),
                 {"NoSchedule", "PreferNoSchedule", "NoExecute"}, errors);
  }
}

void check_dns(View spec, const FieldPath& path, FieldErrors& errors) {
  const View config = spec.get("dnsConfig");
  const FieldPath here = path.child("dnsConfig");
  const FieldPath servers_path = here.child("nameservers");
  const View servers = config.get("nameservers");
  if (spec.get("dnsPolicy").as_string() == "None") {
    if (config.is_null()) {
      note_required(here, errors, "must provide `dnsConfig` when `dnsPolicy` is None");
      return;
    }
    if (servers.empty()) {
      note_required(servers_path, errors,
                    "must provide at least one DNS nameserver when `dnsPolicy` is None");
      return;
    }
  }
  constexpr std::size_t kServersMax = 3;  // what resolv.conf takes
  if (servers.size() > kServersMax) {
    note_invalid(servers_path, servers, "must not have more than 3 nameservers", errors);
  }
  for (std::size_t i = 0; i < servers.size(); ++i) {
    kube::note_problems(servers_path.index(i), servers[i].as_string(), kube::ip_problems, errors);
  }
}

void check_topology(View spec, const FieldPath& spec_path, FieldErrors& errors) {
  const FieldPath path = spec_path.child("topologySpreadConstraints");
  const View constraints = spec.get("topologySpreadConstraints");
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const View constraint = constraints[i];
    const FieldPath here = path.index(i);
    if (constraint.get("maxSkew").as_int() <= 0) {
      errors.push_back(kube::invalid(here.child("maxSkew"),
                                     std::to_string(constraint.get("maxSkew").as_int()),
                                     "must be greater than zero"));
    }
    if (constraint.get("topologyKey").as_string().empty()) {
      note_required(here.child("topologyKey"), errors, "can not be empty");
    }
    check_one_of(constraint.get("whenUnsatisfiable"), here.child("whenUnsatisfiable"),
                 {"DoNotSchedule", "ScheduleAnyway"}, errors);
    kube::append(errors, kube::validate_label_selector(constraint.get("labelSelector"),
                                                       here.child("labelSelector")));
  }
}

void check_names(View spec, const FieldPath& path, FieldErrors& errors) {
  struct Named {
    std::string_view field;
    kube::Messages (*check)(std::string_view);
  };
  constexpr Named kNamed[] = {
      {"serviceAccountName", kube::dns1123_subdomain_problems},
      {"nodeName",           kube::dns1123_subdomain_problems}
  };
  for (const auto& [field, check] : kNamed) {
    const auto name = spec.get(field).as_string();
    if (!name.empty()) kube::note_problems(path.child(field), name, check, errors);
  }
  if (const View seconds = spec.get("activeDeadlineSeconds"); !seconds.is_null()) {
    check_messages(
        kube::in_range_problems(seconds.as_int(), 1, std::numeric_limits<std::int32_t>::max()),
        seconds, path.child("activeDeadlineSeconds"), errors);
  }
  for (const std::string_view field : {"hostname", "subdomain"}) {
    const auto name = spec.get(field).as_string();
    if (!name.empty())
      kube::note_problems(path.child(field), name, kube::dns1123_label_problems, errors);
  }
}

void check_late_names(View spec, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view field : {"priorityClassName", "runtimeClassName"}) {
    const auto name = spec.get(field).as_string();
    if (!name.empty()) {
      kube::note_problems(path.child(field), name, kube::dns1123_subdomain_problems, errors);
    }
  }
  check_optional_one_of(spec.get("preemptionPolicy"), path.child("preemptionPolicy"),
                        {"PreemptLowerPriority", "Never"}, errors);
}

// A bound service account token needs to know whose.
void check_tokens(View spec, const FieldPath& spec_path, FieldErrors& errors) {
  if (!spec.get("serviceAccountName").as_string().empty()) return;
  const FieldPath volumes_path = spec_path.child("volumes");
  const View volumes = spec.get("volumes");
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const FieldPath volume = volumes_path.index(i);
    const FieldPath projected = volume.child("projected");
    const FieldPath sources_path = projected.child("sources");
    const View sources = volumes[i].get("projected", "sources");
    for (std::size_t j = 0; j < sources.size(); ++j) {
      if (sources[j].get("serviceAccountToken").is_null()) continue;
      const FieldPath source = sources_path.index(j);
      note_forbidden(source.child("serviceAccountToken"),
                     "must not be specified when serviceAccountName is not set", errors);
    }
  }
}

// On the host's network a port is the host's. A template may leave it to the pods made from it.
void check_host_network_ports(View spec, PodPlace place, const FieldPath& spec_path,
                              FieldErrors& errors) {
  if (!spec.get("hostNetwork").as_bool()) return;
  const FieldPath list_path = spec_path.child("containers");
  const View containers = spec.get("containers");
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath container = list_path.index(i);
    const FieldPath ports_path = container.child("ports");
    const View ports = containers[i].get("ports");
    for (std::size_t j = 0; j < ports.size(); ++j) {
      const auto host = ports[j].get("hostPort").as_int();
      if (host == ports[j].get("containerPort").as_int()) continue;
      if (host == 0 && place == PodPlace::Template) continue;
      const FieldPath port = ports_path.index(j);
      errors.push_back(kube::invalid(port.child("hostPort"), std::to_string(host),
                                     "must match `containerPort` when `hostNetwork` is true"));
    }
  }
}

void check_host_aliases(View spec, const FieldPath& spec_path, FieldErrors& errors) {
  const FieldPath path = spec_path.child("hostAliases");
  const View aliases = spec.get("hostAliases");
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    const FieldPath here = path.index(i);
    kube::note_problems(here.child("ip"), aliases[i].get("ip").as_string(), kube::ip_problems,
                        errors);
    const FieldPath names_path = here.child("hostnames");
    const View names = aliases[i].get("hostnames");
    for (std::size_t j = 0; j < names.size(); ++j) {
      kube::note_problems(names_path.index(j), names[j].as_string(),
                          kube::dns1123_subdomain_problems, errors);
    }
  }
}

void check_scheduling_gates(View gates, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const FieldPath here = path.index(i);
    const View name = gates[i].get("name");
    kube::note_problems(here, name.as_string(), kube::qualified_name_problems, errors);
    if (!seen.insert(name.as_string()).second) errors.push_back(kube::duplicate(here, name));
  }
}

// Whoever has users of their own shares nothing else with the host. Two of the fields are reported
// under their internal names.
void check_host_users(View spec, const FieldPath& path, FieldErrors& errors) {
  if (spec.get("hostUsers").as_bool(true)) return;
  constexpr std::string_view kNotThen = "when `hostUsers` is false";
  if (spec.get("hostNetwork").as_bool())
    note_forbidden(path.child("hostNetwork"), kNotThen, errors);
  if (spec.get("hostPID").as_bool()) note_forbidden(path.child("HostPID"), kNotThen, errors);
  if (spec.get("hostIPC").as_bool()) note_forbidden(path.child("HostIPC"), kNotThen, errors);
}

void check_windows(View spec, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kNot = "cannot be set for a windows pod";
  const FieldPath context_path = path.child("securityContext");
  const View context = spec.get("securityContext");
  const auto refuse = [&](bool set, std::string_view field) {
    if (set) note_forbidden(context_path.child(field), kNot, errors);
  };
  refuse(context.contains("appArmorProfile"), "appArmorProfile");
  refuse(context.contains("seLinuxOptions"), "seLinuxOptions");
  if (spec.contains("hostUsers")) note_forbidden(path.child("hostUsers"), kNot, errors);
  for (const std::string_view field : {"hostPID", "hostIPC"}) {
    if (spec.get(field).as_bool()) note_forbidden(path.child(field), kNot, errors);
  }
  for (const std::string_view field : {"seccompProfile", "fsGroup", "fsGroupChangePolicy"}) {
    refuse(context.contains(field), field);
  }
  refuse(!context.get("sysctls").empty(), "sysctls");
  if (spec.contains("shareProcessNamespace")) {
    note_forbidden(path.child("shareProcessNamespace"), kNot, errors);
  }
  for (const std::string_view field : {"runAsUser", "runAsGroup", "supplementalGroups",
                                       "supplementalGroupsPolicy", "seLinuxChangePolicy"}) {
    refuse(!context.get(field).is_null(), field);
  }
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    const FieldPath list_path = path.child(list);
    const View containers = spec.get(list);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const FieldPath container_path = list_path.index(i);
      const FieldPath here = container_path.child("securityContext");
      for (const std::string_view field :
           {"appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities",
            "readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation", "procMount",
            "runAsUser", "runAsGroup"}) {
        if (!containers[i].get("securityContext", field).is_null()) {
          note_forbidden(here.child(field), kNot, errors);
        }
      }
    }
  }
}

void check_linux(View spec, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kNot = "windows options cannot be set for a linux pod";
  const FieldPath context = path.child("securityContext");
  if (spec.get("securityContext").contains("windowsOptions")) {
    note_forbidden(context.child("windowsOptions"), kNot, errors);
  }
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    const FieldPath list_path = path.child(list);
    const View containers = spec.get(list);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const FieldPath container_path = list_path.index(i);
      const FieldPath here = container_path.child("securityContext");
      if (containers[i].get("securityContext").contains("windowsOptions")) {
        note_forbidden(here.child("windowsOptions"), kNot, errors);
      }
    }
  }
}

void check_os(View spec, const FieldPath& path, FieldErrors& errors) {
  const View os = spec.get("os");
  if (os.is_null()) return;
  const FieldPath here = path.child("os");
  const auto name = os.get("name").as_string();
  if (name.empty()) {
    note_required(here.child("name"), errors);
  } else if (name == "windows") {
    check_windows(spec, path, errors);
  } else if (name == "linux") {
    check_linux(spec, path, errors);
  } else {
    check_one_of(os.get("name"), here, {"linux", "windows"}, errors);
  }
}

}  // namespace

void validate_pod_spec(View spec, PodPlace place, const FieldPath& path, FieldErrors& errors) {
  const auto volumes = validate_volumes(spec.get("volumes"), path.child("volumes"), errors);
  const ContainerContext context{volumes, spec.get("terminationGracePeriodSeconds").as_int(30),
                                 spec.get("restartPolicy").as_string(), spec.get("resourceClaims")};
  validate_pod_claims(spec.get("resourceClaims"), path.child("resourceClaims"), errors);
  validate_containers(spec.get("containers"), context, path.child("containers"), errors);
  validate_init_containers(spec.get("initContainers"), spec.get("containers"), context,
                           path.child("initContainers"), errors);
  validate_ephemeral_containers(spec, context, path.child("ephemeralContainers"), errors);
  validate_pod_resources(spec, path, errors);
  check_host_network_ports(spec, place, path, errors);
  check_one_of(spec.get("restartPolicy"), path.child("restartPolicy"),
               {"Always", "OnFailure", "Never"}, errors);
  check_one_of(spec.get("dnsPolicy"), path.child("dnsPolicy"),
               {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"}, errors);
  kube::append(errors, kube::validate_labels(spec.get("nodeSelector"), path.child("nodeSelector")));
  validate_pod_security_context(spec, path.child("securityContext"), errors);
  validate_affinity(spec.get("affinity"), path.child("affinity"), errors);
  check_dns(spec, path, errors);
  const FieldPath gates_path = path.child("readinessGates");
  const View gates = spec.get("readinessGates");
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const FieldPath gate = gates_path.index(i);
    kube::note_problems(gate.child("conditionType"), gates[i].get("conditionType").as_string(),
                        kube::qualified_name_problems, errors);
  }
  check_scheduling_gates(spec.get("schedulingGates"), path.child("schedulingGates"), errors);
  check_topology(spec, path, errors);
  check_host_users(spec, path, errors);
  check_names(spec, path, errors);
  validate_tolerations(spec.get("tolerations"), path.child("tolerations"), errors);
  check_host_aliases(spec, path, errors);
  check_late_names(spec, path, errors);
  validate_resource_limits(spec.get("overhead"), path.child("overhead"), errors);
  check_os(spec, path, errors);
}

void validate_tolerations(View tolerations, const FieldPath& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    check_toleration(tolerations[i], path.index(i), errors);
  }
}

void validate_whole_pod(View pod, View old_pod, FieldErrors& errors) {
  const FieldPath path{"spec"};
  const FieldPath metadata{"metadata"};
  const View spec = pod.get("spec");
  validate_pod_annotations(pod.get("metadata", "annotations"),
                           old_pod.get("metadata", "annotations"), spec,
                           metadata.child("annotations"), errors);
  validate_pod_spec(spec, PodPlace::Pod, path, errors);
  check_tokens(spec, path, errors);
  for (const std::string_view list : {"containers", "initContainers"}) {
    check_image_spaces(spec.get(list), path.child(list), errors);
  }
}

FieldErrors validate_pod(View pod) {
  FieldErrors errors;
  const FieldPath path{"spec"};
  const View spec = pod.get("spec");
  validate_whole_pod(pod, {}, errors);
  if (!spec.get("ephemeralContainers").empty()) {
    note_forbidden(path.child("ephemeralContainers"), "cannot be set on create", errors);
  }
  if (!spec.get("nodeName").as_string().empty() && !spec.get("schedulingGates").empty()) {
    note_forbidden(path.child("nodeName"),
                   "cannot be set until all schedulingGates have been cleared", errors);
  }
  match_pod_annotations(pod.get("metadata", "annotations"), spec, path, errors);
  return errors;
}

void validate_template(View pod_template, const FieldPath& path, FieldErrors& errors) {
  const View metadata = pod_template.get("metadata");
  kube::append(errors, kube::validate_labels(metadata.get("labels"), path.child("labels")));
  kube::append(errors,
               kube::validate_annotations(metadata.get("annotations"), path.child("annotations")));
  validate_pod_annotations(metadata.get("annotations"), {}, pod_template.get("spec"),
                           path.child("annotations"), errors);
  const FieldPath spec = path.child("spec");
  validate_pod_spec(pod_template.get("spec"), PodPlace::Template, spec, errors);
  if (!pod_template.get("spec", "ephemeralContainers").empty()) {
    note_forbidden(spec.child("ephemeralContainers"),
                   "ephemeral containers not allowed in pod template", errors);
  }
  match_pod_annotations(metadata.get("annotations"), pod_template.get("spec"), spec, errors);
}

FieldErrors validate_pod_template(View object) {
  FieldErrors errors;
  validate_template(object.get("template"), FieldPath{"template"}, errors);
  return errors;
}

FieldErrors validate_pod_template_update(View object, View) {
  return validate_pod_template(object);
}

}  // namespace fixpoint::kinds
