// SPDX-License-Identifier: Apache-2.0
#include "cluster/storage/pod_claims.h"

#include "kube/meta/metadata.h"

#include <fmt/format.h>

namespace fixpoint::cluster::storage {

std::vector<PodClaim> claims_of(json::View pod) {
  std::vector<PodClaim> claims;
  for (const json::View volume : pod.get("spec", "volumes").elements()) {
    const auto volume_name = volume.get("name").as_string();
    const auto name = volume.get("persistentVolumeClaim", "claimName").as_string();
    if (!name.empty()) {
      claims.push_back(
          {.name = std::string{name}, .made_from = {}, .volume = std::string{volume_name}});
    }
    const json::View ephemeral = volume.get("ephemeral");
    if (ephemeral.is_object()) {
      claims.push_back({.name = fmt::format("{}-{}", kube::name_of(pod), volume_name),
                        .made_from = ephemeral.get("volumeClaimTemplate"),
                        .volume = std::string{volume_name}});
    }
  }
  return claims;
}

}  // namespace fixpoint::cluster::storage
