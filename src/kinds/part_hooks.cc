// SPDX-License-Identifier: Apache-2.0
#include "kinds/part_hooks.h"

#include "kinds/defaults/prepare_core.h"
#include "kinds/defaults/prepare_pod.h"
#include "kinds/pod_status.h"
#include "kinds/validation/config.h"
#include "kinds/validation/pods/pod.h"
#include "kinds/validation/signing_request.h"
#include "kinds/validation/status.h"

namespace fixpoint::kinds {
namespace {

struct PartRow {
  std::string_view group;
  std::string_view kind;
  std::string_view subresource;
  PartHooks hooks;
};

void prepare_resize(json::Draft& pod, json::View old_pod, const HookContext&) {
  prepare_pod_part(pod, old_pod, "resize");
}

void prepare_ephemeral_containers(json::Draft& pod, json::View old_pod, const HookContext&) {
  prepare_pod_part(pod, old_pod, "ephemeralcontainers");
}

constexpr std::string_view kCertificates = "certificates.k8s.io";
constexpr std::string_view kRequest = "CertificateSigningRequest";

// clang-format off: one part a line
constexpr PartRow kParts[] = {
    {"", "Namespace", "finalize", {prepare_namespace_finalize, validate_namespace_finalize}},
    {"", "Node", "status", {drop_node_config}},
    {"", "PersistentVolume", "status", {prepare_volume_status}},
    {"", "Pod", "status", {prepare_pod_status}},
    {"", "Pod", "resize", {prepare_resize, validate_pod_resize}},
    {"", "Pod", "ephemeralcontainers", {prepare_ephemeral_containers, validate_pod_ephemeral_update}},
    {"apps", "Deployment", "status", {drop_terminating_replicas}},
    {"apps", "ReplicaSet", "status", {drop_terminating_replicas}},
    {kCertificates, kRequest, "status", {prepare_signing_request_status, validate_signing_request_status_update}},
    {kCertificates, kRequest, "approval", {prepare_signing_request_approval, validate_signing_request_approval_update}},
};
// clang-format on

}  // namespace

const PartHooks* part_hooks(const Kind& kind, std::string_view subresource) {
  for (const PartRow& row : kParts) {
    if (row.subresource == subresource && row.kind == kind.gvk.kind &&
        row.group == kind.gvk.group) {
      return &row.hooks;
    }
  }
  return nullptr;
}

}  // namespace fixpoint::kinds
