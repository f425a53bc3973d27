// SPDX-License-Identifier: Apache-2.0
#include "cluster/nodes/taints.h"

#include <algorithm>

namespace fixpoint::cluster::nodes {

Taint Taint::from(json::View taint) {
  return {.key = std::string{taint.get("key").as_string()},
          .value = std::string{taint.get("value").as_string()},
          .effect = std::string{taint.get("effect").as_string()}};
}

std::vector<Taint> taints_of(json::View node) {
  std::vector<Taint> taints;
  for (const json::View taint : node.get("spec", "taints").elements()) {
    taints.push_back(Taint::from(taint));
  }
  return taints;
}

Toleration Toleration::from(json::View toleration) {
  Toleration made{.key = std::string{toleration.get("key").as_string()},
                  .exists = toleration.get("operator").as_string() == "Exists",
                  .value = std::string{toleration.get("value").as_string()},
                  .effect = std::string{toleration.get("effect").as_string()},
                  .seconds = std::nullopt};
  const json::View seconds = toleration.get("tolerationSeconds");
  if (seconds.is_int()) made.seconds = seconds.as_int();
  return made;
}

bool Toleration::covers(const Taint& taint) const {
  if (!effect.empty() && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  return exists || value == taint.value;
}

std::vector<Toleration> tolerations_of(json::View pod) {
  std::vector<Toleration> tolerations;
  for (const json::View one : pod.get("spec", "tolerations").elements()) {
    tolerations.push_back(Toleration::from(one));
  }
  return tolerations;
}

bool tolerated(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::ranges::any_of(tolerations, [&](const auto& one) { return one.covers(taint); });
}

}  // namespace fixpoint::cluster::nodes
