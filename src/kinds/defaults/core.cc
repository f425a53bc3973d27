// SPDX-License-Identifier: Apache-2.0
#include "kinds/defaults/core.h"

#include "kinds/defaults/draft_fields.h"
#include "kinds/defaults/fields.h"
#include "kinds/defaults/pod.h"
#include "kube/scalars/base64.h"

#include <string>

namespace fixpoint::kinds {
namespace {

using json::Draft;

void set_service_port(Draft& port) {
  default_to(port, "protocol", "TCP");
  const Draft* target = port.find("targetPort");
  const bool given = target != nullptr &&
                     (target->is_string() ? !target->as_string().empty() : target->as_int() != 0);
  if (given) return;
  const Draft* number = port.find("port");
  port["targetPort"] = number == nullptr ? Draft{0} : *number;
}

void set_session_affinity(Draft& spec) {
  default_to(spec, "sessionAffinity", "None");
  const auto affinity = text_at(spec, "sessionAffinity");
  if (affinity == "None") spec.erase("sessionAffinityConfig");
  if (affinity != "ClientIP") return;
  constexpr int kThreeHours = 10800;
  Draft* timeout = spec.find("sessionAffinityConfig", "clientIP", "timeoutSeconds");
  if (timeout != nullptr && !timeout->is_null()) return;
  spec["sessionAffinityConfig"] = Draft::object({
      {"clientIP", Draft::object({{"timeoutSeconds", kThreeHours}})}
  });
}

void copy_missing(Draft& to, const Draft* from) {
  if (from == nullptr || !from->is_object()) return;
  for (const auto& [key, value] : from->members()) {
    if (!to.contains(key)) to[key] = value;
  }
}

void set_limit_range_item(Draft& item) {
  for (const auto list : {"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"}) {
    round_resources(item.find(list));
  }
  if (text_at(item, "type") != "Container") return;
  Draft limits = Draft::object();
  copy_missing(limits, item.find("default"));
  copy_missing(limits, item.find("max"));
  Draft requests = Draft::object();
  copy_missing(requests, item.find("defaultRequest"));
  copy_missing(requests, &limits);
  copy_missing(requests, item.find("min"));
  // A real server's empty maps are not printed.
  if (!limits.empty()) item["default"] = std::move(limits);
  if (!requests.empty()) item["defaultRequest"] = std::move(requests);
}

}  // namespace

void set_defaults_namespace(Draft& object) {
  const auto name = text_at(object.object_at("metadata"), "name");
  if (!name.empty()) object["metadata"].object_at("labels")["kubernetes.io/metadata.name"] = name;
  default_to(object.object_at("status"), "phase", "Active");
}

namespace {

// A node's block of addresses is in two places; the single one decides.
void agree_on_pod_blocks(Draft& spec) {
  const Draft* single = spec.find("podCIDR");
  const Draft* all = spec.find("podCIDRs");
  const bool listed = all != nullptr && all->is_array() && !all->elements().empty();
  const std::string block{single == nullptr ? std::string_view{} : single->as_string()};
  const std::string first{listed ? all->elements().front().as_string() : std::string_view{}};
  if (block.empty()) {
    if (!first.empty()) spec["podCIDR"] = first;
  } else if (block != first) {
    spec["podCIDRs"] = Draft::array({Draft{block}});
  }
}

}  // namespace

void set_defaults_node(Draft& object) {
  if (Draft* spec = object.find("spec")) agree_on_pod_blocks(*spec);
  Draft* status = object.find("status");
  if (status == nullptr) return;
  round_resources(status->find("capacity"));
  round_resources(status->find("allocatable"));
  if (status->contains("allocatable")) return;
  if (const Draft* capacity = status->find("capacity")) (*status)["allocatable"] = Draft{*capacity};
}

// stringData is write-only: its values become data and win over what is there.
void set_defaults_secret(Draft& object) {
  default_to(object, "type", "Opaque");
  const Draft* plain = object.find("stringData");
  if (plain == nullptr) return;
  const Draft copy = *plain;
  object.erase("stringData");
  if (!copy.is_object()) return;
  for (const auto& [key, value] : copy.members()) {
    object.object_at("data")[key] = kube::base64(value.as_string());
  }
}

void set_defaults_service(Draft& object) {
  Draft& spec = object.object_at("spec");
  set_session_affinity(spec);
  default_to(spec, "type", "ClusterIP");
  for_each(spec, "ports", set_service_port);
  const auto type = text_at(spec, "type");
  const bool balancer = type == "LoadBalancer";
  const bool node_port = type == "NodePort";
  const Draft* external = spec.find("externalIPs");
  const bool external_ips = type == "ClusterIP" && external != nullptr && !external->empty();
  if (balancer || node_port || external_ips) default_to(spec, "externalTrafficPolicy", "Cluster");
  if (balancer || node_port || type == "ClusterIP") {
    default_to(spec, "internalTrafficPolicy", "Cluster");
  }
  if (!balancer) return;
  default_to(spec, "allocateLoadBalancerNodePorts", true);
  Draft* status = object.find("status", "loadBalancer");
  if (status == nullptr) return;
  for_each(*status, "ingress", [](Draft& ingress) {
    if (!text_at(ingress, "ip").empty()) default_to(ingress, "ipMode", "VIP");
  });
}

void set_defaults_endpoints(Draft& object) {
  for_each(object, "subsets", [](Draft& subset) {
    for_each(subset, "ports", [](Draft& port) { default_to(port, "protocol", "TCP"); });
  });
}

void set_defaults_persistent_volume(Draft& object) {
  default_to(object.object_at("status"), "phase", "Pending");
  Draft& spec = object.object_at("spec");
  default_to(spec, "persistentVolumeReclaimPolicy", "Retain");
  default_to(spec, "volumeMode", "Filesystem");
  round_resources(spec.find("capacity"));
  if (Draft* path = spec.find("hostPath"); path != nullptr && !path->contains("type")) {
    (*path)["type"] = "";
  }
  if (Draft* iscsi = spec.find("iscsi")) default_to(*iscsi, "iscsiInterface", "default");
  if (Draft* rbd = spec.find("rbd")) {
    default_to(*rbd, "pool", "rbd");
    default_to(*rbd, "user", "admin");
    default_to(*rbd, "keyring", "/etc/ceph/keyring");
  }
}

void set_defaults_persistent_volume_claim(Draft& object) {
  default_to(object.object_at("status"), "phase", "Pending");
  Draft& spec = object.object_at("spec");
  default_to(spec, "volumeMode", "Filesystem");
  round_requirements(spec);
  round_resources(object["status"].find("capacity"));
}

void set_defaults_replication_controller(Draft& object) {
  Draft& spec = object.object_at("spec");
  default_to(spec, "replicas", 1);
  if (spec.contains("template")) set_defaults_template_of(spec);
  const Draft* labels = spec.find("template", "metadata", "labels");
  if (labels == nullptr || labels->empty()) return;
  const Draft copy = *labels;
  if (const Draft* selector = spec.find("selector"); selector == nullptr || selector->empty()) {
    spec["selector"] = copy;
  }
  Draft& metadata = object.object_at("metadata");
  if (const Draft* own = metadata.find("labels"); own == nullptr || own->empty()) {
    metadata["labels"] = copy;
  }
}

void set_defaults_limit_range(Draft& object) {
  for_each(object.object_at("spec"), "limits", set_limit_range_item);
}

void set_defaults_resource_quota(Draft& object) {
  round_resources(object.find("spec", "hard"));
  round_resources(object.find("status", "hard"));
  round_resources(object.find("status", "used"));
}

}  // namespace fixpoint::kinds
