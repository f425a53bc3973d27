// SPDX-License-Identifier: Apache-2.0
#include "kinds/hooks.h"

#include "kinds/conversion/convert.h"
#include "kinds/defaults/cluster.h"
#include "kinds/defaults/core.h"
#include "kinds/defaults/pod.h"
#include "kinds/defaults/prepare_core.h"
#include "kinds/defaults/prepare_pod.h"
#include "kinds/defaults/workloads.h"
#include "kinds/validation/access.h"
#include "kinds/validation/admission.h"
#include "kinds/validation/config.h"
#include "kinds/validation/fields.h"
#include "kinds/validation/flow.h"
#include "kinds/validation/metadata_checks.h"
#include "kinds/validation/network/addresses.h"
#include "kinds/validation/network/endpoints.h"
#include "kinds/validation/network/network.h"
#include "kinds/validation/network/service.h"
#include "kinds/validation/pods/pod.h"
#include "kinds/validation/quota.h"
#include "kinds/validation/registry.h"
#include "kinds/validation/signing_request.h"
#include "kinds/validation/status.h"
#include "kinds/validation/storage/csi.h"
#include "kinds/validation/storage/devices.h"
#include "kinds/validation/storage/storage.h"
#include "kinds/validation/warnings.h"
#include "kinds/validation/workloads/apps.h"
#include "kinds/validation/workloads/batch.h"
#include "kinds/validation/workloads/cluster.h"
#include "kinds/validation/workloads/job_status.h"
#include "kube/meta/metadata.h"

#include <string_view>

