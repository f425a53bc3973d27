// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/pods/container.h"

#include "kinds/validation/pods/affinity.h"
#include "kinds/validation/pods/pod_resources.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

void check_ports(View ports, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const View port = ports[i];
    const FieldPath here = path.index(i);
    const View name = port.get("name");
    if (!name.as_string().empty()) {
      const auto problems = kube::port_name_problems(name.as_string());
      check_messages(problems, name, here.child("name"), errors);
      if (problems.empty() && !names.insert(name.as_string()).second) {
        errors.push_back(kube::duplicate(here.child("name"), name));
      }
    }
    if (port.get("containerPort").as_int() == 0) {
      note_required(here.child("containerPort"), errors);
    } else {
      check_port(port.get("containerPort"), here.child("containerPort"), errors);
    }
    if (port.get("hostPort").as_int() != 0) {
      check_port(port.get("hostPort"), here.child("hostPort"), errors);
    }
    check_one_of(port.get("protocol"), here.child("protocol"), {"SCTP", "TCP", "UDP"}, errors);
  }
}

void check_key_ref(View reference, const FieldPath& path, FieldErrors& errors) {
  kube::note_problems(path.child("name"), reference.get("name").as_string(),
                      kube::dns1123_subdomain_problems, errors);
  const View key = reference.get("key");
  if (key.as_string().empty()) {
    note_required(path.child("key"), errors);
  } else {
    kube::note_problems(path.child("key"), key.as_string(), kube::config_map_key_problems, errors);
  }
}

void check_value_from(View variable, const FieldPath& path, FieldErrors& errors) {
  const View from = variable.get("valueFrom");
  if (from.is_null()) return;
  int sources = 0;
  if (const View field = from.get("fieldRef"); !field.is_null()) {
    ++sources;
    validate_field_ref(field, FieldUse::Variable, path.child("fieldRef"), errors);
  }
  if (const View resource = from.get("resourceFieldRef"); !resource.is_null()) {
    ++sources;
    validate_resource_field_ref(resource, FieldUse::Variable, path.child("resourceFieldRef"),
                                errors);
  }
  for (const std::string_view kind : {"configMapKeyRef", "secretKeyRef"}) {
    if (from.get(kind).is_null()) continue;
    ++sources;
    check_key_ref(from.get(kind), path.child(kind), errors);
  }
  if (sources == 0) {
    note_invalid(path, "",
                 "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or "
                 "`secretKeyRef`",
                 errors);
  } else if (!variable.get("value").as_string().empty()) {
    note_invalid(path, "", "may not be specified when `value` is not empty", errors);
  } else if (sources > 1) {
    note_invalid(path, "", "may not have more than one field specified at a time", errors);
  }
}

void check_env(View variables, const FieldPath& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const FieldPath here = path.index(i);
    const View name = variables[i].get("name");
    require_text(name, here.child("name"), errors);
    if (!name.as_string().empty()) {
      kube::note_problems(here.child("name"), name.as_string(), kube::env_var_name_problems,
                          errors);
    }
    check_value_from(variables[i], here.child("valueFrom"), errors);
  }
}

void check_env_from(View sources, const FieldPath& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const FieldPath here = path.index(i);
    const View prefix = sources[i].get("prefix");
    if (!prefix.as_string().empty()) {
      kube::note_problems(here.child("prefix"), prefix.as_string(), kube::env_var_name_problems,
                          errors);
    }
    int kinds = 0;
    for (const std::string_view kind : {"configMapRef", "secretRef"}) {
      if (sources[i].get(kind).is_null()) continue;
      ++kinds;
      const FieldPath reference = here.child(kind);
      const View name = sources[i].get(kind, "name");
      if (name.as_string().empty()) {
        note_required(reference.child("name"), errors);
      } else {
        kube::note_problems(reference.child("name"), name.as_string(),
                            kube::dns1123_subdomain_problems, errors);
      }
    }
    if (kinds == 0)
      note_invalid(path, "", "must specify one of: `configMapRef` or `secretRef`", errors);
    if (kinds > 1) {
      note_invalid(path, "", "may not have more than one field specified at a time", errors);
    }
  }
}

