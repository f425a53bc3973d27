// SPDX-License-Identifier: Apache-2.0
//
// Cutting while parsing is cutting after it, on any text, and refuses what plain parsing refuses.
#include "base/error.h"
#include "json/parsing/parse.h"
#include "json/shape/shape.h"

namespace {

using namespace fixpoint::json;  // NOLINT: a program, not a header

void check_shaped(std::string_view text, const Shape& shape) {
  const auto whole = parse(text);
  const auto cut = parse_shaped(text, &shape);
  FP_CHECK(whole.has_value() == cut.has_value());
  if (!whole) {
    FP_CHECK(whole.error().message == cut.error().message);
    return;
  }
  FP_CHECK(*cut == shape.cut(*whole));

  const auto list = parse_list(text, "items", &shape);
  const bool listable =
      whole->is_object() && (whole->get("items").is_null() || whole->get("items").is_array());
  FP_CHECK(list.has_value() == listable);
  for (std::size_t i = 0; list && i < list->elements.size(); ++i) {
    FP_CHECK(list->elements[i] == shape.cut(whole->get("items")[i]));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const Shape shapes[] = {
      Shape::all().without({"metadata", "managedFields"}
      ).without({"a", "b"}
      ),
      Shape::only({{"spec", "parts", "name"}, {"a"}, {"status"}}
      ),
  };
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  for (const auto& shape : shapes) check_shaped(text, shape);
  return 0;
}
