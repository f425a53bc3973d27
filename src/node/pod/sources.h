// SPDX-License-Identifier: Apache-2.0
//
// Sources: the objects a pod refers to, as the node knows them. Null: there is no such object.
#pragma once

#include "json/value.h"
#include "kube/meta/gvk.h"

#include <functional>
#include <string>
#include <string_view>

namespace fixpoint::node {

class Sources {
 public:
  virtual ~Sources() = default;
  virtual json::View config_map(const kube::Key& key) const = 0;
  virtual json::View secret(const kube::Key& key) const = 0;
  virtual json::View claim(const kube::Key& key) const = 0;
  virtual json::View persistent_volume(std::string_view name) const = 0;
  // Of the namespace, in order of name.
  virtual void each_service(std::string_view ns,
                            const std::function<void(json::View)>& visit) const = 0;
};

// What this machine adds to what a pod's spec says.
struct Place {
  std::string pod_ip;
  std::string host_ip;
  // What a container without a limit may use, for resourceFieldRef.
  std::string cpu = "1";
  std::string memory = "0";
};

}  // namespace fixpoint::node
