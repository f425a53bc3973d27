// SPDX-License-Identifier: Apache-2.0
#include "types/standard.h"

namespace fixpoint::types {
namespace {

constexpr std::size_t kNameLengthMax = 253;

Limits name_limits() {
  return {.required = true, .min_length = 1, .max_length = kNameLengthMax};
}

}  // namespace

std::span<const std::string_view> enum_names(SelectorOperator) {
  static constexpr std::string_view kNames[]{"In", "NotIn", "Exists", "DoesNotExist"};
  return kNames;
}

Table SelectorRequirement::table() {
  return describe<SelectorRequirement>(
      "A label and what its value may be.",
      {
          {"key",      &SelectorRequirement::key, "The label.",                 {.required = true, .max_length = 316}},
          {"operator", &SelectorRequirement::op,  "How key and values relate.", {.required = true}                   },
          {"values",
           &SelectorRequirement::values,
           "For In and NotIn at least one, for the others none.",               {.max_items = 64}                    },
  });
}

Table LabelSelector::table() {
  return describe<LabelSelector>("Which objects, by their labels; all that is asked must hold.",
                                 {
                                     {"matchLabels",
                                      &LabelSelector::match_labels,
                                      "Labels with exactly these values.", {.max_items = 64}},
                                     {"matchExpressions",
                                      &LabelSelector::match_expressions,
                                      "More that must hold.",              {.max_items = 64}},
  });
}

Table LocalReference::table() {
  return describe<LocalReference>("An object of the same namespace.",
                                  {
                                      {"name", &LocalReference::name, "Its name.", name_limits()}
  });
}

Table KeyReference::table() {
  return describe<KeyReference>(
      "An entry of an object of the same namespace.",
      {
          {"name", &KeyReference::name, "The object's name.", name_limits()},
          {"key",  &KeyReference::key,  "The entry's key.",   name_limits()},
  });
}

}  // namespace fixpoint::types
