// SPDX-License-Identifier: Apache-2.0
#include "kinds/defaults/prepare_core.h"

#include "base/rfc3339.h"
#include "kinds/defaults/draft_fields.h"
#include "kinds/defaults/fields.h"
#include "kinds/defaults/prepare_pod.h"
#include "kinds/services/types.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>

namespace fixpoint::kinds {
namespace {

using json::Draft;
using json::View;

bool empty_at(const Draft& object, std::string_view key) {
  const Draft* value = object.find(key);
  return value == nullptr || value->is_null() ||
         (value->is_string() && value->as_string().empty()) ||
         ((value->is_array() || value->is_object()) && value->empty());
}

bool unchanged(const Draft& spec, View old_spec, std::string_view key) {
  const Draft* value = spec.find(key);
  return (value == nullptr ? Draft{} : *value) == Draft{old_spec.get(key)};
}

void drop_if_unchanged(Draft& spec, View old_spec, std::string_view key) {
  if (unchanged(spec, old_spec, key)) spec.erase(key);
}

std::int64_t node_port_of(const Draft& port) {
  const Draft* number = port.find("nodePort");
  return number == nullptr ? 0 : number->as_int();
}

// Node ports that an author took over from before are given up, ones newly asked for are not.
void drop_node_ports(Draft& spec, View old_spec) {
  Draft* ports = spec.find("ports");
  if (ports == nullptr) return;
  std::set<std::int64_t> before{0};
  for (const View port : old_spec.get("ports").elements()) {
    before.insert(port.get("nodePort").as_int());
  }
  const auto known = [&](const Draft& port) { return before.contains(node_port_of(port)); };
  if (!std::ranges::all_of(ports->elements(), known)) return;
  for (Draft& port : ports->elements()) port.erase("nodePort");
}

// A change of type gives up what only the old type had, unless the author changed it as well.
void drop_old_type_fields(Draft& spec, View old_spec) {
  const auto type = text_at(spec, "type");
  const auto old_type = old_spec.get("type").as_string();
  const auto policy = text_at(spec, "externalTrafficPolicy");
  if (has_cluster_ip(old_type) && !has_cluster_ip(type)) {
    // The one address goes with the list, and stays where either was changed.
    if (text_at(spec, "clusterIP") == old_spec.get("clusterIP").as_string() &&
        unchanged(spec, old_spec, "clusterIPs")) {
      spec.erase("clusterIP");
      spec.erase("clusterIPs");
    }
    for (const auto* key : {"ipFamilies", "ipFamilyPolicy"}) drop_if_unchanged(spec, old_spec, key);
  }
  if (has_node_ports(old_type) && !has_node_ports(type)) drop_node_ports(spec, old_spec);
  if (is_accessible_from_outside(old_type, !old_spec.get("externalIPs").empty()) &&
      !is_accessible_from_outside(type, !empty_at(spec, "externalIPs"))) {
    drop_if_unchanged(spec, old_spec, "externalTrafficPolicy");
  }
  if (needs_health_port(old_type, old_spec.get("externalTrafficPolicy").as_string()) &&
      !needs_health_port(type, policy)) {
    drop_if_unchanged(spec, old_spec, "healthCheckNodePort");
  }
  if (old_type == "LoadBalancer" && type != "LoadBalancer") {
    for (const auto* key : {"allocateLoadBalancerNodePorts", "loadBalancerClass"}) {
      drop_if_unchanged(spec, old_spec, key);
    }
  }
}

// dataSource and the newer dataSourceRef say the same as long as no namespace is crossed.
void align_data_sources(Draft& spec) {
  const Draft* plain = spec.find("dataSource");
  const Draft* reference = spec.find("dataSourceRef");
  if (plain != nullptr && reference == nullptr) {
    spec["dataSourceRef"] = Draft{*plain};
  } else if (plain == nullptr && reference != nullptr && !reference->contains("namespace")) {
    spec["dataSource"] = Draft{*reference};
  }
}

}  // namespace

void prepare_namespace(Draft& object, View old_object, const HookContext&) {
  // Only the finalize subresource changes a namespace's own finalizers.
  if (!old_object.is_null()) {
    if (const View spec = old_object.get("spec"); !spec.is_null()) object["spec"] = Draft{spec};
    return;
  }
  Draft& finalizers = object.object_at("spec").array_at("finalizers");
  bool present = false;
  for (const Draft& each : finalizers.elements())
    present = present || each.as_string() == "kubernetes";
  if (!present) finalizers.push_back("kubernetes");
  object["status"] = Draft::object({
      {"phase", "Active"}
  });
}

void prepare_namespace_finalize(Draft& object, View old_object, const HookContext&) {
  if (const auto status = old_object.find("status")) {
    object["status"] = Draft{*status};
  } else {
    object.erase("status");
  }
}

void prepare_service_account(Draft& object, View, const HookContext&) {
  Draft* secrets = object.find("secrets");
  if (secrets == nullptr || !secrets->is_array()) return;
  for (Draft& secret : secrets->elements()) {
    Draft kept = Draft::object();
    if (const Draft* name = secret.find("name")) kept["name"] = *name;
    secret = std::move(kept);
  }
}

void prepare_persistent_volume(Draft& object, View old_object, const HookContext& context) {
  if (!old_object.is_null()) return;
  object["status"] = Draft::object({
      {"phase",                   "Pending"                  },
      {"lastPhaseTransitionTime", format_seconds(context.now)}
  });
}

void prepare_persistent_volume_claim(Draft& object, View old_object, const HookContext&) {
  align_data_sources(object.object_at("spec"));
  if (!old_object.is_null()) return;
  object["status"] = Draft::object({
      {"phase", "Pending"}
  });
}

void prepare_service(Draft& object, View old_object, const HookContext&) {
  if (old_object.is_null()) return;
  Draft& spec = object.object_at("spec");
  drop_old_type_fields(spec, old_object.get("spec"));
  if (text_at(spec, "type") != "LoadBalancer") {
    object.object_at("status")["loadBalancer"] = Draft::object();
  }
}

// Such a service is stored with a policy that means nothing to it, and read without.
void show_service(Draft& object) {
  Draft* spec = object.find("spec");
  if (spec == nullptr || text_at(*spec, "type") != "ExternalName") return;
  spec->erase("internalTrafficPolicy");
}

void prepare_node(Draft& object, View old_object, const HookContext&) {
  constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
  if (!old_object.is_null()) return;
  Draft& taints = object.object_at("spec").array_at("taints");
  for (const Draft& taint : taints.elements()) {
    if (text_at(taint, "key") == kNotReady && text_at(taint, "effect") == "NoSchedule") return;
  }
  taints.push_back(Draft::object({
      {"key",    kNotReady   },
      {"effect", "NoSchedule"}
  }));
}

void prepare_daemon_set(Draft& object, View old_object, const HookContext& context) {
  prepare_template(object, old_object, context);
  constexpr std::string_view kGeneration = "deprecated.daemonset.template.generation";
  Draft& annotations = object.object_at("metadata").object_at("annotations");
  if (old_object.is_null()) {
    annotations[kGeneration] = "1";
    return;
  }
  const auto old_text = kube::annotation_of(old_object, kGeneration);
  std::int64_t generation = 1;
  std::from_chars(old_text.data(), old_text.data() + old_text.size(), generation);
  const Draft* changed = object.find("spec", "template");
  const Draft old_template{old_object.get("spec", "template")};
  if (changed != nullptr && !(*changed == old_template)) ++generation;
  annotations[kGeneration] = std::to_string(generation);
}

void prepare_device_class(Draft& object, View old_object, const HookContext&) {
  if (!old_object.get("spec", "extendedResourceName").is_null()) return;
  if (Draft* spec = object.find("spec"); spec != nullptr && spec->is_object()) {
    spec->erase("extendedResourceName");
  }
}

void prepare_resource_slice(Draft& object, View, const HookContext&) {
  Draft* spec = object.find("spec");
  if (spec == nullptr || !spec->is_object()) return;
  for (const auto* field : {"perDeviceNodeSelection", "sharedCounters"}) spec->erase(field);
  for_each(*spec, "devices", [](Draft& device) {
    for (const auto* field :
         {"consumesCounters", "nodeName", "nodeSelector", "allNodes", "taints", "bindsToNode",
          "bindingConditions", "bindingFailureConditions", "allowMultipleAllocations"}) {
      device.erase(field);
    }
  });
}

void prepare_lease(Draft& object, View, const HookContext&) {
  Draft& spec = object.object_at("spec");
  spec.erase("strategy");
  spec.erase("preferredHolder");
}

void prepare_csi_driver(Draft& object, View, const HookContext&) {
  object.object_at("spec").erase("nodeAllocatableUpdatePeriodSeconds");
}

void prepare_job(Draft& object, View old_object, const HookContext& context) {
  prepare_template(object, old_object, context);
  Draft& spec = object.object_at("spec");
  const Draft* manual = spec.find("manualSelector");
  if (!old_object.is_null() || (manual != nullptr && manual->as_bool())) return;
  const auto uid = text_at(object.object_at("metadata"), "uid");
  const auto name = text_at(object["metadata"], "name");
  if (uid.empty()) return;
  Draft& labels = spec.object_at("template").object_at("metadata").object_at("labels");
  // Labels that a job took over from its template stay the same ones.
  const Draft* own = object.find("metadata", "labels");
  const bool shared = own != nullptr && !own->empty() && *own == labels;
  for (const auto* key : {"controller-uid", "batch.kubernetes.io/controller-uid"})
    labels[key] = uid;
  for (const auto* key : {"job-name", "batch.kubernetes.io/job-name"}) labels[key] = name;
  if (shared) object["metadata"]["labels"] = Draft{labels};
  spec.object_at("selector").object_at("matchLabels")["batch.kubernetes.io/controller-uid"] = uid;
}

void complete_job(Draft& object) {
  const Draft* labels = object.find("spec", "template", "metadata", "labels");
  if (labels == nullptr || !empty_at(object.object_at("metadata"), "labels")) return;
  object["metadata"]["labels"] = Draft{*labels};
}

bool deployment_generation_changes(View object, View old_object) {
  return !(object.get("spec") == old_object.get("spec")) ||
         !(kube::annotations_of(object) == kube::annotations_of(old_object));
}

bool endpoint_slice_generation_changes(View object, View old_object) {
  for (const std::string_view field : {"addressType", "endpoints", "ports"}) {
    if (!(object.get(field) == old_object.get(field))) return true;
  }
  return !(kube::labels_of(object) == kube::labels_of(old_object));
}

bool csi_driver_generation_changes(View object, View old_object) {
  return !(object.get("spec") == old_object.get("spec"));
}

bool priority_class_generation_changes(View, View) {
  return false;
}

}  // namespace fixpoint::kinds
