// SPDX-License-Identifier: Apache-2.0
//
// Quantities and durations: what is accepted prints, adds and subtracts without surprise.
#include "kube/scalars/duration.h"
#include "kube/scalars/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fixpoint::kube;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (const auto quantity = Quantity::parse(text)) {
    FP_CHECK(*quantity + *quantity - *quantity == *quantity);
    FP_CHECK((*quantity - *quantity).sign() == 0);
    FP_CHECK(Quantity::parse(quantity->to_string()).has_value());
    FP_CHECK(quantity->sign() >= 0 || quantity->value() <= 0);
  }
  if (const auto duration = parse_duration(text)) {
    FP_CHECK(parse_duration(duration_text(*duration)) == *duration);
  }
  return 0;
}
