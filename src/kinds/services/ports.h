// SPDX-License-Identifier: Apache-2.0
//
// The ports of nodes that a Service wants, and which of them an update keeps.
#pragma once

#include "json/draft.h"

namespace fixpoint::kinds {

// What of a service's spec decides about ports.
struct PortWishes {
  bool node_ports = false;  // a type that may have some
  bool hand_out = false;    // to every port that names none
  bool health = false;      // balancers that send only to nodes with a pod ask there for one

  static PortWishes of(json::View spec);
};

// An update that leaves out what was handed out keeps it.
void keep_ports(json::Draft& spec, json::View old_spec);

}  // namespace fixpoint::kinds
