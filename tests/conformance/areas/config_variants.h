// SPDX-License-Identifier: Apache-2.0
//
// What is tried on the kinds of make_config: pieces that are merged into a body, on create or
// later. `#253#` stands for 253 times "a".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fixpoint::conformance {

struct Variants {
  std::string_view resource;
  std::string_view group_version;
  std::span<const std::string_view> good;
  std::span<const std::string_view> bad;  // some of them only after others, or only as an update
  int weight = 1;
};

std::span<const Variants> config_variants();                 // ConfigMap, Secret, Lease, Event, …
std::span<const Variants> config_variants_of_the_cluster();  // limits, classes, templates
std::string expanded(std::string_view text);

}  // namespace fixpoint::conformance
