// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/pod_template.h"

#include "kube/meta/metadata.h"

namespace fixpoint::cluster {

using json::Draft;

json::Draft pod_from_template(json::View owner, json::View pod_template) {
  auto metadata = Draft::object({
      {"namespace",       kube::namespace_of(owner)                                  },
      {"generateName",    std::string{kube::name_of(owner)} + "-"                    },
      {"ownerReferences", Draft::array({kube::controller_reference(owner).to_json()})}
  });
  for (const std::string_view field : {"labels", "annotations", "finalizers"}) {
    const json::View value = pod_template.get("metadata", field);
    if (!value.empty()) metadata[field] = value;
  }
  return Draft::object({
      {"apiVersion", "v1"                    },
      {"kind",       "Pod"                   },
      {"metadata",   std::move(metadata)     },
      {"spec",       pod_template.get("spec")}
  });
}

Effect create_pod(json::View owner, std::string body) {
  auto request = request_for(kPodResource, apiserver::Verb::Create, kube::namespace_of(owner), {});
  request.body = std::move(body);
  return {
      .request = std::move(request),
      .done = Notice{.object = owner, .reason = "SuccessfulCreate", .message = "Created pod: {}"},
      .refused = Notice{.object = owner,
                     .type = Notice::Type::Warning,
                     .reason = "FailedCreate",
                     .message = "Error creating: {}"}
  };
}

Effect delete_pod(json::View owner, json::View pod) {
  return {
      .request = delete_request(kPodResource, pod),
      .done = Notice{.object = owner,
                     .reason = "SuccessfulDelete",
                     .message = "Deleted pod: " + std::string{kube::name_of(pod)}},
      .refused = Notice{.object = owner,
                     .type = Notice::Type::Warning,
                     .reason = "FailedDelete",
                     .message = "Error deleting: {}"},
      .tolerates = Effect::Tolerates::Absence
  };
}

}  // namespace fixpoint::cluster
