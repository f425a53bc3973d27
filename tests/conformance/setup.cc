// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/setup.h"

#include "base/error.h"
#include "json/print.h"
#include "json/yaml/yaml.h"
#include "tests/conformance/custom_kinds.h"

#include <chrono>

namespace fixpoint::conformance {
namespace {

// A real server serves a new definition a moment after it has stored it; the last one gets longer
// since discovery and OpenAPI follow.
constexpr Duration kServedAfter = std::chrono::milliseconds{500};
constexpr Duration kAllServedAfter = std::chrono::seconds{3};

Step define(std::string_view yaml) {
  const auto definition = json::parse_yaml(yaml);
  FP_CHECK(definition.has_value());
  Step step;
  step.method = "POST";
  step.path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  step.body = json::to_text(*definition, json::Escape::Plain);
  step.settle = kServedAfter;
  return step;
}

// A custom kind's watch cache begins with the first question about it, and knows nothing older.
Step ask(const Sort& sort) {
  auto step = list(sort, "resourceVersion=0");
  const auto place = step.path.find("/namespaces/<<ns>>");
  if (place != std::string::npos)
    step.path.erase(place, std::string_view{"/namespaces/<<ns>>"}.size());
  return step;
}

}  // namespace

std::vector<Step> setup_steps() {
  std::vector<Step> steps;
  for (const auto yaml : custom_definitions()) steps.push_back(define(yaml));
  steps.back().settle = kAllServedAfter;
  for (const auto& sort : custom_sorts()) steps.push_back(ask(sort));
  steps.push_back(ask(old_gadget()));
  return steps;
}

}  // namespace fixpoint::conformance
