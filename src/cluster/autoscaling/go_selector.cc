// SPDX-License-Identifier: Apache-2.0
#include "cluster/autoscaling/go_selector.h"

#include <fmt/format.h>

namespace fixpoint::cluster::autoscaling {

using json::View;

std::string go_selector(View selector) {
  if (selector.is_null()) return "nil";
  std::string labels;
  for (const auto [key, value] : selector.get("matchLabels").members()) {
    labels += fmt::format("{}: {},", key, value.as_string());
  }
  std::string expressions;
  for (const View each : selector.get("matchExpressions").elements()) {
    std::string values;
    for (const View value : each.get("values").elements()) {
      values += fmt::format("{}{}", values.empty() ? "" : " ", value.as_string());
    }
    expressions +=
        fmt::format("LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
                    each.get("key").as_string(), each.get("operator").as_string(), values);
  }
  return fmt::format(
      "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:"
      "[]LabelSelectorRequirement{{{}}},}}",
      labels, expressions);
}

}  // namespace fixpoint::cluster::autoscaling
