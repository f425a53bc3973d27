// SPDX-License-Identifier: Apache-2.0
//
// Placement: on which nodes the pods of a DaemonSet belong, and what ties a pod to one.
#pragma once

#include "cluster/nodes/node_selector.h"
#include "cluster/nodes/taints.h"
#include "json/draft.h"
#include "kube/selectors/label_selector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::daemons {

// What the template demands of a node, read once.
class Placement {
 public:
  explicit Placement(json::View set);

  enum class Verdict : std::uint8_t {
    Elsewhere,  // no pod belongs there
    Stays,      // what runs there may stay, nothing new comes
    Runs,
  };
  Verdict verdict(json::View node) const;

 private:
  bool fits(json::View node) const;

  std::string node_name_;
  kube::LabelSelector labels_;
  std::optional<nodes::NodeSelector> affinity_;
  std::vector<nodes::Toleration> tolerations_;
};

// The template's spec with the tolerations that every daemon has.
json::Draft daemon_spec(json::View set);
// Ties the spec to one node.
void bind_to(json::Draft& spec, std::string_view node);
// The node that a pod is on or meant for; empty when it is for none.
std::string target_of(json::View pod);

}  // namespace fixpoint::cluster::daemons