namespace fixpoint::kinds {
namespace {

struct Hooks {
  decltype(Kind::set_defaults) set_defaults = nullptr;
  decltype(Kind::prepare) prepare = nullptr;
  decltype(Kind::as_read) as_read = nullptr;
  decltype(Kind::as_shown) as_shown = nullptr;
  decltype(Kind::validate) validate = nullptr;
  decltype(Kind::validate_update) validate_update = nullptr;
  decltype(Kind::validate_status_update) validate_status_update = nullptr;
  decltype(Kind::warnings) warnings = nullptr;
  decltype(Kind::update_warnings) update_warnings = nullptr;
  decltype(Kind::status_warnings) status_warnings = nullptr;
  decltype(Kind::generation_changes) generation_changes = nullptr;
};

struct HookRow {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  Hooks hooks;
};

// Most kinds hold to the names of finalizers besides what validate_object_meta asks of all. In
// updates the server asks, as often as metadata_checks() says.
template <auto Validate>
kube::FieldErrors checked(json::View object) {
  kube::FieldErrors errors = finalizer_errors(object);
  if constexpr (Validate != nullptr) kube::append(errors, Validate(object));
  return errors;
}

template <auto Validate>
kube::FieldErrors checked_update(json::View object, json::View old_object) {
  if constexpr (Validate == nullptr)
    return {};
  else
    return Validate(object, old_object);
}

// A template is looked at again when the object has a new generation.
template <auto Warn>
std::vector<std::string> news(json::View object, json::View old_object) {
  if (kube::generation_of(object) == kube::generation_of(old_object)) return {};
  return Warn(object);
}

// The same where only the template counts.
template <auto Warn>
std::vector<std::string> news_of_template(json::View object, json::View old_object) {
  if (object.get("spec", "template") == old_object.get("spec", "template")) return {};
  return Warn(object);
}

// clang-format off: one kind a line
constexpr HookRow kHooks[] = {
    {"events.k8s.io", "v1", "Event", {.validate = validate_event, .validate_update = validate_event_update}},
    {"", "v1", "Event", {.validate = validate_core_event, .validate_update = validate_core_event_update}},
    {"coordination.k8s.io", "v1", "Lease", {.prepare = prepare_lease, .validate = validate_lease, .validate_update = validate_lease_update}},
    {"rbac.authorization.k8s.io", "v1", "ClusterRole", {.validate = checked<validate_cluster_role>, .validate_update = checked_update<nullptr>}},
    {"rbac.authorization.k8s.io", "v1", "Role", {.validate = checked<validate_role>, .validate_update = checked_update<nullptr>}},
    {"networking.k8s.io", "v1", "IPAddress", {.validate = checked<validate_ip_address>, .validate_update = checked_update<validate_ip_address_update>}},
    {"networking.k8s.io", "v1", "ServiceCIDR", {.validate = checked<validate_service_cidr>, .validate_update = checked_update<validate_service_cidr_update>}},
    {"", "v1", "ConfigMap", {.validate = checked<validate_config_map>, .validate_update = checked_update<validate_config_map_update>}},
    {"", "v1", "Endpoints", {.set_defaults = set_defaults_endpoints, .validate = checked<validate_endpoints>, .validate_update = checked_update<validate_endpoints_update>, .warnings = endpoints_warnings}},
    {"", "v1", "LimitRange", {.set_defaults = set_defaults_limit_range, .validate = checked<validate_limit_range>, .validate_update = checked_update<validate_limit_range_update>}},
    {"", "v1", "Namespace", {.set_defaults = set_defaults_namespace, .prepare = prepare_namespace, .as_read = set_defaults_namespace, .validate = checked<validate_namespace>, .validate_update = checked_update<validate_namespace_update>, .validate_status_update = validate_namespace_status_update}},
    {"", "v1", "Node", {.set_defaults = set_defaults_node, .prepare = prepare_node, .validate = checked<validate_node>, .validate_update = checked_update<validate_node_update>, .validate_status_update = validate_node_status_update, .warnings = node_warnings}},
    {"", "v1", "PersistentVolume", {.set_defaults = set_defaults_persistent_volume, .prepare = prepare_persistent_volume, .validate = checked<validate_persistent_volume>, .validate_update = checked_update<validate_persistent_volume_update>, .warnings = persistent_volume_warnings}},
    {"", "v1", "PersistentVolumeClaim", {.set_defaults = set_defaults_persistent_volume_claim, .prepare = prepare_persistent_volume_claim, .validate = checked<validate_persistent_volume_claim>, .validate_update = checked_update<validate_persistent_volume_claim_update>, .validate_status_update = validate_persistent_volume_claim_status_update, .warnings = persistent_volume_claim_warnings}},
    {"", "v1", "Pod", {.set_defaults = set_defaults_pod, .prepare = prepare_pod, .validate = checked<validate_pod>, .validate_update = checked_update<validate_pod_update>, .validate_status_update = validate_pod_status_update, .warnings = pod_warnings, .update_warnings = no_update_warnings, .status_warnings = pod_status_warnings}},
    {"", "v1", "PodTemplate", {.set_defaults = set_defaults_pod_template, .prepare = prepare_template, .validate = checked<validate_pod_template>, .validate_update = checked_update<validate_pod_template_update>, .warnings = pod_template_warnings, .update_warnings = news<pod_template_warnings>}},
    {"", "v1", "ReplicationController", {.set_defaults = set_defaults_replication_controller, .prepare = prepare_template, .validate = checked<validate_replication_controller>, .validate_update = checked_update<validate_replication_controller_update>, .validate_status_update = validate_replica_set_status_update, .warnings = named_workload_warnings, .update_warnings = replication_controller_update_warnings}},
    {"", "v1", "ResourceQuota", {.set_defaults = set_defaults_resource_quota, .validate = checked<validate_resource_quota>, .validate_update = checked_update<validate_resource_quota_update>, .validate_status_update = validate_resource_quota_status_update}},
    {"", "v1", "Secret", {.set_defaults = set_defaults_secret, .validate = checked<validate_secret>, .validate_update = checked_update<validate_secret_update>}},
    {"", "v1", "Service", {.set_defaults = set_defaults_service, .prepare = prepare_service, .as_shown = show_service, .validate = checked<validate_service>, .validate_update = checked_update<validate_service_update>, .validate_status_update = validate_service_status_update, .warnings = service_warnings, .status_warnings = balancer_status_warnings}},
    {"", "v1", "ServiceAccount", {.prepare = prepare_service_account, .validate = checked<nullptr>, .validate_update = checked_update<nullptr>, .warnings = service_account_warnings, .update_warnings = service_account_update_warnings}},
    {"apps", "v1", "DaemonSet", {.set_defaults = set_defaults_daemon_set, .prepare = prepare_daemon_set, .validate = checked<validate_daemon_set>, .validate_update = checked_update<validate_daemon_set_update>, .validate_status_update = validate_daemon_set_status_update, .warnings = daemon_set_warnings, .update_warnings = news_of_template<daemon_set_warnings>}},
    {"apps", "v1", "Deployment", {.set_defaults = set_defaults_deployment, .prepare = prepare_template, .validate = checked<validate_deployment>, .validate_update = checked_update<validate_deployment_update>, .validate_status_update = validate_deployment_status_update, .warnings = named_workload_warnings, .update_warnings = news<named_workload_warnings>, .generation_changes = deployment_generation_changes}},
    {"apps", "v1", "ReplicaSet", {.set_defaults = set_defaults_replica_set, .prepare = prepare_template, .validate = checked<validate_replica_set>, .validate_update = checked_update<validate_replica_set_update>, .validate_status_update = validate_replica_set_status_update, .warnings = named_workload_warnings, .update_warnings = news<named_workload_warnings>}},
    {"apps", "v1", "StatefulSet", {.set_defaults = set_defaults_stateful_set, .prepare = prepare_template, .validate = checked<validate_stateful_set>, .validate_update = checked_update<validate_stateful_set_update>, .validate_status_update = validate_stateful_set_status_update, .warnings = stateful_set_warnings, .update_warnings = news<stateful_set_warnings>}},
    {"apps", "v1", "ControllerRevision", {.validate = checked<validate_controller_revision>, .validate_update = checked_update<validate_controller_revision_update>}},
    {"batch", "v1", "CronJob", {.set_defaults = set_defaults_cron_job, .prepare = prepare_job_template, .validate = checked<validate_cron_job>, .validate_update = checked_update<validate_cron_job_update>, .warnings = cron_job_warnings, .update_warnings = news<cron_job_warnings>}},
    {"batch", "v1", "Job", {.set_defaults = set_defaults_job, .prepare = prepare_job, .as_read = complete_job, .validate = checked<validate_job>, .validate_update = checked_update<validate_job_update>, .validate_status_update = validate_job_status_update, .warnings = named_workload_warnings, .update_warnings = news<named_workload_warnings>}},
    {"autoscaling", "v1", "HorizontalPodAutoscaler", {.set_defaults = set_defaults_hpa_v1, .as_read = drop_annotations_of_new_v1, .validate = checked<validate_autoscaler>, .validate_update = checked_update<validate_autoscaler_update>, .validate_status_update = validate_autoscaler_status_update}},
    {"autoscaling", "v2", "HorizontalPodAutoscaler", {.set_defaults = set_defaults_hpa_v2, .validate = checked<validate_autoscaler>, .validate_update = checked_update<validate_autoscaler_update>, .validate_status_update = validate_autoscaler_status_update}},
    {"networking.k8s.io", "v1", "IngressClass", {.set_defaults = set_defaults_ingress_class, .validate = checked<validate_ingress_class>, .validate_update = checked_update<validate_ingress_class_update>}},
    {"networking.k8s.io", "v1", "NetworkPolicy", {.set_defaults = set_defaults_network_policy, .validate = checked<validate_network_policy>, .validate_update = checked_update<validate_network_policy_update>, .warnings = network_policy_warnings}},
    {"networking.k8s.io", "v1", "Ingress", {.validate = checked<validate_ingress>, .validate_update = checked_update<validate_ingress_update>, .validate_status_update = validate_ingress_status_update, .warnings = ingress_warnings, .update_warnings = no_update_warnings, .status_warnings = balancer_status_warnings}},
    {"storage.k8s.io", "v1", "CSIDriver", {.set_defaults = set_defaults_csi_driver, .prepare = prepare_csi_driver, .validate = checked<validate_csi_driver>, .validate_update = checked_update<validate_csi_driver_update>, .generation_changes = csi_driver_generation_changes}},
    {"storage.k8s.io", "v1", "CSINode", {.validate = checked<validate_csi_node>, .validate_update = checked_update<validate_csi_node_update>}},
    {"storage.k8s.io", "v1", "VolumeAttachment", {.validate = checked<validate_volume_attachment>, .validate_update = checked_update<validate_volume_attachment_update>}},
    {"storage.k8s.io", "v1", "CSIStorageCapacity", {.validate = checked<validate_storage_capacity>, .validate_update = checked_update<validate_storage_capacity_update>, .warnings = storage_capacity_warnings}},
    {"storage.k8s.io", "v1", "VolumeAttributesClass", {.validate = checked<validate_attributes_class>, .validate_update = checked_update<validate_attributes_class_update>}},
    {"storage.k8s.io", "v1", "StorageClass", {.set_defaults = set_defaults_storage_class, .validate = checked<validate_storage_class>, .validate_update = checked_update<validate_storage_class_update>, .warnings = storage_class_warnings}},
    {"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", {.set_defaults = set_defaults_role_binding, .validate = checked<validate_cluster_role_binding>, .validate_update = checked_update<validate_cluster_role_binding_update>}},
    {"rbac.authorization.k8s.io", "v1", "RoleBinding", {.set_defaults = set_defaults_role_binding, .validate = checked<validate_role_binding>, .validate_update = checked_update<validate_role_binding_update>}},
    {"discovery.k8s.io", "v1", "EndpointSlice", {.set_defaults = set_defaults_endpoint_slice, .validate = checked<validate_endpoint_slice>, .validate_update = checked_update<validate_endpoint_slice_update>, .warnings = endpoint_slice_warnings, .update_warnings = endpoint_slice_update_warnings, .generation_changes = endpoint_slice_generation_changes}},
    {"scheduling.k8s.io", "v1", "PriorityClass", {.set_defaults = set_defaults_priority_class, .validate = checked<validate_priority_class>, .validate_update = checked_update<validate_priority_class_update>, .generation_changes = priority_class_generation_changes}},
    {"node.k8s.io", "v1", "RuntimeClass", {.set_defaults = set_defaults_runtime_class, .validate = validate_runtime_class, .validate_update = validate_runtime_class_update, .warnings = runtime_class_warnings}},
    {"admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration", {.set_defaults = set_defaults_mutating_webhooks, .validate = validate_mutating_webhooks, .validate_update = validate_mutating_webhooks_update}},
    {"admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", {.set_defaults = set_defaults_validating_webhooks, .validate = validate_validating_webhooks, .validate_update = validate_validating_webhooks_update}},
    {"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", {.set_defaults = set_defaults_admission_policy, .validate = validate_admission_policy, .validate_update = validate_admission_policy_update}},
    {"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding", {.set_defaults = set_defaults_admission_policy_binding, .validate = validate_admission_policy_binding, .validate_update = validate_admission_policy_binding_update}},
    {"policy", "v1", "PodDisruptionBudget", {.validate = validate_disruption_budget, .validate_update = validate_disruption_budget_update, .validate_status_update = validate_disruption_budget_status_update}},
    {"certificates.k8s.io", "v1", "CertificateSigningRequest", {.prepare = prepare_signing_request, .validate = checked<validate_signing_request>, .validate_update = checked_update<validate_signing_request_update>}},
    {"resource.k8s.io", "v1", "DeviceClass", {.prepare = prepare_device_class, .validate = checked<validate_device_class>, .validate_update = checked_update<validate_device_class_update>}},
    {"resource.k8s.io", "v1", "ResourceClaim", {.set_defaults = set_defaults_resource_claim, .validate = checked<validate_resource_claim>, .validate_update = checked_update<validate_resource_claim_update>, .validate_status_update = validate_resource_claim_status_update}},
    {"resource.k8s.io", "v1", "ResourceClaimTemplate", {.set_defaults = set_defaults_resource_claim_template, .validate = checked<validate_resource_claim_template>, .validate_update = checked_update<validate_resource_claim_template_update>}},
    {"resource.k8s.io", "v1", "ResourceSlice", {.prepare = prepare_resource_slice, .validate = checked<validate_resource_slice>, .validate_update = checked_update<validate_resource_slice_update>}},
    {"flowcontrol.apiserver.k8s.io", "v1", "FlowSchema", {.set_defaults = set_defaults_flow_schema, .validate = checked<validate_flow_schema>, .validate_update = checked_update<validate_flow_schema_update>, .validate_status_update = validate_flow_status_update}},
    {"flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration", {.set_defaults = set_defaults_priority_level, .validate = checked<validate_priority_level>, .validate_update = checked_update<validate_priority_level_update>, .validate_status_update = validate_flow_status_update}},
    {"apiregistration.k8s.io", "v1", "APIService", {.set_defaults = set_defaults_api_service, .validate = validate_api_service, .validate_update = validate_api_service_update}},
};
// clang-format on

template <class Hook>
void attach(Hook hook, Hook& to) {
  if (hook != nullptr) to = hook;
}

}  // namespace

void attach_hooks(Kind& kind) {
  for (const HookRow& row : kHooks) {
    if (row.kind != kind.gvk.kind || row.group != kind.gvk.group ||
        row.version != kind.gvk.version) {
      continue;
    }
    attach(row.hooks.set_defaults, kind.set_defaults);
    attach(row.hooks.prepare, kind.prepare);
    attach(row.hooks.as_read, kind.as_read);
    attach(row.hooks.as_shown, kind.as_shown);
    attach(row.hooks.validate, kind.validate);
    attach(row.hooks.validate_update, kind.validate_update);
    attach(row.hooks.validate_status_update, kind.validate_status_update);
    attach(row.hooks.warnings, kind.warnings);
    attach(row.hooks.update_warnings, kind.update_warnings);
    attach(row.hooks.status_warnings, kind.status_warnings);
    attach(row.hooks.generation_changes, kind.generation_changes);
  }
}

}  // namespace fixpoint::kinds
