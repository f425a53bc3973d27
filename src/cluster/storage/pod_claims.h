// SPDX-License-Identifier: Apache-2.0
//
// The claims that a pod mounts: those it names, and those that are made for it and go with it.
#pragma once

#include "json/value.h"

#include <string>
#include <vector>

namespace fixpoint::cluster::storage {

struct PodClaim {
  std::string name;
  // Made from a template in the pod; null for a claim that the pod names.
  json::View made_from;
  std::string volume;

  bool is_ephemeral() const { return !made_from.is_null(); }
};

std::vector<PodClaim> claims_of(json::View pod);

}  // namespace fixpoint::cluster::storage
