// SPDX-License-Identifier: Apache-2.0
#include "kinds/metadata_checks.h"

#include "kinds/validate_fields.h"
#include "kube/metadata.h"

#include <algorithm>

namespace fixpoint::kinds {
namespace {

struct Row {
  std::string_view kind;
  MetadataChecks checks;
};

// Counted on a real server, kind by kind. A definition's own validation has its checks in it.
constexpr Row kUpdates[] = {
    {"Service",                          {0, 1, true}      },
    {"ResourceQuota",                    {0, 1, true}      },
    {"PodTemplate",                      {0, 1, true}      },
    {"Deployment",                       {0, 1, true}      },
    {"ReplicaSet",                       {0, 1, true}      },
    {"StatefulSet",                      {0, 1, true}      },
    {"DaemonSet",                        {0, 1, true}      },
    {"CronJob",                          {0, 1, true}      },
    {"HorizontalPodAutoscaler",          {0, 1, true}      },
    {"CSIDriver",                        {0, 1, true}      },
    {"PriorityClass",                    {0, 1, true}      },
    {"LimitRange",                       {1, 0, true}      },
    {"EndpointSlice",                    {1, 0, true}      },
    {"PersistentVolume",                 {2, 0, true}      },
    {"CSINode",                          {2, 0, true}      },
    {"VolumeAttachment",                 {2, 0, true}      },
    {"PersistentVolumeClaim",            {2, 1, true}      },
    {"Role",                             {2, 1, true, true}},
    {"ClusterRole",                      {2, 1, true, true}},
    {"RoleBinding",                      {2, 1, true, true}},
    {"ClusterRoleBinding",               {2, 1, true, true}},
    {"ControllerRevision",               {1, 2, true}      },
    {"Event",                            {0, 0, false}     },
    {"PodDisruptionBudget",              {0, 0, false}     },
    {"CustomResourceDefinition",         {0, 0, false}     },
    {"Lease",                            {0, 1, false}     },
    {"RuntimeClass",                     {1, 1, false}     },
    {"APIService",                       {1, 1, false}     },
    {"MutatingWebhookConfiguration",     {1, 0, false}     },
    {"ValidatingWebhookConfiguration",   {1, 0, false}     },
    {"ValidatingAdmissionPolicy",        {1, 0, false}     },
    {"ValidatingAdmissionPolicyBinding", {1, 0, false}     },
};

constexpr MetadataChecks kStatusUpdate{0, 1, true};
constexpr Row kStatusUpdates[] = {
    {"CronJob",                   {0, 0, false}},
    {"PodDisruptionBudget",       {0, 0, false}},
    {"ValidatingAdmissionPolicy", {0, 0, false}},
    {"VolumeAttachment",          {0, 0, false}},
    {"CustomResourceDefinition",  {0, 0, false}},
    {"APIService",                {0, 1, false}},
};

template <class Rows>
MetadataChecks find_in(const Rows& rows, std::string_view kind, MetadataChecks usual) {
  const auto* found = std::ranges::find(rows, kind, &Row::kind);
  return found == std::end(rows) ? usual : found->checks;
}

}  // namespace

MetadataChecks metadata_checks(const Kind& kind, std::string_view subresource) {
  if (subresource == "status") return find_in(kStatusUpdates, kind.gvk.kind, kStatusUpdate);
  // Events of the new group are checked more closely.
  if (kind.gvk.group == "events.k8s.io") return {0, 1, false};
  return find_in(kUpdates, kind.gvk.kind, {});
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
