// SPDX-License-Identifier: Apache-2.0
//
// NodeSelector: which nodes a pod, a volume or a storage class means.
//
// A list of terms of which one must hold; a term is a list of requirements on the node's labels and
// on its name, all of which must hold. A term without any holds for no node.
#pragma once

#include "json/value.h"
#include "kube/selectors/label_selector.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::nodes {

struct NodeTerm {
  std::vector<kube::LabelRequirement> labels;
  std::vector<kube::LabelRequirement> fields;  // only metadata.name exists

  // From a NodeSelectorTerm. What cannot be understood holds for no node.
  static NodeTerm from(json::View term);
  bool matches(json::View node) const;
  // The names it is limited to; empty when it is not limited by name.
  std::vector<std::string> names() const;

 private:
  bool understood_ = true;
};

class NodeSelector {
 public:
  static NodeSelector from(json::View selector);
  bool matches(json::View node) const;
  const std::vector<NodeTerm>& terms() const { return terms_; }

 private:
  std::vector<NodeTerm> terms_;
};

// allowedTopologies of a storage class: one of the terms, each of whose labels has a listed value.
bool allowed_by_topologies(json::View terms, json::View node);

}  // namespace fixpoint::cluster::nodes
