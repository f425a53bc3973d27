// SPDX-License-Identifier: Apache-2.0
//
// Taints: what a node holds against pods, and which pods do not mind.
#pragma once

#include "json/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::nodes {

inline constexpr std::string_view kNotReadyTaint = "node.kubernetes.io/not-ready";
inline constexpr std::string_view kUnreachableTaint = "node.kubernetes.io/unreachable";
inline constexpr std::string_view kUnschedulableTaint = "node.kubernetes.io/unschedulable";

struct Taint {
  std::string key;
  std::string value;
  std::string effect;

  static Taint from(json::View taint);
  bool operator==(const Taint&) const = default;
};

std::vector<Taint> taints_of(json::View node);

struct Toleration {
  std::string key;  // empty: every key
  bool exists;      // else the value must be equal
  std::string value;
  std::string effect;  // empty: every effect
  std::optional<std::int64_t> seconds;

  static Toleration from(json::View toleration);
  bool covers(const Taint& taint) const;
};

std::vector<Toleration> tolerations_of(json::View pod);
bool tolerated(const std::vector<Toleration>& tolerations, const Taint& taint);

}  // namespace fixpoint::cluster::nodes
