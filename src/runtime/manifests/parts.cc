// SPDX-License-Identifier: Apache-2.0
#include "runtime/manifests/parts.h"

namespace fixpoint::runtime {

json::Draft selector_labels(std::string_view part_of) {
  return json::Draft::object({
      {"app.kubernetes.io/name", part_of}
  });
}

json::Draft begin(const Place& place, std::string_view api_version, std::string_view kind) {
  auto metadata = json::Draft::object({
      {"name", place.name}
  });
  if (!place.ns.empty()) metadata["namespace"] = place.ns;
  metadata["labels"] = selector_labels(place.part_of);
  metadata["labels"]["app.kubernetes.io/managed-by"] = "fixpoint-manifests";
  return json::Draft::object({
      {"apiVersion", api_version        },
      {"kind",       kind               },
      {"metadata",   std::move(metadata)}
  });
}

}  // namespace fixpoint::runtime
