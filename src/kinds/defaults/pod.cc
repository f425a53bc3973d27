// SPDX-License-Identifier: Apache-2.0
#include "kinds/defaults/pod.h"

#include "kinds/defaults/fields.h"
#include "kinds/pod_status.h"
#include "kinds/resource_list.h"
#include "kinds/validation/fields.h"

#include <algorithm>
#include <array>

namespace fixpoint::kinds {
namespace {

using json::Draft;

constexpr int kDefaultFileMode = 0644;

void set_field_ref(Draft* holder) {
  if (holder == nullptr) return;
  if (Draft* reference = holder->find("fieldRef")) default_to(*reference, "apiVersion", "v1");
}

void set_http_get(Draft* action) {
  if (action == nullptr) return;
  Draft* get = action->find("httpGet");
  if (get == nullptr) return;
  default_to(*get, "path", "/");
  default_to(*get, "scheme", "HTTP");
}

void set_probe(Draft* probe) {
  if (probe == nullptr || !probe->is_object()) return;
  default_nonzero(*probe, "timeoutSeconds", 1);
  default_nonzero(*probe, "periodSeconds", 10);
  default_nonzero(*probe, "successThreshold", 1);
  default_nonzero(*probe, "failureThreshold", 3);
  set_http_get(probe);
  if (Draft* grpc = probe->find("grpc")) default_to(*grpc, "service", "");
}

void set_container(Draft& container) {
  const Draft* image = container.find("image");
  const bool latest = image_is_latest(image == nullptr ? "" : image->as_string());
  default_to(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
  default_to(container, "terminationMessagePath", "/dev/termination-log");
  default_to(container, "terminationMessagePolicy", "File");
  for_each(container, "ports", [](Draft& port) { default_to(port, "protocol", "TCP"); });
  for_each(container, "env", [](Draft& variable) { set_field_ref(variable.find("valueFrom")); });
  round_requirements(container);
  for (const auto probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    set_probe(container.find(probe));
  }
  if (Draft* lifecycle = container.find("lifecycle")) {
    set_http_get(lifecycle->find("postStart"));
    set_http_get(lifecycle->find("preStop"));
  }
}

void set_mode(Draft* source) {
  if (source != nullptr) default_to(*source, "defaultMode", kDefaultFileMode);
}

void set_downward_items(Draft* source) {
  if (source != nullptr) for_each(*source, "items", [](Draft& item) { set_field_ref(&item); });
}

void set_projection(Draft& projection) {
  set_downward_items(projection.find("downwardAPI"));
  if (Draft* token = projection.find("serviceAccountToken")) {
    default_nonzero(*token, "expirationSeconds", 3600);
  }
}

// Volumes of kinds of storage that few clusters still have.
void set_old_volume(Draft& volume) {
  if (Draft* iscsi = volume.find("iscsi")) default_to(*iscsi, "iscsiInterface", "default");
  if (Draft* rbd = volume.find("rbd")) {
    default_to(*rbd, "pool", "rbd");
    default_to(*rbd, "user", "admin");
    default_to(*rbd, "keyring", "/etc/ceph/keyring");
  }
  if (Draft* disk = volume.find("azureDisk")) {
    default_to(*disk, "cachingMode", "ReadWrite");
    default_to(*disk, "fsType", "ext4");
    default_to(*disk, "readOnly", false);
    default_to(*disk, "kind", "Shared");
  }
  if (Draft* scale = volume.find("scaleIO")) {
    default_to(*scale, "storageMode", "ThinProvisioned");
    default_to(*scale, "fsType", "xfs");
  }
}

bool has_source(const Draft& volume) {
  for (const auto& [key, value] : volume.members()) {
    if (key != "name" && !value.is_null()) return true;
  }
  return false;
}

void set_volume(Draft& volume) {
  if (!has_source(volume)) volume["emptyDir"] = Draft::object();
  if (Draft* path = volume.find("hostPath"); path != nullptr && !path->contains("type")) {
    (*path)["type"] = "";
  }
  set_mode(volume.find("secret"));
  set_mode(volume.find("configMap"));
  set_mode(volume.find("downwardAPI"));
  set_downward_items(volume.find("downwardAPI"));
  if (Draft* projected = volume.find("projected")) {
    set_mode(projected);
    for_each(*projected, "sources", set_projection);
  }
  if (Draft* claim = volume.find("ephemeral", "volumeClaimTemplate", "spec")) {
    default_to(*claim, "volumeMode", "Filesystem");
    round_requirements(*claim);
  }
  set_old_volume(volume);
}

// What is limited but not requested is requested in full.
void request_limits(Draft& container) {
  Draft* resources = container.find("resources");
  const Draft* limits = resources == nullptr ? nullptr : resources->find("limits");
  if (limits == nullptr || limits->empty()) return;
  const Draft copy = *limits;
  Draft& requests = resources->object_at("requests");
  for (const auto& [name, amount] : copy.members()) {
    if (!requests.contains(name)) requests[name] = amount;
  }
}

bool counts_for_pods(std::string_view name) {
  return name == "cpu" || name == "memory" || is_huge_page(name);
}

void fill_in(const ResourceList& amounts, Draft& pod_resources, std::string_view list,
             bool (*wanted)(std::string_view)) {
  for (const auto& [name, amount] : amounts) {
    if (!wanted(name) || pod_resources.find(list, name) != nullptr) continue;
    pod_resources.object_at(list)[name] = amount.to_string();
  }
}

// What a pod says of itself as a whole is completed by what its containers say.
void complete_pod_resources(Draft& spec) {
  Draft* own = spec.find("resources");
  if (own == nullptr || !own->is_object()) return;
  const json::Value before = spec.freeze();
  const json::View given = before.get("resources");
  if (given.get("limits").empty() && given.get("requests").empty()) return;
  auto pages = containers_total(before, "limits");
  std::erase_if(pages,
                [&](const auto& amount) { return given.get("requests").contains(amount.first); });
  fill_in(pages, *own, "limits", is_huge_page);
  const Draft* limits = own->find("limits");
  if (limits == nullptr || limits->empty()) return;
  const Draft limited = *limits;
  fill_in(containers_total(before, "requests"), *own, "requests",
          [](std::string_view name) { return counts_for_pods(name) && !is_huge_page(name); });
  for (const auto& [name, amount] : limited.members()) {
    if (counts_for_pods(name) && own->find("requests", name) == nullptr) {
      own->object_at("requests")[name] = amount;
    }
  }
}

void open_host_ports(Draft& container) {
  for_each(container, "ports", [](Draft& port) {
    const Draft* number = port.find("containerPort");
    if (number != nullptr) default_nonzero(port, "hostPort", static_cast<int>(number->as_int()));
  });
}

// serviceAccount is the old name of serviceAccountName; answers carry both.
void set_service_account(Draft& spec) {
  const Draft* old_name = spec.find("serviceAccount");
  if (old_name != nullptr) default_to(spec, "serviceAccountName", Draft{*old_name});
  const Draft* name = spec.find("serviceAccountName");
  if (name != nullptr && !name->as_string().empty()) spec["serviceAccount"] = Draft{*name};
}

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// Letters and digits; between them one dot, one or two underscores, or any number of dashes.
bool is_image_part(std::string_view part) {
  if (part.empty() || !is_lower_or_digit(part.front()) || !is_lower_or_digit(part.back())) {
    return false;
  }
  for (std::size_t i = 0; i < part.size();) {
    const auto end = std::ranges::find_if(part.substr(i), is_lower_or_digit) - part.begin();
    const auto gap = part.substr(i, static_cast<std::size_t>(end) - i);
    const bool dashes = gap.find_first_not_of('-') == std::string_view::npos;
    if (!dashes && gap != "." && gap != "_" && gap != "__") return false;
    i = static_cast<std::size_t>(end) + 1;
  }
  return true;
}

bool is_image_tag(std::string_view tag) {
  constexpr std::size_t kTagBytesMax = 128;
  const auto is_word = [](char c) {
    return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (tag.empty() || tag.size() > kTagBytesMax || !is_word(tag.front())) return false;
  return std::ranges::all_of(tag, [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

// What a reference to an image may look like; the part before the first slash may be a host.
bool is_image_name(std::string_view image) {
  constexpr std::size_t kPathBytesMax = 255;
  constexpr std::size_t kLibraryBytes = 8;  // "library/", which a bare name is in
  const auto last = image.rfind('/');
  const auto colon = image.find(':', last == std::string_view::npos ? 0 : last + 1);
  if (colon != std::string_view::npos && !is_image_tag(image.substr(colon + 1))) return false;
  auto path = image.substr(0, colon);
  const auto slash = path.find('/');
  const auto host = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  const bool upper = std::ranges::any_of(host, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (upper || host == "localhost" || host.find_first_of(".:") != std::string_view::npos) {
    path.remove_prefix(slash + 1);
  } else if (slash == std::string_view::npos && path.size() + kLibraryBytes > kPathBytesMax) {
    return false;
  }
  if (path.size() > kPathBytesMax) return false;
  for (;;) {
    const auto end = std::min(path.find('/'), path.size());
    if (!is_image_part(path.substr(0, end))) return false;
    if (end == path.size()) return true;
    path.remove_prefix(end + 1);
  }
}

}  // namespace

bool image_is_latest(std::string_view image) {
  if (image.find('@') != std::string_view::npos || !is_image_name(image)) return false;
  const auto slash = image.rfind('/');
  const auto name = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const auto colon = name.rfind(':');
  return colon == std::string_view::npos || name.substr(colon + 1) == "latest";
}

void set_defaults_pod_spec(Draft& spec) {
  set_service_account(spec);
  default_to(spec, "dnsPolicy", "ClusterFirst");
  default_to(spec, "restartPolicy", "Always");
  default_to(spec, "securityContext", Draft::object());
  default_to(spec, "terminationGracePeriodSeconds", 30);
  default_to(spec, "schedulerName", "default-scheduler");
  for_each(spec, "volumes", set_volume);
  for (const auto list : {"containers", "initContainers", "ephemeralContainers"}) {
    for_each(spec, list, set_container);
  }
  round_requirements(spec);
  round_resources(spec.find("overhead"));
}

void set_defaults_pod(Draft& pod) {
  agree_on_pod_address(pod);
  Draft& spec = pod.object_at("spec");
  for (const auto list : {"containers", "initContainers"}) for_each(spec, list, request_limits);
  complete_pod_resources(spec);
  set_defaults_pod_spec(spec);
  // A negative one is what old clients sent for "at once"; templates keep it.
  if (spec["terminationGracePeriodSeconds"].as_int() < 0) spec["terminationGracePeriodSeconds"] = 1;
  default_to(spec, "enableServiceLinks", true);
  const Draft* host_network = spec.find("hostNetwork");
  if (host_network == nullptr || !host_network->as_bool()) return;
  for (const auto list : {"containers", "initContainers"}) for_each(spec, list, open_host_ports);
}

void set_defaults_template_of(Draft& owner_spec) {
  set_defaults_pod_spec(owner_spec.object_at("template").object_at("spec"));
}

void set_defaults_pod_template(Draft& pod_template_object) {
  set_defaults_template_of(pod_template_object);
}

}  // namespace fixpoint::kinds
