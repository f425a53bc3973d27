// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/metadata_checks.h"

#include "kinds/validation/fields.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::kinds {
namespace {

struct ChecksRow {
  std::string_view kind;
  MetadataChecks checks;
};

// Counted on a real server, kind by kind. A definition's own validation has its checks in it.
constexpr ChecksRow kUpdates[] = {
    {"Namespace",                        {"WC", true} },
    {"Node",                             {"WC", true} },
    {"ReplicationController",            {"NC", true} },
    {"Job",                              {"NC", true} },
    {"CertificateSigningRequest",        {"WC", true} },
    {"NetworkPolicy",                    {"NC", true} },
    {"CSIStorageCapacity",               {"NC", true} },
    {"StorageClass",                     {"NC", true} },
    {"VolumeAttributesClass",            {"WCW", true}},
    {"ServiceCIDR",                      {"C", true}  },
    {"Service",                          {"C", true}  },
    {"ResourceQuota",                    {"C", true}  },
    {"PodTemplate",                      {"C", true}  },
    {"Deployment",                       {"C", true}  },
    {"ReplicaSet",                       {"C", true}  },
    {"StatefulSet",                      {"C", true}  },
    {"DaemonSet",                        {"C", true}  },
    {"CronJob",                          {"C", true}  },
    {"HorizontalPodAutoscaler",          {"C", true}  },
    {"CSIDriver",                        {"C", true}  },
    {"PriorityClass",                    {"C", true}  },
    {"LimitRange",                       {"W", true}  },
    {"FlowSchema",                       {"W", true}  },
    {"PriorityLevelConfiguration",       {"W", true}  },
    {"EndpointSlice",                    {"W", true}  },
    {"PersistentVolume",                 {"NN", true} },
    {"CSINode",                          {"NN", true} },
    {"VolumeAttachment",                 {"WW", true} },
    {"PersistentVolumeClaim",            {"NCN", true}},
    {"Role",                             {"NNC", true}},
    {"ClusterRole",                      {"NNC", true}},
    {"RoleBinding",                      {"NNC", true}},
    {"ClusterRoleBinding",               {"NNC", true}},
    {"ControllerRevision",               {"CW", true} },
    {"Event",                            {"", false}  },
    {"PodDisruptionBudget",              {"", false}  },
    {"CustomResourceDefinition",         {"", false}  },
    {"Lease",                            {"C", false} },
    {"RuntimeClass",                     {"NC", false}},
    {"APIService",                       {"CW", false}},
    {"MutatingWebhookConfiguration",     {"W", false} },
    {"ValidatingWebhookConfiguration",   {"W", false} },
    {"ValidatingAdmissionPolicy",        {"W", false} },
    {"ValidatingAdmissionPolicyBinding", {"W", false} },
};

constexpr MetadataChecks kStatusUpdate{"C", true};
constexpr ChecksRow kStatusUpdates[] = {
    {"CertificateSigningRequest", {"WC", true}},
    {"ServiceCIDR",               {"C", true} },
    {"CronJob",                   {"", false} },
    {"PodDisruptionBudget",       {"", false} },
    {"ValidatingAdmissionPolicy", {"", false} },
    {"VolumeAttachment",          {"", false} },
    {"CustomResourceDefinition",  {"", false} },
    {"APIService",                {"C", false}},
};

template <class Rows>
MetadataChecks find_checks(const Rows& rows, std::string_view kind, MetadataChecks usual) {
  const auto* found = std::ranges::find(rows, kind, &ChecksRow::kind);
  return found == std::end(rows) ? usual : found->checks;
}

}  // namespace

MetadataChecks metadata_checks(const Kind& kind, std::string_view subresource) {
  if (subresource == "status") return find_checks(kStatusUpdates, kind.gvk.kind, kStatusUpdate);
  if (subresource == "finalize") return {"C", true};
  return find_checks(kUpdates, kind.gvk.kind, {});
}

bool checks_metadata(const Kind& kind) {
  return kind.gvk.kind != "Event" && kind.gvk.kind != "PodDisruptionBudget";
}

kube::FieldErrors finalizer_errors(json::View object) {
  kube::FieldErrors errors;
  const kube::FieldPath metadata{"metadata"};
  const kube::FieldPath path = metadata.child("finalizers");
  std::size_t at = 0;
  for (const auto name : kube::finalizers_of(object)) {
    const std::size_t index = at++;
    if (name.find('/') != std::string_view::npos || name == "kubernetes" || name == "orphan" ||
        name == "foregroundDeletion") {
      continue;
    }
    note_invalid(path.index(index), name,
                 "name is neither a standard finalizer name nor is it fully qualified", errors);
  }
  return errors;
}

}  // namespace fixpoint::kinds
