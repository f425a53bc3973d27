// SPDX-License-Identifier: Apache-2.0
#include "kinds/defaults/cluster.h"

#include "kinds/defaults/fields.h"
#include "kinds/groups.h"

namespace fixpoint::kinds {
namespace {

using json::Draft;

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

// Exactly one device, unless another number or all of them are asked for.
void set_device_request(Draft& request) {
  default_to(request, "allocationMode", "ExactCount");
  if (request.find("allocationMode")->as_string() == "ExactCount") {
    default_nonzero(request, "count", 1);
  }
}

void set_devices(Draft* spec) {
  if (spec == nullptr) return;
  Draft* devices = spec->find("devices");
  if (devices == nullptr || !devices->is_object()) return;
  for_each(*devices, "requests", [](Draft& request) {
    Draft* exactly = request.find("exactly");
    if (exactly != nullptr && exactly->is_object()) set_device_request(*exactly);
    for_each(request, "firstAvailable", set_device_request);
  });
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
  default_to(object.object_at("roleRef"), "apiGroup", kRbacGroup);
  for_each(object, "subjects", [](Draft& subject) {
    const Draft* kind = subject.find("kind");
    if (kind == nullptr) return;
    if (kind->as_string() == "User" || kind->as_string() == "Group") {
      default_to(subject, "apiGroup", kRbacGroup);
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

void set_defaults_resource_claim(Draft& object) {
  set_devices(object.find("spec"));
}

void set_defaults_resource_claim_template(Draft& object) {
  set_devices(object.find("spec", "spec"));
}

void set_defaults_flow_schema(Draft& object) {
  default_nonzero(object.object_at("spec"), "matchingPrecedence", 1000);
}

void set_defaults_priority_level(Draft& object) {
  if (Draft* exempt = object.find("spec", "exempt"); exempt != nullptr && exempt->is_object()) {
    default_to(*exempt, "nominalConcurrencyShares", 0);
    default_to(*exempt, "lendablePercent", 0);
  }
  Draft* limited = object.find("spec", "limited");
  if (limited == nullptr || !limited->is_object()) return;
  default_to(*limited, "nominalConcurrencyShares", 30);
  default_to(*limited, "lendablePercent", 0);
  Draft* queuing = limited->find("limitResponse", "queuing");
  if (queuing == nullptr || !queuing->is_object()) return;
  default_nonzero(*queuing, "handSize", 8);
  default_nonzero(*queuing, "queues", 64);
  default_nonzero(*queuing, "queueLengthLimit", 50);
}

}  // namespace fixpoint::kinds
