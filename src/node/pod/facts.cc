// SPDX-License-Identifier: Apache-2.0
#include "node/pod/facts.h"

#include <algorithm>

namespace fixpoint::node {

Duration RestartBackoff::wait_after(Instant finished) const {
  return current == Duration{} || forgotten(finished) ? Duration{} : current;
}

void RestartBackoff::started_again(Instant finished, Instant now) {
  current = current == Duration{} || forgotten(finished) ? kInitial : std::min(2 * current, kMax);
  updated = now;
}

json::View container_spec(json::View pod, std::string_view name) {
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const json::View container : pod.get("spec", list).elements()) {
      if (container.get("name").as_string() == name) return container;
    }
  }
  return {};
}

PodFacts new_facts(json::Value pod) {
  PodFacts facts;
  const auto add = [&](json::View container, Role role) {
    ContainerFacts one;
    one.name = container.get("name").as_string();
    one.role = role;
    facts.containers.push_back(std::move(one));
  };
  for (const json::View container : pod.get("spec", "initContainers").elements()) {
    const bool sidecar = container.get("restartPolicy").as_string() == "Always";
    add(container, sidecar ? Role::Sidecar : Role::Init);
  }
  for (const json::View container : pod.get("spec", "containers").elements()) {
    add(container, Role::Regular);
  }
  facts.pod = std::move(pod);
  return facts;
}

}  // namespace fixpoint::node
