// SPDX-License-Identifier: Apache-2.0
//
// PodsByNode: which pods a node has, kept from the store's events. A plain value.
#pragma once

#include "base/hash.h"
#include "kube/meta/gvk.h"
#include "store/store.h"

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fixpoint::cluster::nodes {

class PodsByNode {
 public:
  using Keys = std::set<std::string, std::less<>>;

  // An event of any kind; those of pods count.
  void observe(const store::Event& event);
  const Keys& on(std::string_view node) const;

 private:
  std::unordered_map<std::string, Keys, StringHash, std::equal_to<>> keys_;
};

// "pods/"
inline constexpr std::string_view kPods = "pods/";
inline constexpr std::string_view kNodes = "nodes/";
inline const kube::GroupVersionResource kNodeResource{"", "v1", "nodes"};
// The node of a pod; empty while it has none.
std::string_view node_of(json::View pod);
bool is_over(json::View pod);
std::string node_key(std::string_view name);

}  // namespace fixpoint::cluster::nodes