void check_mounts(View container, const Volumes& volumes, const FieldPath& path,
                  FieldErrors& errors) {
  const View mounts = container.get("volumeMounts");
  std::set<std::string_view> places;
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const View mount = mounts[i];
    const FieldPath here = path.index(i);
    const View name = mount.get("name");
    const View place = mount.get("mountPath");
    require_text(name, here.child("name"), errors);
    if (!volumes.contains(name.as_string())) {
      const auto text = json::Value::string(name.as_string());
      errors.push_back(kube::not_found(here.child("name"), text));
    }
    require_text(place, here.child("mountPath"), errors);
    if (!places.insert(place.as_string()).second) {
      note_invalid(here.child("mountPath"), place.as_string(), "must be unique", errors);
    }
    const View sub_path = mount.get("subPath");
    const View expression = mount.get("subPathExpr");
    if (!sub_path.as_string().empty()) {
      check_descending_path(sub_path, path.child("subPath"), errors);
    }
    if (!expression.as_string().empty()) {
      if (!sub_path.as_string().empty()) {
        note_invalid(here.child("subPathExpr"), expression,
                     "subPathExpr and subPath are mutually exclusive", errors);
      }
      check_descending_path(expression, path.child("subPathExpr"), errors);
    }
    const View propagation = mount.get("mountPropagation");
    const FieldPath propagation_path = path.child("mountPropagation");
    check_optional_one_of(propagation, propagation_path,
                          {"Bidirectional", "HostToContainer", "None"}, errors);
    if (propagation.as_string() == "Bidirectional" &&
        !container.get("securityContext", "privileged").as_bool()) {
      note_forbidden(propagation_path,
                     "Bidirectional mount propagation is available only to privileged containers",
                     errors);
    }
  }
}

void check_http_get(View get, const FieldPath& path, FieldErrors& errors) {
  require_text(get.get("path"), path.child("path"), errors);
  check_port_or_name(get.get("port"), path.child("port"), errors);
  check_one_of(get.get("scheme"), path.child("scheme"), {"HTTP", "HTTPS"}, errors);
  for (const View header : get.get("httpHeaders").elements()) {
    kube::note_problems(path.child("httpHeaders"), header.get("name").as_string(),
                        kube::http_header_name_problems, errors);
  }
}

void check_handler(View handler, const ContainerContext& context, const FieldPath& path,
                   FieldErrors& errors) {
  bool found = false;
  for (const std::string_view kind : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    const View action = handler.get(kind);
    if (action.is_null()) continue;
    const FieldPath here = path.child(kind);
    if (found) {
      note_forbidden(here, "may not specify more than 1 handler type", errors);
      continue;
    }
    found = true;
    if (kind == "exec" && action.get("command").empty()) {
      note_required(here.child("command"), errors);
    } else if (kind == "httpGet") {
      check_http_get(action, here, errors);
    } else if (kind == "tcpSocket" || kind == "grpc") {
      check_port_or_name(action.get("port"), here.child("port"), errors);
    } else if (kind == "sleep") {
      const auto seconds = action.get("seconds").as_int();
      if (seconds < 0 || seconds > context.grace_seconds) {
        errors.push_back(kube::invalid(
            here, std::to_string(seconds),
            fmt::format("must be non-negative and less than terminationGracePeriodSeconds ({})",
                        context.grace_seconds)));
      }
    }
  }
  if (!found) note_required(path, errors, "must specify a handler type");
}

void check_probe(View container, std::string_view kind, const ContainerContext& context,
                 const FieldPath& container_path, FieldErrors& errors) {
  const View probe = container.get(kind);
  if (probe.is_null()) return;
  const FieldPath path = container_path.child(kind);
  check_handler(probe, context, path, errors);
  for (const std::string_view field : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                       "successThreshold", "failureThreshold"}) {
    check_nonnegative(probe.get(field), path.child(field), errors);
  }
  const View grace = probe.get("terminationGracePeriodSeconds");
  const FieldPath grace_path = path.child("terminationGracePeriodSeconds");
  if (!grace.is_null() && grace.as_int() <= 0) {
    note_invalid(grace_path, grace, "must be greater than 0", errors);
  }
  if (kind == "readinessProbe") {
    if (!grace.is_null()) {
      note_invalid(grace_path, grace, "must not be set for readinessProbes", errors);
    }
  } else if (probe.get("successThreshold").as_int() != 1) {
    note_invalid(path.child("successThreshold"), probe.get("successThreshold"), "must be 1",
                 errors);
  }
}

