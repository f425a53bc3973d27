// SPDX-License-Identifier: Apache-2.0
//
// Structs that many kinds hold, with their tables, so that nobody writes them twice.
#pragma once

#include "types/table.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::types {

enum class SelectorOperator : std::uint8_t { In, NotIn, Exists, DoesNotExist };
std::span<const std::string_view> enum_names(SelectorOperator);

struct SelectorRequirement {
  std::string key;
  SelectorOperator op = SelectorOperator::Exists;
  std::vector<std::string> values;

  static Table table();
};

// metav1.LabelSelector. kube::LabelSelector::from_object(encode(selector)) matches with it.
struct LabelSelector {
  std::map<std::string, std::string> match_labels;
  std::vector<SelectorRequirement> match_expressions;

  static Table table();
};

// An object of the same namespace, by name.
struct LocalReference {
  std::string name;

  static Table table();
};

// One entry of a Secret or ConfigMap of the same namespace.
struct KeyReference {
  std::string name;
  std::string key;

  static Table table();
};

}  // namespace fixpoint::types
