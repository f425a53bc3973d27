// SPDX-License-Identifier: Apache-2.0
//
// Label and field selectors: whatever parses prints to a text that parses to an equal selector.
#include "kube/selectors/field_selector.h"
#include "kube/selectors/label_selector.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fixpoint::kube;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (const auto labels = LabelSelector::parse(text)) {
    const auto again = LabelSelector::parse(labels->to_string());
    FP_CHECK(again && again->to_string() == labels->to_string());
    FP_CHECK(labels->matches({}) == again->matches({}));
  }
  if (const auto fields = FieldSelector::parse(text)) {
    const auto again = FieldSelector::parse(fields->to_string());
    FP_CHECK(again && again->requirements().size() == fields->requirements().size());
  }
  return 0;
}