void check_life(View container, const ContainerContext& context, const FieldPath& path,
                FieldErrors& errors) {
  const FieldPath lifecycle = path.child("lifecycle");
  for (const std::string_view hook : {"postStart", "preStop"}) {
    const View handler = container.get("lifecycle", hook);
    if (!handler.is_null()) check_handler(handler, context, lifecycle.child(hook), errors);
  }
  for (const std::string_view kind : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    check_probe(container, kind, context, path, errors);
  }
}

void check_devices(View container, const Volumes& volumes, const FieldPath& path,
                   FieldErrors& errors) {
  const View devices = container.get("volumeDevices");
  std::set<std::string_view> places;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const FieldPath here = path.index(i);
    const View name = devices[i].get("name");
    const View place = devices[i].get("devicePath");
    require_text(name, here.child("name"), errors);
    const auto volume = volumes.find(name.as_string());
    if (volume == volumes.end()) {
      const auto text = json::Value::string(name.as_string());
      errors.push_back(kube::not_found(here.child("name"), text));
    } else if (volume->second.get("persistentVolumeClaim").is_null() &&
               volume->second.get("ephemeral").is_null()) {
      note_invalid(
          here.child("name"), name,
          "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
          errors);
    }
    require_text(place, here.child("devicePath"), errors);
    if (!places.insert(place.as_string()).second) {
      note_invalid(here.child("devicePath"), place.as_string(), "must be unique", errors);
    }
  }
}

// What every kind of container keeps to.
void check_container(View container, const ContainerContext& context, const FieldPath& path,
                     FieldErrors& errors) {
  const View name = container.get("name");
  require_text(name, path.child("name"), errors);
  if (!name.as_string().empty()) {
    kube::note_problems(path.child("name"), name.as_string(), kube::dns1123_label_problems, errors);
  }
  require_text(container.get("image"), path.child("image"), errors);
  check_one_of(container.get("terminationMessagePolicy"), path.child("terminationMessagePolicy"),
               {"File", "FallbackToLogsOnError"}, errors);
  check_ports(container.get("ports"), path.child("ports"), errors);
  check_env(container.get("env"), path.child("env"), errors);
  check_env_from(container.get("envFrom"), path.child("envFrom"), errors);
  check_mounts(container, context.volumes, path.child("volumeMounts"), errors);
  check_devices(container, context.volumes, path.child("volumeDevices"), errors);
  check_one_of(container.get("imagePullPolicy"), path.child("imagePullPolicy"),
               {"Always", "IfNotPresent", "Never"}, errors);
  const FieldPath resources = path.child("resources");
  validate_resource_requirements(container.get("resources"), ResourcesOf::Container, resources,
                                 errors);
  validate_claim_names(container.get("resources", "claims"), context.claims,
                       resources.child("claims"), errors);
  validate_resize_policies(container.get("resizePolicy"), context.restart_policy,
                           path.child("resizePolicy"), errors);
  validate_security_context(container.get("securityContext"), path.child("securityContext"),
                            errors);
}

using HostPorts = std::set<std::string>;

void check_host_ports(View container, const FieldPath& path, HostPorts& taken,
                      FieldErrors& errors) {
  const FieldPath ports_path = path.child("ports");
  const View ports = container.get("ports");
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto number = ports[i].get("hostPort").as_int();
    if (number == 0) continue;
    const auto text = fmt::format("{}/{}/{}", ports[i].get("protocol").as_string(),
                                  ports[i].get("hostIP").as_string(), number);
    if (taken.insert(text).second) continue;
    const auto value = json::Value::string(text);
    const FieldPath here = ports_path.index(i);
    errors.push_back(kube::duplicate(here.child("hostPort"), value));
  }
}

}  // namespace

