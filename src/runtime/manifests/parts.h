// SPDX-License-Identifier: Apache-2.0
//
// What all objects of an installation have in common: names, labels, ports.
#pragma once

#include "json/draft.h"

#include <string>
#include <string_view>

namespace fixpoint::runtime {

struct Place {
  std::string name;
  std::string ns;  // empty: cluster-scoped
  std::string part_of;
};

// apiVersion, kind and metadata with the recommended labels.
json::Draft begin(const Place& place, std::string_view api_version, std::string_view kind);

// What the pods are found by; never changes, because selectors cannot.
json::Draft selector_labels(std::string_view part_of);

inline constexpr int kMetricsPort = 8080;
inline constexpr int kHealthPort = 8081;

}  // namespace fixpoint::runtime
