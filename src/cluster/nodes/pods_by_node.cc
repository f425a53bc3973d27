// SPDX-License-Identifier: Apache-2.0
#include "cluster/nodes/pods_by_node.h"

namespace fixpoint::cluster::nodes {

std::string_view node_of(json::View pod) {
  return pod.get("spec", "nodeName").as_string();
}

bool is_over(json::View pod) {
  const auto phase = pod.get("status", "phase").as_string();
  return phase == "Succeeded" || phase == "Failed";
}

std::string node_key(std::string_view name) {
  std::string key{kNodes};
  return key.append("/").append(name);
}

void PodsByNode::observe(const store::Event& event) {
  if (!event.key().starts_with(kPods)) return;
  const auto before = event.before ? node_of(event.before->body) : std::string_view{};
  const auto after = event.after ? node_of(event.after->body) : std::string_view{};
  if (before == after) return;
  if (const auto known = keys_.find(before); known != keys_.end()) {
    known->second.erase(event.key());
    if (known->second.empty()) keys_.erase(known);
  }
  if (!after.empty()) keys_[std::string{after}].insert(event.key());
}

const PodsByNode::Keys& PodsByNode::on(std::string_view node) const {
  static const Keys kNone;
  const auto known = keys_.find(node);
  return known == keys_.end() ? kNone : known->second;
}

}  // namespace fixpoint::cluster::nodes