void validate_containers(View containers, const ContainerContext& context, const FieldPath& path,
                         FieldErrors& errors) {
  if (containers.empty()) {
    note_required(path, errors);
    return;
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath here = path.index(i);
    const View name = containers[i].get("name");
    check_container(containers[i], context, here, errors);
    if (!names.insert(name.as_string()).second) {
      const auto text = json::Value::string(name.as_string());
      errors.push_back(kube::duplicate(here.child("name"), text));
    }
    check_life(containers[i], context, here, errors);
    if (!containers[i].get("restartPolicy").is_null()) {
      note_forbidden(here.child("restartPolicy"), "may not be set for non-init containers", errors);
    }
  }
  HostPorts taken;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    check_host_ports(containers[i], path.index(i), taken, errors);
  }
}

namespace {

void check_image_space(View container, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  const auto image = container.get("image").as_string();
  if (image.empty()) return;
  if (kSpaces.contains(image.front()) || kSpaces.contains(image.back())) {
    note_invalid(path.child("image"), image, "must not have leading or trailing whitespace",
                 errors);
  }
}

void check_ephemeral_fields(View container, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kNot = "cannot be set for an Ephemeral Container";
  for (const std::string_view field : {"ports", "resources", "resizePolicy", "livenessProbe",
                                       "readinessProbe", "startupProbe", "lifecycle"}) {
    const View value = container.get(field);
    if (value.is_null() || (field == "resources" && value.empty())) continue;
    note_forbidden(path.child(field), kNot, errors);
  }
  const FieldPath mounts_path = path.child("volumeMounts");
  const View mounts = container.get("volumeMounts");
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const FieldPath mount = mounts_path.index(i);
    for (const std::string_view field : {"subPath", "subPathExpr"}) {
      if (!mounts[i].get(field).as_string().empty()) {
        note_forbidden(mount.child(field), kNot, errors);
      }
    }
  }
}

}  // namespace

void check_image_spaces(View containers, const FieldPath& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    check_image_space(containers[i], path.index(i), errors);
  }
}

void validate_ephemeral_containers(View spec, const ContainerContext& context,
                                   const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> others;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const View container : spec.get(list).elements()) {
      others.insert(container.get("name").as_string());
    }
  }
  auto names = others;
  const View containers = spec.get("ephemeralContainers");
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath here = path.index(i);
    check_container(containers[i], context, here, errors);
    check_image_space(containers[i], here, errors);
    const View name = containers[i].get("name");
    if (!names.insert(name.as_string()).second) {
      errors.push_back(kube::duplicate(here.child("name"), name));
    }
    const View target = containers[i].get("targetContainerName");
    if (!target.as_string().empty() && !others.contains(target.as_string())) {
      errors.push_back(kube::not_found(here.child("targetContainerName"), target));
    }
    check_ephemeral_fields(containers[i], here, errors);
  }
}

void validate_init_containers(View init_containers, View containers,
                              const ContainerContext& context, const FieldPath& path,
                              FieldErrors& errors) {
  std::set<std::string_view> names;
  for (const View container : containers.elements())
    names.insert(container.get("name").as_string());
  for (std::size_t i = 0; i < init_containers.size(); ++i) {
    const View container = init_containers[i];
    const FieldPath here = path.index(i);
    const View name = container.get("name");
    check_container(container, context, here, errors);
    const View policy = container.get("restartPolicy");
    check_optional_one_of(policy, here.child("restartPolicy"), {"Always"}, errors);
    if (!names.insert(name.as_string()).second) {
      errors.push_back(kube::duplicate(here.child("name"), name));
    }
    HostPorts taken;
    check_host_ports(container, path.index(0), taken, errors);
    if (policy.as_string() == "Always") {
      check_life(container, context, here, errors);
      continue;
    }
    for (const std::string_view field :
         {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
      if (container.get(field).is_null()) continue;
      note_forbidden(here.child(field),
                     "may not be set for init containers without restartPolicy=Always", errors);
    }
  }
}

}  // namespace fixpoint::kinds
