// SPDX-License-Identifier: Apache-2.0
#include "kinds/defaults_cluster.h"

#include "kinds/defaults_fields.h"

namespace fixpoint::kinds {
namespace {

using json::Draft;

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

void set_policy_ports(Draft& rule) {
  for_each(rule, "ports", [](Draft& port) { default_to(port, "protocol", "TCP"); });
}

void set_scope(Draft& rule) {
  default_to(rule, "scope", "*");
}

void set_webhook(Draft& webhook) {
  default_to(webhook, "failurePolicy", "Fail");
  default_to(webhook, "matchPolicy", "Equivalent");
  default_to(webhook, "namespaceSelector", Draft::object());
  default_to(webhook, "objectSelector", Draft::object());
  default_to(webhook, "timeoutSeconds", 10);
  for_each(webhook, "rules", set_scope);
  if (Draft* service = webhook.find("clientConfig", "service")) default_to(*service, "port", 443);
}

void set_mutating_webhook(Draft& webhook) {
  set_webhook(webhook);
  default_to(webhook, "reinvocationPolicy", "Never");
}

void set_match_resources(Draft* match) {
  if (match == nullptr || !match->is_object()) return;
  default_to(*match, "matchPolicy", "Equivalent");
  default_to(*match, "namespaceSelector", Draft::object());
  default_to(*match, "objectSelector", Draft::object());
  for_each(*match, "resourceRules", set_scope);
  for_each(*match, "excludeResourceRules", set_scope);
}

}  // namespace

void set_defaults_network_policy(Draft& object) {
  Draft& spec = object.object_at("spec");
  for_each(spec, "ingress", set_policy_ports);
  for_each(spec, "egress", set_policy_ports);
  if (const Draft* types = spec.find("policyTypes"); types != nullptr && !types->empty()) return;
  Draft types = Draft::array({"Ingress"});
  if (const Draft* egress = spec.find("egress"); egress != nullptr && !egress->empty()) {
    types.push_back("Egress");
  }
  spec["policyTypes"] = std::move(types);
}

void set_defaults_ingress_class(Draft& object) {
  if (Draft* parameters = object.find("spec", "parameters"); parameters != nullptr) {
    if (parameters->is_object()) default_to(*parameters, "scope", "Cluster");
  }
}

void set_defaults_storage_class(Draft& object) {
  default_to(object, "reclaimPolicy", "Delete");
  default_to(object, "volumeBindingMode", "Immediate");
}

void set_defaults_csi_driver(Draft& object) {
  Draft& spec = object.object_at("spec");
  default_to(spec, "attachRequired", true);
  default_to(spec, "podInfoOnMount", false);
  default_to(spec, "storageCapacity", false);
  default_to(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
  default_to(spec, "requiresRepublish", false);
  default_to(spec, "seLinuxMount", false);
  if (const Draft* modes = spec.find("volumeLifecycleModes"); modes == nullptr || modes->empty()) {
    spec["volumeLifecycleModes"] = Draft::array({"Persistent"});
  }
}

void set_defaults_role_binding(Draft& object) {
  default_to(object.object_at("roleRef"), "apiGroup", kRbac);
  for_each(object, "subjects", [](Draft& subject) {
    const Draft* kind = subject.find("kind");
    if (kind == nullptr) return;
    if (kind->as_string() == "User" || kind->as_string() == "Group") {
      default_to(subject, "apiGroup", kRbac);
    }
  });
}

void set_defaults_endpoint_slice(Draft& object) {
  for_each(object, "ports", [](Draft& port) {
    default_to(port, "name", "");
    default_to(port, "protocol", "TCP");
  });
}

void set_defaults_priority_class(Draft& object) {
  // An empty one is a mistake, not a missing one.
  if (!object.contains("preemptionPolicy")) object["preemptionPolicy"] = "PreemptLowerPriority";
}

void set_defaults_validating_webhooks(Draft& object) {
  for_each(object, "webhooks", set_webhook);
}

void set_defaults_mutating_webhooks(Draft& object) {
  for_each(object, "webhooks", set_mutating_webhook);
}

void set_defaults_admission_policy(Draft& object) {
  Draft& spec = object.object_at("spec");
  default_to(spec, "failurePolicy", "Fail");
  set_match_resources(spec.find("matchConstraints"));
}

void set_defaults_admission_policy_binding(Draft& object) {
  set_match_resources(object.find("spec", "matchResources"));
}

void set_defaults_runtime_class(Draft& object) {
  round_resources(object.find("overhead", "podFixed"));
}

}  // namespace fixpoint::kinds
