// SPDX-License-Identifier: Apache-2.0
//
// Objects into C++ values and back: what decodes without errors is written, and what was written
// decodes to the same value. What does not decode says where and how to put it right.
#include "base/error.h"
#include "json/parsing/parse.h"
#include "types/decode.h"
#include "types/encode.h"
#include "types/gadget_for_tests.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fixpoint;
  const auto value = json::parse({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  const auto decoded = types::decode<types::GadgetSpec>(*value, kube::FieldPath{"spec"});
  for (const auto& error : decoded.errors) {
    FP_CHECK(error.field.starts_with("spec"));
    FP_CHECK(!error.body().empty());
  }
  if (!decoded.ok()) return 0;
  const auto written = types::encode(decoded.value);
  const auto again = types::decode<types::GadgetSpec>(written);
  FP_CHECK(again.ok());
  FP_CHECK(types::encode(again.value) == written);
  return 0;
}
